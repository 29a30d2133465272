/** Rows of a page and axes along which pages are counted, by the scan type and the declared sizes. */
import { DecodeFailed } from "../errors.ts";
import { TAG, tagName } from "../tiff/tags.ts";
import { type Warning, warning } from "../warning.ts";
import type { InfoRecord } from "./info_record.ts";
import type { LsmPage } from "./lsm_page.ts";

/** Axis of the rows: `Z` in sections, `T` in line scans. */
export type RowAxis = "Y" | "Z" | "T";

/** Rows of a page by the scan type; `Y` for all others. */
const ROWS: Readonly<Record<number, RowAxis>> = {
  1: "Z",
  2: "T",
  4: "Z",
  5: "T",
  8: "Z",
  9: "Z",
  10: "T",
};

/** Axes along which pages are counted, by the scan type; all for an unknown one. */
const COUNTED: Readonly<Record<number, string>> = {
  0: "Z",
  1: "",
  2: "",
  3: "T",
  4: "T",
  5: "",
  6: "TZ",
  7: "TZ",
  8: "",
  9: "T",
  10: "",
};

/** Order of pages: by tile, position, time and focus, the last one fastest. */
export interface Dimensions {
  /** Axis of the rows. */
  readonly rows: RowAxis;
  /** Time points of a position. */
  readonly T: number;
  /** Focus planes of a time point. */
  readonly Z: number;
  /** Positions. */
  readonly P: number;
  /** Tiles of a position. */
  readonly M: number;
  /** Warns of contradictions. */
  readonly warnings: readonly Warning[];
}

/**
 * Compares record and pages.
 *
 * @param held number of planes in the pages
 * @throws {DecodeFailed} the first page contradicts the record
 */
export function dimensionsOf(
  { sizes, scanType, further }: InfoRecord,
  page: LsmPage,
  held: number,
): Dimensions {
  const warnings: Warning[] = [];
  const rows = ROWS[scanType] ?? "Y";
  const counted = COUNTED[scanType];
  if (counted === undefined) {
    warnings.push(
      warning("axes_assumed", `The scan type ${scanType} is unknown; pages are read along time and focus`),
    );
  }
  const record = tagName(TAG.CZ_LSMINFO);
  if (page.samples.length !== sizes.C) {
    const found = page.samples.length;
    throw new DecodeFailed(`${record} declares ${sizes.C} channels, but the first page has ${found}`);
  }
  if (page.width !== sizes.X || (rows !== "T" && page.height !== sizes[rows])) {
    const declared = `${sizes.X} columns and ${sizes[rows]} rows`;
    throw new DecodeFailed(
      `${record} declares ${declared}, but the first page has ${page.width} and ${page.height}`,
    );
  }
  if (page.height !== sizes[rows]) {
    const text = `The record declares ${sizes[rows]} lines, but the page of the line scan has ${page.height}`;
    warnings.push(warning("metadata_disagree", text));
  }
  if (rows === "Z") warnings.push(warning("axis_replaced", "The image has no Y axis: rows run along Z"));
  for (const { name, size } of further) {
    warnings.push(warning("axis_reduced", `The file has ${size} ${name}; only the first is served`));
  }
  const along = (letter: "T" | "Z", all: boolean) =>
    letter !== rows && (all || (counted?.includes(letter) ?? true)) ? sizes[letter] : 1;
  const { P, M } = sizes;
  // Existing planes count even along an axis that the scan type lacks.
  const all = held >= M * P * along("T", true) * along("Z", true);
  return { rows, T: along("T", all), Z: along("Z", all), P, M, warnings };
}

/** Number of a plane in the order of the pages. */
export function planeNumber(
  { T, Z }: Dimensions,
  { scene, t, z }: { scene: number; t: number; z: number },
): number {
  return (scene * T + t) * Z + z;
}

/** Number of declared planes. */
export const planeCount = ({ M, P, T, Z }: Dimensions): number => M * P * T * Z;

/** Numbers of the planes in the order in which they were written: by time, position, tile and focus. */
export function* writtenOrder(dimensions: Dimensions): Generator<number> {
  const { M, P, T, Z } = dimensions;
  for (let t = 0; t < T; t += 1) {
    for (let p = 0; p < P; p += 1) {
      for (let m = 0; m < M; m += 1) {
        for (let z = 0; z < Z; z += 1) yield planeNumber(dimensions, { scene: m * P + p, t, z });
      }
    }
  }
}
