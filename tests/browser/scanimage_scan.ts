/**
 * A line scan of ScanImage, saved as TIFF, whose streaks move by a known velocity. Run as a script it writes one:
 * `deno run -A --lock=deno.lock tests/browser/scanimage_scan.ts PATH`.
 */
import { scanImageBytes } from "../fixtures/scanimage_files.ts";
import { grayLayout } from "../fixtures/tiff_writer.ts";
import { streaks } from "./streaks.ts";

/** Lines of all frames, and columns. */
export const [SCAN_LINES, SCAN_COLUMNS] = [600, 80] as const;

/** Seconds from one line to the next. */
const LINE_PERIOD = 0.0005;

/** Micrometres that a line covers. */
const FIELD = 40;

/** Pixels a line. */
const SPEED = 0.4;

/** Micrometres a second: 0.4 pixels of 0.5 um in 0.5 ms. */
export const SCAN_VELOCITY = SPEED * (FIELD / SCAN_COLUMNS) / LINE_PERIOD;

/**
 * The bytes of the file.
 *
 * @param frames what the lines are divided into
 * @param gap seconds from the last line of a frame to the first of the next
 */
export function scanImageLineScan(frames: number, gap: number): Uint8Array<ArrayBuffer> {
  const rows = SCAN_LINES / frames;
  const samples = streaks({
    lines: SCAN_LINES,
    columns: SCAN_COLUMNS,
    velocity: SPEED,
    noise: 0.5,
    seed: 7,
  });
  const corner = FIELD / 2;
  return scanImageBytes({
    header: [
      "SI.VERSION_MAJOR = 2021",
      "SI.hChannels.channelSave = 1",
      "SI.hStackManager.enable = false",
      `SI.hStackManager.framesPerSlice = ${frames}`,
      "SI.hRoiManager.scanAngleMultiplierSlow = 0",
      `SI.hRoiManager.linePeriod = ${LINE_PERIOD}`,
      `SI.hRoiManager.scanFrameRate = ${1 / (rows * LINE_PERIOD + gap)}`,
      `SI.hRoiManager.imagingFovUm = [-${corner} -${corner};${corner} -${corner};${corner} ${corner};-${corner} ${corner}]`,
      "SI.hScan2D.bidirectional = true",
    ],
    pages: frames,
    layout: grayLayout(SCAN_COLUMNS, rows, 16),
    stamp: (frame) => ({
      number: frame + 1,
      acquisition: 1,
      inAcquisition: frame + 1,
      seconds: frame * (rows * LINE_PERIOD + gap),
    }),
    sample: (x, y, page) => Math.max(0, Math.round(10 * samples[(page * rows + y) * SCAN_COLUMNS + x]!)),
  });
}

if (import.meta.main) {
  const [path] = Deno.args;
  if (path === undefined) throw new Error("the path of the file to write is missing");
  await Deno.writeFile(path, scanImageLineScan(3, 0));
  console.log(`${SCAN_VELOCITY} um/s`);
}
