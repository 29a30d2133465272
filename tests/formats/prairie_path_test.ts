/** Compares the scan path with the samples: the mean profile of a kymograph against its source image along the path. */
import { ok } from "node:assert/strict";
import { join } from "node:path";
import { type LoadedAcquisition, loadHere } from "../load_here.ts";

const MADE = join(import.meta.dirname!, "../fixtures/prairie");

/** Least correlation of a profile with its path, and most with one that is turned. */
const [LEAST, MOST] = [0.7, 0.5];

/** A point of the path. */
type Point = readonly [x: number, y: number];

/** Means of each column over all rows of all channels that the reference has, one list a channel. */
function profiles({ summary, planes }: LoadedAcquisition): number[][] {
  const { rows, columns } = summary;
  return planes.map((plane) =>
    Array.from({ length: columns }, (_, x) => {
      let sum = 0;
      for (let y = 0; y < rows; y += 1) sum += plane[y * columns + x]!;
      return sum / rows;
    })
  );
}

/** As many points along the path as the scan has columns. */
function pointsOf({ summary }: LoadedAcquisition): Point[] {
  const { x, y } = summary.reference!.scanPath!;
  const last = summary.columns - 1;
  return Array.from({ length: summary.columns }, (_, column) => {
    const at = column / last * (x.length - 1);
    const [i, j] = [Math.floor(at), Math.ceil(at)];
    const part = at - i;
    return [x[i]! * (1 - part) + x[j]! * part, y[i]! * (1 - part) + y[j]! * part];
  });
}

/** The source image at points, each the mean of the pixels about it by a Gaussian of 1.2 pixels. */
function sampled(
  { summary, referencePlanes }: LoadedAcquisition,
  channel: number,
  points: readonly Point[],
): number[] {
  const { rows, columns } = summary.reference!;
  const plane = referencePlanes[channel]!;
  return points.map(([x0, y0]) => {
    let [sum, weights] = [0, 0];
    for (let y = Math.max(0, Math.round(y0) - 4); y <= Math.min(rows - 1, Math.round(y0) + 4); y += 1) {
      for (let x = Math.max(0, Math.round(x0) - 4); x <= Math.min(columns - 1, Math.round(x0) + 4); x += 1) {
        const weight = Math.exp(-((x - x0) ** 2 + (y - y0) ** 2) / (2 * 1.2 ** 2));
        sum += weight * plane[y * columns + x]!;
        weights += weight;
      }
    }
    return sum / weights;
  });
}

function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [ma, mb] = [mean(a), mean(b)];
  const product = (f: (i: number) => number) => a.reduce((sum, _, i) => sum + f(i), 0);
  return product((i) => (a[i]! - ma) * (b[i]! - mb)) /
    Math.sqrt(product((i) => (a[i]! - ma) ** 2) * product((i) => (b[i]! - mb) ** 2));
}

/** The best channel: one may show nothing along the line. */
function best(loaded: LoadedAcquisition, points: readonly Point[]): number {
  return Math.max(
    ...profiles(loaded).map((profile, channel) => correlation(profile, sampled(loaded, channel, points))),
  );
}

/** Checks one file as it is and with its path turned round and upside down. */
async function check(path: string) {
  const loaded = await loadHere(path);
  const points = pointsOf(loaded);
  const { rows } = loaded.summary.reference!;
  const asWritten = best(loaded, points);
  ok(asWritten > LEAST, `${path}: ${asWritten}`);
  for (
    const [how, other] of [
      ["reversed", points.toReversed()],
      ["upside down", points.map(([x, y]): Point => [x, rows - 1 - y])],
    ] as const
  ) {
    const turned = best(loaded, other);
    ok(turned < MOST, `${path}, ${how}: ${turned}`);
  }
}

for (
  const scan of ["LineScan-03142018-1454-2042", "LineScan-03052014-1015-007", "LineScan-06092017-1414-619"]
) {
  Deno.test(`the path of the made ${scan} is that of its samples`, () =>
    check(join(MADE, scan, `${scan}.xml`)));
}
