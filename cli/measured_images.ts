/** The measurements of images by `acq-server measure`: means over time or focus, projections, profiles and kymographs. */
import { isTime } from "../static/measure/axes.js";
import {
  type DrawnLine,
  type Part,
  partsOf,
  type Plane,
  profileColumns,
  type Region,
  type Row,
} from "../static/measure/image_parts.js";
import type { Column } from "../static/measure/csv.js";
import { columnName } from "../static/measure/measurement.js";
import { Kymograph } from "../static/measure/kymograph.js";
import {
  type Along,
  measuredStack,
  type Over,
  positionWords,
  type ProjectionOf,
  projectionWords,
  stackAxes,
  stackColumns,
  stackRows,
} from "../static/measure/stack.js";
import { tiffOf } from "../static/measure/tiff.js";
import { PlaneNotFound } from "../readers/errors.ts";
import { openResponse } from "../session/open_response.ts";
import type { PlaneBuffer } from "../session/plane_buffer.ts";
import type { Sessions } from "../session/sessions.ts";
import type { Session } from "../session/store.ts";

/** Tables with a row per part, per part of each image, or per position along the line; and TIFF images. */
export const WRITTEN = ["summary", "means", "profile", "projection", "kymograph"] as const;

/** What to measure in images. */
export interface ImageSettings {
  /** Regions, of which only rectangles are measured. */
  readonly regions?: readonly Region[] | undefined;
  readonly kymograph?: DrawnLine | null | undefined;
  readonly images?: { readonly axis: Over } | null | undefined;
  /** The projection to measure besides the images, or to write. */
  readonly projection?: ProjectionOf | null | undefined;
}

/** One channel of an acquisition. */
export interface OpenedChannel {
  readonly sessions: Sessions;
  readonly session: Session;
  readonly index: number;
}

/**
 * Measures the images of a channel into rows of a table, or a TIFF.
 *
 * @throws {RangeError} it is a line scan, lacks an axis or a line, or a rectangle does not lie in it
 * @throws {ReaderError | SessionError}
 */
export async function measuredImages(
  opened: OpenedChannel,
  settings: ImageSettings,
  write: typeof WRITTEN[number],
): Promise<Row[] | Uint8Array> {
  const info = openResponse(opened.session);
  const { plane, source, header, position } = info;
  const { name } = info.channels[0]!;
  if (isTime(plane.axes[0]!)) throw new RangeError("Not an image: its rows are lines over time");
  const { kymograph: line = null, images = null, projection = null } = settings;
  const parts = partsOf(settings);
  for (const part of parts) requireInside(part, plane.shape);
  const along = stackAxes(info);
  if (write === "kymograph" && line !== null) {
    const time = along.get("T");
    if (time === undefined) throw new RangeError("It has one image over time");
    const made = await kymographOf(opened, plane, time, line);
    return tiff(made.samples[0]!, made.plane, `kymograph of ${source.name}, ${name}`);
  }
  const order = { plane, channels: [name], along, parts, over: images?.axis ?? null, projection };
  const found = await measuredStack(order, (axis, count, take) => eachImage(opened, axis, count, take));
  const image = found.projected?.[0] ??
    await samplesOf(opened.sessions.store.channel(opened.session.id, opened.index));
  if (write === "projection" && projection !== null) {
    const at = positionWords({ ...header.sizes, [projection.axis]: 1 }, position).map((words) =>
      words.join(" ")
    );
    return tiff(image, plane, [`${projectionWords(projection)} of ${source.name}`, name, ...at].join(", "));
  }
  const about = {
    File: source.name,
    Path: source.path,
    ...Object.fromEntries(positionWords({ ...header.sizes, ...images && { [images.axis]: 1 } }, position)),
    "Distance per row": plane.axes[0]!.step,
    "Distance per column": plane.axes[1]!.step,
    "Distance unit": plane.axes[1]!.unit,
  };
  const rows = {
    summary: () => stackRows(order, found, [image]),
    means: () =>
      parts.flatMap(({ name: Region }, i) => {
        const axis = images && along.get(images.axis)?.axis;
        const values = found.means?.[i]?.[0];
        return axis && values
          ? rowsOf(stackColumns(axis, [{ name: "Mean", values }]), { Region, Channel: name })
          : [];
      }),
    profile: () => {
      if (line === null) return [];
      const of = { Channel: name, ...projection && { Projection: projectionWords(projection) } };
      return rowsOf(profileColumns(line, plane, [{ name: "Value", samples: image }]), of);
    },
  }[write as "summary" | "means" | "profile"]();
  return rows.map((row) => ({ ...about, ...row }));
}

const rowsOf = (columns: readonly Column[], first: Row): Row[] =>
  Array.from({ length: columns[0]!.values.length }, (_, i) => ({
    ...first,
    ...Object.fromEntries(columns.map((column) => [columnName(column), column.values[i]!])),
  }));

function requireInside({ name, place }: Part, [rows, columns]: readonly number[]): void {
  if (place === null || "points" in place) return;
  const { start: [left = 0, top = 0], stop: [right = 0, bottom = 0] } = place;
  if (left >= 0 && top >= 0 && left < right && top < bottom && right <= columns! && bottom <= rows!) return;
  throw new RangeError(
    `Rectangle "${name}" reaches from column ${left}, row ${top} to column ${right}, row ${bottom}; the image has ${columns} columns and ${rows} rows`,
  );
}

async function kymographOf(opened: OpenedChannel, plane: Plane, { count, axis }: Along, line: DrawnLine) {
  const named = { ...plane, axes: plane.axes.map((axis) => ({ name: "", ...axis })) };
  const channels = [{ index: opened.index, name: "" }];
  const made = new Kymograph({ plane: named, channels, count, time: axis }, line.points, line.width);
  await eachImage(opened, "T", count, ([image], t) => image && made.take(0, t, image));
  return made;
}

/** Takes each image along an axis, with the other axes at the opened position; `null` for an image that was not recorded. */
async function eachImage(
  { sessions, session, index: channel }: OpenedChannel,
  axis: Over,
  count: number,
  take: (images: (Float32Array | null)[], index: number) => void,
): Promise<void> {
  const { signal } = new AbortController();
  for (let i = 0; i < count; i += 1) {
    const position = { ...session.summary.position, [axis.toLowerCase()]: i };
    try {
      const leased = await sessions.positions.plane({ session, channel, position }, null, signal);
      using _lease = { [Symbol.dispose]: leased.endLease };
      take([await samplesOf(leased.plane)], i);
    } catch (error) {
      if (!(error instanceof PlaneNotFound)) throw error;
      take([null], i);
    }
  }
}

/** The samples of a plane. */
export async function samplesOf(plane: PlaneBuffer): Promise<Float32Array> {
  const bytes = new Uint8Array(plane.byteLength);
  let at = 0;
  const { body } = plane.stream(0, plane.byteLength, () => {});
  for await (const part of body as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    bytes.set(part, at);
    at += part.length;
  }
  return new Float32Array(bytes.buffer);
}

function tiff(samples: Float32Array, { shape, axes }: Plane, note: string): Uint8Array {
  return tiffOf(samples, [shape[0]!, shape[1]!], [axes[0]!, axes[1]!], note);
}
