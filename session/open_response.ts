/** The answer of an open, for `POST /api/v2/open` and `acq-server info`. */
import { basename } from "node:path";
import type { z } from "zod";
import { nameScenesApart } from "../readers/metadata/channels.ts";
import type { Axis, Channel } from "../readers/reader.ts";
import type { OpenResponse } from "../schemas/http.ts";
import { SERVED } from "../schemas/served.ts";
import { formatFileSize } from "./file_size.ts";
import type { Session } from "./store.ts";

/** The Open response of the contract. */
export function describeSession(
  { id, summary }: Pick<Session, "id" | "summary">,
): z.infer<typeof OpenResponse> {
  const { axes, reference } = summary;
  const { sampleType: dtype, sourceType: sourceDtype = dtype } = summary.loaded[0]!;
  const numChannels = summary.channels.length;
  const base = `/api/v2/sessions/${id}`;
  return {
    ok: true,
    apiVersion: "v2",
    sessionId: id,
    source: {
      path: summary.path,
      name: basename(summary.path),
      format: summary.format,
      fingerprint: summary.fingerprint,
      sourceDtype,
      numChannels,
    },
    header: {
      shape: axes.map((axis) => axis.size),
      dims: axes.map((axis) => axis.name),
      sizes: Object.fromEntries(axes.map((axis) => [axis.name, axis.size])),
      dtype,
      numChannels,
      physicalUnits: axes.map((axis) => axis.step),
      physicalUnitsLabels: axes.map((axis) => axis.unit),
      date: summary.date,
      time: summary.time,
      fileSize: summary.fileSize === null ? "" : formatFileSize(summary.fileSize),
    },
    scene: summary.scene,
    sceneCount: summary.sceneCount,
    scenes: describeScenes(summary),
    times: summary.times && [...summary.times],
    ...describePlanes(summary, summary.loaded, `${base}/channels`),
    reference: reference && {
      ...describePlanes(reference, reference.channels, `${base}/reference/channels`),
      lineRoi: reference.lineRoi && [...reference.lineRoi],
      scanPath: reference.scanPath && { x: [...reference.scanPath.x], y: [...reference.scanPath.y] },
    },
    lineScan: summary.lineScan ?? null,
    position: summary.position,
    collection: summary.collection ?? null,
    warnings: summary.warnings.map(({ text }) => text),
    warningCodes: summary.warnings.map(({ code }) => code),
  };
}

function describeScenes({ scenes }: Session["summary"]): z.infer<typeof OpenResponse>["scenes"] {
  const names = nameScenesApart(scenes.map(({ name }) => name));
  return scenes.map(({ sizes }, index) => ({ index, name: names[index] ?? "", sizes: { ...sizes } }));
}

function describePlanes(
  { rows, columns, axes }: { rows: number; columns: number; axes: readonly Axis[] },
  channels: readonly Channel[],
  base: string,
): Pick<z.infer<typeof OpenResponse>, "plane" | "channels"> {
  const calibration = (name: "Y" | "X") => {
    const { step, unit } = axes.find((axis) => axis.name === name)!;
    return { step, unit };
  };
  return {
    plane: {
      shape: [rows, columns],
      axes: [
        { arrayDimension: 0, name: "Y", size: rows, ...calibration("Y") },
        { arrayDimension: 1, name: "X", size: columns, ...calibration("X") },
      ],
      ...SERVED,
    },
    channels: channels.map(({ index, name, color }) => ({
      index,
      name,
      color,
      byteLength: 4 * rows * columns,
      dataUrl: `${base}/${index}/data`,
    })),
  };
}
