/**
 * Zeiss CZI (ZISRAW), as written by ZEN and libCZI. Little-endian.
 *
 *     segments      16 bytes id, i64 allocated, i64 used size, data; each at a multiple of 32, in any order
 *     ZISRAWFILE    the first: GUIDs, number of the part of a split document, offsets of the directories and metadata
 *     ZISRAWDIRECTORY   an entry per subblock: pixel type, position, compression, and letter, start, size and stored
 *                       size of each dimension, the fastest varying first
 *     ZISRAWSUBBLOCK    three sizes, a copy of its entry, XML, samples, a mask
 *     ZISRAWMETADATA    XML: channels, pixel size, date
 *     ZISRAWATTDIR, ZISRAWATTACH    time stamps, embedded documents
 *
 * A plane is painted from the subblocks at its indices along `T`, `Z`, `C`: a single one, or the tiles of a mosaic in the
 * order of their `M`. `S` numbers the scenes. Overviews (pyramids) are left out. A line scan has no `Y`: its lines are time
 * points.
 *
 * Not supported: complex pixels, lossless JPEG, chunks, raw data of cameras, entries of the schema DE, parts of a split document
 * without the first.
 */
import { unlessDamaged } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import type { DocumentList } from "../io/document_list.ts";
import type { RandomAccessFile } from "../io/random_access_file.ts";
import { buildAxes, type Calibration, convertStep, statedStep, UNCALIBRATED } from "../metadata/axes.ts";
import { buildLineScan } from "../metadata/line_scan.ts";
import { type Acquisition, type AxisLetter, type Scenes, sizesOf, type Source } from "../reader.ts";
import { warnIf, type Warning, warning } from "../warning.ts";
import { type Attachment, findTimeStamps, readAttachment, readAttachments } from "./attachments.ts";
import { type CziDocument, openCziDocument } from "./document.ts";
import { openMain, openParts } from "./file_set.ts";
import { readXml } from "./metadata.ts";
import { planTiles } from "./plane_plan.ts";
import { readCziReference } from "./reference_image.ts";
import {
  computeServedSizes,
  layOutScene,
  listHeldAxes,
  measureSpan,
  type SceneLayout,
  type StoredScene,
  storedScene,
  warnAboutMissingTiles,
  warnAboutRepeatedTiles,
} from "./scene.ts";

/** Opens a CZI file with the other parts of its document. @throws {DecodeFailed} it is damaged or not supported */
export function scenes({ path, files }: Source): Promise<Scenes> {
  return Promise.try(() => {
    const main = openMain(path, files);
    const document = openCziDocument(main.file, files.stop);
    const { parts, warnings: absent } = openParts(main, document.table, files);
    const warnings = [...document.warnings, ...absent];
    const attachments = readAttachments(main.file, document.header.attachments, warnings);
    const { scenes, metadata, table } = document;
    return {
      count: scenes.length,
      own: 0,
      // Each scene has the warnings of the document.
      warnings: [],
      entries: (most) =>
        scenes.slice(0, most).map(({ s, entries }) => ({
          name: metadata.sceneNames.get(s) ?? null,
          sizes: unlessDamaged(
            () => sizesOf(buildAxes(computeServedSizes(layOutScene(table, entries, files.stop)), {})),
            {},
          ),
        })),
      open: (index) => {
        const scene = storedScene(document, index, parts, files.stop);
        return describeScene(document, scene, [...parts.values()], attachments, warnings);
      },
    };
  });
}

/** Memory of an acquisition without its subblocks, and per channel. */
const [BASE_BYTES, CHANNEL_BYTES] = [64 << 10, 512];

async function describeScene(
  { file, metadata, table, header }: CziDocument,
  scene: StoredScene,
  parts: readonly RandomAccessFile[],
  attachments: readonly Attachment[],
  general: readonly Warning[],
): Promise<Acquisition> {
  const { layout, channels, stop } = scene;
  const [described, stored] = [metadata.channels.length, layout.channels.length];
  const text = `The metadata describe ${described} channels; ${stored} are stored`;
  const warnings = [
    ...general,
    ...listHeldAxes(layout).map((letter) => {
      const { size } = measureSpan(layout, letter);
      return warning("axis_reduced", `Axis ${letter} has ${size} indices; only the first is served`);
    }),
    ...warnAboutMissingTiles(table, layout),
    ...warnAboutRepeatedTiles(table, layout, stop),
    ...warnIf(described > 0 && described !== stored, "metadata_disagree", text),
  ];
  const stamps = findTimeStamps(file, attachments, measureSpan(layout, "T"), metadata.moment, warnings);
  const steps = calibrateServedAxes(layout, metadata, stamps === null, warnings);
  const { reference, warnings: lost } = await readCziReference(file, attachments, metadata, stop);
  return {
    axes: buildAxes(computeServedSizes(layout), steps),
    channels,
    ...metadata.moment,
    files: () => parts.map(({ path }) => path),
    fileSize: parts.reduce((sum, { size }) => sum + size, 0),
    reference,
    lineScan: layout.rowAxis === "T" ? buildLineScan(steps.Y, convertStep(metadata.pixelTime, "s")) : null,
    warnings: [...warnings, ...lost],
    stamps,
    indexBytes: BASE_BYTES + table.bytes + 8 * table.subblocks.length + CHANNEL_BYTES * channels.length,
    documents: (list) => addCziDocuments(list, file, readXml(file, header), attachments),
    plan: (wanted, position, rows) => planTiles(scene, wanted, position, rows),
  };
}

/** Calibrations of the served axes; warns about rows without a step, or rows along another axis than `Y`. */
function calibrateServedAxes(
  { rowAxis, spans }: SceneLayout,
  { steps, interval }: CziDocument["metadata"],
  isUnstamped: boolean,
  warnings: Warning[],
): Partial<Record<AxisLetter, Calibration>> {
  const series = (spans.get("T")?.size ?? 1) > 1;
  const step = series ? statedStep("T", interval(warnings), "s", warnings) : undefined;
  const time = step === undefined ? {} : { T: step };
  if (rowAxis === "T") {
    const { T, ...rest } = { ...steps, ...time };
    const text = "The file does not state the time between lines";
    warnings.push(...warnIf(!T && isUnstamped, "step_unknown", text));
    return { ...rest, Y: T ?? UNCALIBRATED };
  }
  if (rowAxis === "Z") {
    const { Z, ...rest } = steps;
    warnings.push(warning("axis_replaced", "The image has no Y axis: rows run along Z"));
    return { ...rest, ...time, Y: Z ?? UNCALIBRATED };
  }
  return { ...steps, ...time };
}

/** Types of attachments in XML: experiment, hardware, multiview, fibres. */
const XML_TYPES: readonly string[] = ["CZEXP", "CZHWS", "CZMVM", "CZFBMX"];

function addCziDocuments(
  list: DocumentList,
  file: ByteSource,
  metadata: string,
  attachments: readonly Attachment[],
): void {
  list.add("metadata", "application/xml", metadata);
  for (const attachment of attachments.filter(({ type }) => XML_TYPES.includes(type))) {
    const content = readAttachment(file, attachment);
    list.require(content.size);
    const text = new TextDecoder().decode(content.read(0, content.size, content.name));
    list.add(attachment.name, "application/xml", text);
  }
}
