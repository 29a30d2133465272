/** From a scene of a document to an acquisition. */
import { axesOf, calibrated, type Calibration, UNCALIBRATED } from "../metadata/axes.ts";
import { lineScanOf } from "../metadata/line_scan.ts";
import type { Acquisition, AxisLetter } from "../reader.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { type Warning, warning } from "../warning.ts";
import type { Attachment } from "./attachments.ts";
import type { CziDocument } from "./document.ts";
import { addDocuments } from "./document_texts.ts";
import type { FileSet } from "./file_set.ts";
import { planPlanes } from "./plane_plan.ts";
import { referenceImage } from "./reference_image.ts";
import { storedScene } from "./scene.ts";
import { heldAxes, missingPlanes, type SceneLayout, servedSizes, spanOf } from "./scene_layout.ts";
import { type TimeStamps, timeStamps } from "./time_stamps.ts";

/** A document with its files. */
export interface OpenedDocument {
  /** What its directory and metadata say. */
  readonly document: CziDocument;
  /** Its files. */
  readonly set: FileSet;
  /** What is attached to it. */
  readonly attachments: readonly Attachment[];
  /** How any of these are damaged. */
  readonly warnings: readonly Warning[];
  /** Looked at while it is read. */
  readonly stop: StopFlag;
}

/** Memory of an acquisition whatever its subblocks, and of each channel. */
const [BASE_BYTES, CHANNEL_BYTES] = [64 << 10, 512];

/** Opens a scene by its rank. @throws {DecodeFailed | Stopped} */
export async function acquisitionOf(opened: OpenedDocument, index: number): Promise<Acquisition> {
  const { document, set, attachments, stop } = opened;
  const { file, metadata, table } = document;
  const scene = storedScene(document, index, set.parts, stop);
  const { layout, channels } = scene;
  const stamps = timeStamps(file, attachments, spanOf(layout, "T"));
  const steps = calibrations(layout, metadata, stamps);
  const missing = missingPlanes(table, layout);
  const described = metadata.channels.length;
  const otherChannels = described > 0 && described !== layout.channels.length
    ? [
      warning(
        "metadata_disagree",
        `The metadata describe ${described} channels; ${layout.channels.length} are stored`,
      ),
    ]
    : [];
  const reference = await referenceImage(file, attachments, metadata, stop);
  return {
    axes: axesOf(servedSizes(layout), steps.calibrations),
    channels: channels.map(({ c: _c, sample: _sample, ...channel }) => channel),
    ...metadata.moment,
    files: () => set.paths,
    fileSize: set.bytes,
    reference: reference.reference,
    lineScan: layout.rowAxis === "T"
      ? lineScanOf(steps.calibrations.Y, calibrated(metadata.pixelTime, "s"))
      : null,
    warnings: [
      ...opened.warnings,
      ...heldAxes(layout).map((letter) =>
        warning(
          "axis_reduced",
          `Axis ${letter} has ${spanOf(layout, letter).size} indices; only the first is served`,
        )
      ),
      ...missing === null ? [] : [missing],
      ...otherChannels,
      ...steps.warnings,
      ...stamps.warnings,
      ...reference.warnings,
    ],
    times: stamps.times,
    indexBytes: BASE_BYTES + table.bytes + 8 * table.length + CHANNEL_BYTES * channels.length,
    documents: (list) => addDocuments(list, document, attachments),
    plan: (wanted, position, rows) => planPlanes(scene, wanted, position, rows),
  };
}

function calibrations(
  { rowAxis, spans }: SceneLayout,
  { steps, interval }: CziDocument["metadata"],
  stamps: TimeStamps,
): {
  readonly calibrations: Partial<Record<AxisLetter, Calibration>>;
  readonly warnings: readonly Warning[];
} {
  const series = (spans.get("T")?.size ?? 1) > 1;
  const seconds = series ? stamps.step ?? interval() : null;
  const time = seconds === null ? {} : { T: { step: seconds, unit: "seconds" } };
  const { Y: _Y, Z: _Z, ...columns } = steps;
  if (rowAxis === "T") {
    const { T, ...rest } = { ...steps, ...time };
    const unknown = T ? [] : [warning("step_unknown", "The file does not state the time between lines")];
    return { calibrations: { ...rest, Y: T ?? UNCALIBRATED }, warnings: unknown };
  }
  if (rowAxis === "Z") {
    const section = [warning("axis_replaced", "The image has no Y axis: rows run along Z")];
    return { calibrations: { ...columns, ...time, Y: steps.Z ?? UNCALIBRATED }, warnings: section };
  }
  return { calibrations: { ...steps, ...time }, warnings: [] };
}
