/** New regions, ids and parts of a table of regions, by their kinds. */
import { freeName } from "../../../measure/free_name.ts";
import { type ImagePart, listImageParts } from "../../../measure/image_parts.ts";
import { KINDS, nameRegion, readRegionNumber } from "./kinds.ts";
import {
  ALL_BANDS,
  ALL_REGIONS,
  computeCorners,
  type End,
  findLineOver,
  type KindName,
  type Region,
  selectKinds,
} from "./region.ts";

/**
 * A new region with an id, a name and a colour of its own; null beyond the most regions of its kind, unless it
 * replaces the last of them.
 */
export function makeRegion(
  regions: readonly Region[],
  kind: KindName,
  ends: readonly End[],
  properties: Partial<Region> = {},
): Region | null {
  const { noun, most, isReplaced = false, ids, named, color } = KINDS[kind];
  const own = selectKinds(regions, kind);
  if (own.length >= most && !isReplaced) return null;
  const used = new Set(regions.map(({ id }) => id));
  const number = 1 + Math.max(0, ...own.map(readRegionNumber));
  const id = ids === undefined
    ? freeName(`${noun}-${number}`, (other) => used.has(other), (n) => `${noun}-${number + n - 1}`)
    : ids.find((id) => !used.has(id)) ?? ids.at(-1)!;
  const rank = ids === undefined ? number : 1 + ids.indexOf(id);
  return { kind, name: named(rank), color: color(rank), ends, ...properties, id };
}

/** Ids that stand for whole lines or images, and for all bands or regions, where one can be chosen. */
const RESERVED = ["", ALL_BANDS, ALL_REGIONS];

/**
 * The table with distinct ids, none of which stands for something else: of two regions with the same id, the one that no
 * tool draws takes another.
 */
export function makeIdsDistinct(regions: readonly Region[]): Region[] {
  const used = new Set(RESERVED);
  const renamed = new Map<Region, Region>();
  for (const region of regions.toSorted((a, b) => Number(isOfRecording(a)) - Number(isOfRecording(b)))) {
    const id = freeName(region.id, (other) => used.has(other), (n) => region.id + "-other".repeat(n - 1));
    used.add(id);
    renamed.set(region, id === region.id ? region : { ...region, id });
  }
  return regions.map((region) => renamed.get(region)!);
}

/** Whether a region belongs to the recording, also when another picture of it is shown. */
export const isOfRecording = ({ kind }: Region): boolean => KINDS[kind].isOfRecording === true;

/** Parts of an image that can be measured. */
export const listMeasurableParts = (regions: readonly Region[]): ImagePart[] =>
  listImageParts({
    kymograph: findLineOver(regions),
    regions: selectKinds(regions, "rectangle").map((region) => ({
      id: region.id,
      name: nameRegion(region),
      type: "rectangle",
      ...computeCorners(region),
    })),
  });
