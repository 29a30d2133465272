/** Reads what pages up to November 2026 kept and saved, which had a list for each kind of drawing. */
import { LINE_ID } from "../../../measure/image_parts.ts";
import { KINDS } from "../drawing/kinds.ts";
import type { Region, WrittenRegion } from "../drawing/region.ts";
import { distinct, partsIn } from "../drawing/table.ts";
import { editsIn } from "../../../measure/edits.ts";
import {
  type Drawn,
  type DrawnLook,
  type KeptMeans,
  type KeptMeasurement,
  mapped,
} from "../drawing/drawn.ts";
import { otherRegion } from "./regions.ts";
import type { Item, Settings } from "../../../measure/measurement.ts";
import type { Of } from "../../../measure/result.ts";
import type { About } from "../drawing/scan.ts";

/** Until November 2026, a measurement kept one result, with the edits in its items. */
export interface FormerMeasurement {
  band: string;
  channel: string;
  settings: Settings;
  found?: readonly Item[];
  of: Of;
  columns: readonly [number, number];
  measured: Settings;
  about?: About;
  place: string | null;
}

/** A measurement in today's form; items that were removed before are not known. */
export function currentMeasurement(kept: KeptMeasurement | FormerMeasurement): KeptMeasurement {
  if ("results" in kept) return kept;
  const { found = [], of, columns, measured, about = [], place, ...chosen } = kept;
  const items = found.map(({ note: _, isLeftOut: __, ...item }) => item);
  return {
    ...chosen,
    place,
    results: about.length === 0 ? [] : [{ of, columns, measured, about, found: items }],
    edits: editsIn(found, of, place),
  };
}

/** Means of one part as they were kept until November 2026: a row for each image with the values of all channels. */
export type FormerRows = readonly { place: number; values: readonly (number | null)[] }[];

/** Former means by channel and image. */
export const meansIn = (rows: FormerRows): (number | null)[][] =>
  (rows[0]?.values ?? []).map((_, channel) => rows.map(({ values }) => values[channel] ?? null));

/** Means in today's form, where one part was measured. */
function currentMeans(
  kept: (KeptMeans & { rows?: FormerRows }) | null | undefined,
  regions: readonly Region[],
) {
  if (!kept?.rows) return kept;
  const { rows, ...images } = kept;
  const part = partsIn(regions).find(({ id }) => id === images.part);
  const measured = part === undefined || rows.length === 0
    ? []
    : [{ id: part.id, place: part.place, means: meansIn(rows) }];
  return { ...images, parts: measured };
}

/** A position or pixel of the picture. */
export type Place = { x: number; y: number };

/** Drawings as they were kept. */
export interface EarlierDrawn extends Omit<Drawn, "regions" | "cursors" | "kymograph"> {
  bands: readonly {
    id: number;
    name: string;
    color: string;
    from: number;
    to: number;
    region?: WrittenRegion;
  }[];
  lines: readonly { id: number; name?: string; from: Place; to: Place; region?: WrittenRegion }[];
  /** Cursors by the pixels at which they lie. */
  cursors: { pinned: readonly (Place & { name?: string })[]; lines: number; columns: number };
  /** The line over an image, in samples whose centres are integers. */
  kymograph: { points: readonly Place[]; width: number; isMade: boolean; look?: DrawnLook } | null;
  regions?: readonly WrittenRegion[];
}

/** Whether drawings are of an earlier page. */
export const isEarlier = (drawn: Drawn | EarlierDrawn): drawn is EarlierDrawn => "bands" in drawn;

/** The look of a picture with its drawings in the form of this page. */
export const readLook = <Look extends DrawnLook | null>(look: Look): Look =>
  look?.drawn ? { ...look, drawn: readDrawn(look.drawn) } : look;

/** Drawings of this or an earlier page in the form of this page. */
export function readDrawn(drawn: Drawn | EarlierDrawn): Drawn {
  const read = isEarlier(drawn) ? fromLists(drawn) : drawn;
  return read.images ? { ...read, images: currentMeans(read.images, read.regions) ?? null } : read;
}

/** Drawings that had a list for each kind. */
function fromLists(drawn: EarlierDrawn): Drawn {
  const { bands, lines, cursors: { pinned, ...cursors }, kymograph, regions = [], ...rest } = drawn;
  const bandIds = new Map(bands.map(({ id, region }) => [String(id), region?.id ?? `band-${id}`]));
  const idOf = (band: string) => bandIds.get(band) ?? band;
  const named = <Kept extends { of: Of }>(one: Kept): Kept => ({
    ...one,
    of: { ...one.of, band: idOf(one.of.band) },
  });
  const measured = mapped(rest.measured, (one) => {
    const kept = currentMeasurement(one);
    const { band, results, edits } = kept;
    return { ...kept, band: idOf(band), results: results.map(named), edits: edits.map(named) };
  });
  const written = (region?: WrittenRegion) => region === undefined ? {} : { written: region };
  const table: Region[] = [
    ...bands.map(({ id, name, color, from, to, region }): Region => ({
      id: bandIds.get(String(id))!,
      kind: "band",
      name,
      color,
      ends: [from, to].map((y) => ({ x: null, y })),
      ...written(region),
    })),
    ...lines.map(({ id, name = "", from, to, region }): Region => ({
      id: region?.id ?? `line-${id}`,
      kind: "line",
      name,
      color: KINDS.line.color(id),
      ends: [from, to],
      ...written(region),
    })),
    ...regions.map((region, i) => otherRegion(region, i + 1)),
    ...(kymograph?.points.length ?? 0) > 0 ? [pathOf(kymograph!.points, kymograph!.width)] : [],
    ...pinned.slice(0, 2).map(({ x, y, name = "" }, i): Region => ({
      id: KINDS.cursor.ids![i]!,
      kind: "cursor",
      name,
      color: KINDS.cursor.color(i + 1),
      ends: [{ x: x + 0.5, y: y + 0.5 }],
    })),
  ];
  return {
    ...rest,
    regions: distinct(table),
    cursors,
    ...rest.measured && { measured },
    kymograph: kymograph && {
      isMade: kymograph.isMade,
      ...kymograph.look && { look: readLook(kymograph.look) },
    },
  };
}

/** The line over an image through points in samples, `x` along columns. */
export const pathOf = (points: readonly Place[], width: number): Region => ({
  id: LINE_ID,
  kind: "path",
  name: "",
  color: KINDS.path.color(1),
  ends: points.map(({ x, y }) => ({ x: y + 0.5, y: x + 0.5 })),
  width,
});
