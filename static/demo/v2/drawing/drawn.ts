/**
 * What was drawn, pinned and measured in a picture, as JSON to be stored and undone. Drawings fit only a picture of the
 * same size.
 */
import { MEASUREMENTS } from "../../../measure/measurements.ts";
import { isFlag, withFields } from "../controls/shape.ts";
import type { PieceKind } from "./piece.ts";
import { type KeptMeans, mapPieces } from "./pieces.ts";
import { findShape, type Scan } from "./scan.ts";
import { isHere, keepItems } from "../../../measure/edits.ts";
import type { KeptMeasurement } from "./measurement_piece.ts";
import { type KindName, type Region, selectKinds } from "./region.ts";
import { isOfRecording } from "./table.ts";
import type { Viewer, ViewerLook } from "../panels/viewer.ts";
import type { ProjectionOf } from "../../../measure/stack.ts";
import type { TraceSettings } from "../../../measure/light/baseline.ts";

/** The kymograph of the line over an image. */
export interface KeptKymograph {
  /** Whether the kymograph is shown or being made. */
  isMade: boolean;
  /** Display settings and drawings of the kymograph. */
  look?: DrawnLook;
}

/** The kymograph of the line. Documents hold its drawings in an analysis. */
export const KYMOGRAPH: PieceKind<KeptKymograph | null> = {
  path: ["kymograph"],
  words: "kymograph",
  initial: null,
  restore: (stored) => withFields({ isMade: isFlag })(stored) ? stored as KeptKymograph : null,
};

/** The document of one picture: everything that was drawn, set and measured in it. */
export interface Drawn {
  /** Shape of the plane. */
  readonly shape: readonly [number, number];
  readonly isLineScan: boolean;
  /** What is drawn, and regions of the recording that no tool draws. */
  readonly regions: readonly Region[];
  /** How traces are made; null if unknown. */
  readonly traces: TraceSettings | null;
  /** Lines and columns of which cursors show the mean. */
  readonly cursors: { readonly lines: number; readonly columns: number };
  /** Settings, results and edits by the keys of the measurements. */
  readonly measurements?: Readonly<Record<string, KeptMeasurement | null>>;
  readonly kymograph: KeptKymograph | null;
  readonly images?: KeptMeans | null;
  /** The projection that is shown in place of the images. */
  readonly projection?: ProjectionOf | null;
  /** The user's judgement; null if it equals that of the file. */
  readonly accepted?: boolean | null | undefined;
  /** Mark of the documents that the drawings started from. */
  readonly origin?: string | null | undefined;
}

/** Display of the pictures with what was drawn in them, as it is kept. */
export interface DrawnLook extends ViewerLook {
  drawn?: Drawn | null;
  /** What was measured, in words for lists of recordings. */
  summary?: string;
}

/** The look of the shown pictures, which {@linkcode MeasuredView} extends by drawings; null while nothing is shown. */
export const lookOf = (viewer: Viewer): DrawnLook | null => viewer.look;

/**
 * Checks that stored drawings fit a picture. A line scan may have gained rows, as during recording.
 *
 * @param kept drawings of this or another picture
 * @returns null if they do not fit
 */
export function fitDrawn(kept: Drawn | null | undefined, scan: Scan): Drawn | null {
  if (kept?.isLineScan !== scan.isLineScan) return null;
  const [rows, columns] = findShape(scan);
  const [formerRows, formerColumns] = kept.shape;
  const isFit = formerColumns === columns && (scan.isLineScan ? formerRows <= rows : formerRows === rows);
  return isFit ? { ...kept, shape: [rows, columns] } : null;
}

/** Changes what is kept of each measurement. */
export const mapMeasurements = <Changed>(
  measurements: Drawn["measurements"],
  change: (one: KeptMeasurement, key: string) => Changed | null,
): Record<string, Changed | null> =>
  Object.fromEntries(Object.entries(measurements ?? {}).map(([key, one]) => [key, one && change(one, key)]));

/** Kept drawings without results, for other samples. */
export function withoutResults<Kept extends Drawn | null | undefined>(kept: Kept): Kept {
  if (!kept) return kept;
  const { kymograph } = kept;
  const look = kymograph?.look && { ...kymograph.look, drawn: withoutResults(kymograph.look.drawn) };
  return {
    ...kept,
    ...mapPieces(kept, (kind, value) => kind.withoutResults?.(value) ?? value),
    kymograph: look ? { ...kymograph, look } : kymograph,
  };
}

/** Kinds by the words that count them in a summary. */
const COUNTED: Readonly<Record<string, readonly KindName[]>> = {
  band: ["band"],
  line: ["line"],
  track: ["track"],
  cursor: ["cursor"],
  region: ["rectangle", "segment", "point"],
};

/** Summary of what was drawn and measured, such as "2 bands, 1 line"; may be empty. */
export function summarizeDrawn(kept: Partial<Drawn> | null | undefined): string {
  if (!kept) return "";
  const { regions = [], measurements, images, kymograph, projection, accepted } = kept;
  const counted = (...nouns: string[]) =>
    nouns.map((noun) => [noun, selectKinds(regions, ...COUNTED[noun]!)] as const);
  const words = ([
    ...counted("band", "line", "track"),
    ...MEASUREMENTS.map((measurement) => {
      const { results = [], edits = [], place = null } = measurements?.[measurement.key] ?? {};
      const here = edits.filter((edit) => isHere(edit, place));
      const items = results.flatMap((result) => keepItems(measurement, result, here).items);
      return [measurement.noun, items] as const;
    }),
    ...counted("cursor"),
    ["image mean", images?.parts.flatMap(({ means }) => means[0] ?? [])],
    ...counted("region"),
  ] as const).flatMap(([name, { length = 0 } = []]) =>
    length === 0 ? [] : [`${length} ${length === 1 ? name : name.replace(/y$/, "ie") + "s"}`]
  );
  const line = selectKinds(regions, "path").length > 0 ? ["kymograph"] : [];
  const inside = summarizeDrawn(kymograph?.look?.drawn);
  const projected = projection ? ["projection"] : [];
  return [...words, ...line, ...projected, ...(inside === "" ? [] : [inside]), ...describeJudgement(accepted)]
    .join(", ");
}

const describeJudgement = (accepted: boolean | null | undefined) =>
  typeof accepted === "boolean" ? [accepted ? "accepted" : "not accepted"] : [];

/** Words for a list of recordings: measured values, else what was drawn, and the judgement. */
export const lookWords = (look: DrawnLook | null | undefined): string =>
  look?.summary
    ? [look.summary, ...describeJudgement(look.drawn?.accepted)].join(" · ")
    : summarizeDrawn(look?.drawn);

/** Like {@linkcode summarizeDrawn}, without the judgement and, for a line scan, without regions that no tool draws. */
export function summarizeDrawing(kept: Drawn | null | undefined): string {
  if (!kept) return "";
  const regions = kept.isLineScan ? kept.regions.filter((region) => !isOfRecording(region)) : kept.regions;
  return summarizeDrawn({ ...kept, accepted: null, regions });
}
