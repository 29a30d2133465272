/** Planes of an image as the line scan that the user typed. */
import { isTime, titled } from "../../../measure/axes.js";
import { typedScan } from "../../../measure/typed_scan.js";

/** @import { OpenResponse, PlaneInfo } from "../../../client/v2/acq-client.d.ts" */
/** @import { Axis } from "../../../measure/axes.js" */
/** @import { TypedScan } from "../../../measure/typed_scan.js" */

/** A single image of a file that does not call it a line scan. @param {OpenResponse} info */
export const isPlainImage = ({ plane, header: { sizes } }) =>
  !isTime(/** @type {Axis} */ (plane.axes[0])) && ["T", "Z", "L"].every((name) => (sizes[name] ?? 1) === 1);

/**
 * @template {{samples: Float32Array}} Channel
 * @param {{plane: PlaneInfo, channels: readonly Channel[]}} image
 * @param {TypedScan} typed
 * @returns {{plane: PlaneInfo, channels: Channel[]}}
 * @throws {RangeError} a step is not positive
 */
export function typedPlanes({ plane, channels }, typed) {
  const scans = channels.map(({ samples }) => typedScan({ samples, shape: plane.shape }, typed));
  const [{ plane: { shape }, axes }] = /** @type {[typeof scans[number]]} */ (scans);
  const described = plane.axes.map((axis, i) => ({ ...axis, ...axes[i], size: shape[i] ?? 1 }));
  return {
    plane: { ...plane, shape, axes: titled(/** @type {typeof plane.axes} */ (described)) },
    channels: channels.map((channel, i) => ({ ...channel, samples: scans[i].plane.samples })),
  };
}
