/**
 * The reference image of a line scan and its scan path, which are documents attached under the name `Image`. The first document
 * with rows and columns of integers, or with several channels, is the image. The first document with two lines of floats, along
 * any dimensions, is the path: metres from the centre of the image, along its columns and along its rows.
 */
import { UNCALIBRATED } from "../metadata/axes.ts";
import {
  buildReferenceAxes,
  isUnreadable,
  type ReferenceResult,
  warnReferenceLost,
} from "../metadata/reference.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { FIRST_POSITION, type Reference } from "../reader.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { addWarning, type Warning } from "../warning.ts";
import { type Attachment, readAttachment } from "./attachments.ts";
import { openCziDocument } from "./document.ts";
import type { CziMetadata } from "./metadata.ts";
import { planTiles } from "./plane_plan.ts";
import { computeServedSizes, type StoredScene, storedScene } from "./scene.ts";

/** Largest number of points of a scan path; hundreds are usual. */
const MAX_PATH_POINTS = 1 << 20;

/** Shortest side and largest number of channels of an image, and smallest number of points of a path. */
const [LEAST_SIDE, MOST_CHANNELS, LEAST_POINTS] = [33, 16, 101];

/** Largest memory for reading a path in bytes; a thousand points take kilobytes. */
const MAX_PATH_MEMORY = 64 << 20;

type MetrePath = Readonly<Record<"x" | "y", Float32Array>>;

/** Finds the image and the path. @param metadata of the document that has the attachments @throws {Stopped} */
export async function readCziReference(
  file: ByteSource,
  attachments: readonly Attachment[],
  metadata: CziMetadata,
  stop: StopFlag,
): Promise<ReferenceResult> {
  const warnings: Warning[] = [];
  let image: StoredScene | null = null;
  let own: CziMetadata | null = null;
  let path: MetrePath | null = null;
  for (const attachment of attachments) {
    if (attachment.name !== "Image" || attachment.type !== "ZISRAW") continue;
    if (image && path) break;
    try {
      const content = readAttachment(file, attachment);
      // Attachments inside an embedded document are not opened.
      const document = openCziDocument(content, stop);
      const scene = storedScene(document, 0, new Map([[0, content]]), stop);
      if (!image && isOneImage(scene)) {
        [image, own] = [scene, document.metadata];
        for (const { text } of document.warnings) {
          addWarning(warnings, warnReferenceLost(`The reference image: ${text}`));
        }
      } else if (!path) {
        path = await readCoordinateRows(scene);
        const zeros = path === null ? 0 : Math.max(countHoles(path.x), countHoles(path.y));
        const text = `The scan path has ${zeros} coordinates of 0 in a row, where points were lost`;
        if (zeros > 0) addWarning(warnings, warnReferenceLost(text));
      }
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      const text = `The image attached at ${attachment.position} cannot be read: ${error.message}`;
      addWarning(warnings, warnReferenceLost(text));
    }
  }
  if (image === null || own === null) return { reference: null, warnings };
  const scene = image;
  // The path is drawn in the steps of the scan setup, if there is one.
  const setup = metadata.setupScaling();
  const x = setup ? { step: setup.x * 1e6, unit: "um" } : own.steps.X ?? UNCALIBRATED;
  const y = setup ? { step: setup.y * 1e6, unit: "um" } : own.steps.Y ?? UNCALIBRATED;
  const { X, Y } = computeServedSizes(scene.layout);
  const drawn = x.unit === "um" && y.unit === "um" ? path : null;
  const inPixels = (metres: Float32Array, step: number, size: number) =>
    Array.from(metres, (metre) => metre / (step * 1e-6) + size / 2);
  const reference: Reference = {
    axes: buildReferenceAxes({ rows: Y, columns: X }, { y, x }),
    channels: scene.channels,
    lineRoi: null,
    scanPath: drawn && { x: inPixels(drawn.x, x.step, X), y: inPixels(drawn.y, y.step, Y) },
    plan: () => planTiles(scene, [...scene.channels.keys()], FIRST_POSITION),
  };
  return { reference, warnings };
}

function isOneImage({ layout, channels }: StoredScene): boolean {
  const { T, Z, C, Y, X } = computeServedSizes(layout);
  const integers = channels.every(({ sampleType }) => !sampleType.startsWith("float"));
  return (integers || C > 1) && layout.rowAxis === "Y" && T === 1 && Z === 1 && C <= MOST_CHANNELS &&
    Y >= LEAST_SIDE &&
    X >= LEAST_SIDE;
}

/** Fewest zeros in a row that stand for lost coordinates of points: a path crosses the centre in one. */
const LEAST_ZEROS = 4;

/** Number of zeros in a row, unless all coordinates are 0, which are those of a straight line; 0 for fewer than {@linkcode LEAST_ZEROS}. */
function countHoles(coordinates: Float32Array): number {
  let [longest, run] = [0, 0];
  for (const metres of coordinates) {
    run = metres === 0 ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest >= LEAST_ZEROS && longest < coordinates.length ? longest : 0;
}

/** Reads two rows of floats, or two channels of a row or column; `null` if the scene is anything else. */
async function readCoordinateRows(scene: StoredScene): Promise<MetrePath | null> {
  const { layout, channels } = scene;
  const { T, Z, C, Y, X } = computeServedSizes(layout);
  const twoLines = Y === 2 && C === 1 || (Y === 1 || X === 1) && C === 2;
  const points = Y * X * C / 2;
  const floats = channels.every(({ sampleType }) => sampleType.startsWith("float"));
  if (!floats || !twoLines || T !== 1 || Z !== 1 || points < LEAST_POINTS || points > MAX_PATH_POINTS) {
    return null;
  }
  const plan = await planTiles(scene, [...channels.keys()], FIRST_POSITION);
  if (plan.rows !== Y || (plan.working?.bytes ?? 0) > MAX_PATH_MEMORY) return null;
  const planes = channels.map(() => new Float32Array(Y * X));
  await plan.decode(planes);
  const [first, second] = planes;
  if (!first) return null;
  const x = first.subarray(0, points);
  const y = second ?? first.subarray(points);
  return [x, y].every((row) => row.every(Number.isFinite)) ? { x, y } : null;
}
