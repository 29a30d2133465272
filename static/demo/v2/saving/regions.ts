/**
 * Converts regions of the page to regions of an image document, and back. Points are `[column, row]` of pixels, whose middles are
 * integers; regions of the page count from the outer edge of the first pixel.
 */
import { LINE_ID } from "../../../measure/image_parts.ts";
import { isValueOf, KINDS, readRegionNumber } from "../drawing/kinds.ts";
import {
  type End,
  type KindName,
  type Region,
  selectKinds,
  type Size,
  turnRegion,
  type WrittenRegion,
} from "../drawing/region.ts";
import { makeIdsDistinct } from "../drawing/table.ts";

/** Key of metadata that only this page reads. */
export const OWN = "acq_viewer";

/** Coordinate space of the regions in an image document: pixels. */
const SPACE = "primary-image-full-resolution-pixels";

/** Colour of regions without one. */
const PLAIN = "#56b4e9";

type Pair = [number, number];

/**
 * The regions of a picture as regions of its document.
 *
 * @param isTurned the columns of the image are its lines
 */
export function writeRegions(
  regions: readonly Region[],
  shape: Size,
  isTurned: boolean,
): WrittenRegion[] {
  const size = isTurned ? [shape[1], shape[0]] as const : shape;
  return regions.map((region) => writeRegion(isTurned ? turnRegion(region) : region, size));
}

function writeRegion(region: Region, size: Size): WrittenRegion {
  const { id, kind, name, ends, width, written: former } = region;
  const { type, isExact = false, properties } = KINDS[kind];
  const looks = Object.fromEntries(
    properties.flatMap(({ key }) => region[key] === undefined ? [] : [[key, region[key]]]),
  );
  const exact = ends.map(centrePosition);
  const own = {
    ...looks,
    ...kind === "path" && { points: exact, width },
  };
  const metadata = {
    ...former?.metadata,
    ...Object.keys(own).length > 0 && { [OWN]: own },
    ...isExact && {
      acq_server: {
        ...former?.metadata?.acq_server,
        start: exact[0]!,
        stop: exact.at(-1)!,
        ...kind === "track" && { points: exact },
      },
    },
  };
  const { name: _, ...others } = former ?? {};
  return {
    ...others,
    id,
    type,
    ...name !== "" && { name },
    coordinate_space: former?.coordinate_space ?? SPACE,
    ...findPixelPlace(type, ends, size),
    ...(former?.metadata !== undefined || Object.keys(metadata).length > 0) && { metadata },
  };
}

/** Place of ends in pixels. */
function findPixelPlace(type: WrittenRegion["type"], ends: readonly End[], [rows, columns]: Size) {
  if (type === "rectangle") {
    const [start, stop] = ends as [End, End];
    return {
      start: [start.y ?? 0, start.x ?? 0] as Pair,
      stop: [stop.y ?? columns, stop.x ?? rows] as Pair,
    };
  }
  const [start, stop] = [ends[0]!, ends.at(-1)!].map((end) =>
    findNearestPixel(centrePosition(end), [rows, columns])
  );
  return type === "point" ? { position: start! } : { start: start!, stop: stop! };
}

/** Position in pixels whose middles are integers. */
const centrePosition = ({ x, y }: End): Pair => [Number(y) - 0.5, Number(x) - 0.5];

/** The pixel nearest to a place. */
const findNearestPixel = (place: readonly number[], [rows, columns]: Size): Pair =>
  // Adding 0 turns -0 into 0.
  [columns, rows].map((end, i) => Math.min(end - 1, Math.max(0, Math.round(place[i] ?? 0))) + 0) as Pair;

const makeEnd = ([column, row]: readonly [number, number]): End => ({ x: row + 0.5, y: column + 0.5 });

/**
 * Reads the regions of an image document; those without a tool on this page are kinds of their own.
 *
 * @param all valid by the schema
 * @param picture `isTurned` if the columns of the image are its lines
 * @returns `outside` has the names of regions that do not lie within the image
 */
export function readRegions(
  all: readonly WrittenRegion[],
  { shape, isLineScan, isTurned }: { shape: Size; isLineScan: boolean; isTurned: boolean },
): { regions: Region[]; outside: string[] } {
  const size = isTurned ? [shape[1], shape[0]] as const : shape;
  const [regions, outside] = [[] as Region[], [] as string[]];
  for (const region of all) {
    if (!isInsideImage(region, size)) {
      outside.push(region.name || region.id);
      continue;
    }
    const kind = findDrawnKind(region, { size, isLineScan, isTurned });
    const isFull = kind !== null && selectKinds(regions, kind).length >= KINDS[kind].most;
    const read = kind === null || isFull
      ? makeOtherRegion(region, regions.length + 1)
      : makeDrawnRegion(region, kind, size);
    const { start = [0, 0], stop = [0, 0] } = region;
    const across = isTurned ? 1 : 0;
    if (read.kind === "band") {
      regions.push({ ...read, ends: [start[across], stop[across]].map((y) => ({ x: null, y })) });
    } else regions.push(isTurned ? turnRegion(read) : read);
  }
  return { regions: makeIdsDistinct(regions), outside };
}

function isInsideImage({ type, start, stop, position }: WrittenRegion, [rows, columns]: Size) {
  const last = type === "rectangle" ? [columns, rows] : [columns - 1, rows - 1];
  const corners = type === "point" ? [position] : [start, stop];
  return corners.every((corner) => corner?.every((place, i) => place <= last[i]!));
}

/** The kind of a region that a tool of this page draws; null for others. */
function findDrawnKind(
  region: WrittenRegion,
  { size, isLineScan, isTurned }: { size: Size; isLineScan: boolean; isTurned: boolean },
): KindName | null {
  const { id, type, start = [0, 0], stop = [0, 0], metadata } = region;
  const [along, lines] = isTurned ? [0, size[1]] as const : [1, size[0]] as const;
  if (type === "rectangle" && isLineScan && start[along] === 0 && stop[along] === lines) return "band";
  if (type === "line" && isLineScan) {
    return findLinePoints(metadata?.acq_server?.points, findExactEnds(region, size)) === null
      ? "line"
      : "track";
  }
  if (type === "point" && KINDS.cursor.ids!.includes(id)) return "cursor";
  return type === "line" && id === LINE_ID && !isLineScan ? "path" : null;
}

/** A region of a kind that a tool draws. */
function makeDrawnRegion(region: WrittenRegion, kind: KindName, size: Size): Region {
  const { id, name = "", position = [0, 0], metadata } = region;
  const own = metadata?.[OWN];
  const { properties, color } = KINDS[kind];
  const isOwn = readRegionNumber({ id, kind }) > 0 || KINDS[kind].ids !== undefined;
  const number = kind === "cursor" ? 1 + KINDS.cursor.ids!.indexOf(id) : 1;
  const read = {
    id,
    kind,
    name: name || (kind === "band" && !isOwn ? id : ""),
    color: properties.some(({ key }) => key === "color") ? PLAIN : color(number),
    ...Object.fromEntries(
      properties.filter((property) => isValueOf(property, own?.[property.key])).map((
        { key },
      ) => [key, own?.[key]]),
    ),
    ...!isOwn && { written: region },
  };
  if (kind === "cursor") return { ...read, ends: [makeEnd(position)] };
  const ends = findExactEnds(region, size);
  const points = findLinePoints(kind === "track" ? metadata?.acq_server?.points : own?.points, ends) ?? ends;
  const width = Number.isInteger(own?.width) && Number(own?.width) > 0 ? Number(own?.width) : 1;
  return { ...read, ends: points.map(makeEnd), ...kind === "path" && { width } };
}

/** Points of a line, if they lead from its start to its stop. */
function findLinePoints(points: unknown, ends: readonly (readonly [number, number])[]): Pair[] | null {
  const isWhole = Array.isArray(points) && points.length > 1 && points.every(isPlace) &&
    [points[0], points.at(-1)].every((end, i) => String(end) === String(ends[i]));
  return isWhole ? points : null;
}

/** A region that no tool draws, or a rectangle. @param rank chooses the colour if its id has no number */
export function makeOtherRegion(region: WrittenRegion, rank = 1): Region {
  const { id, type, name = "", position, start = [0, 0], stop = [0, 0] } = region;
  const kind = type === "line" ? "segment" : type;
  const ends = type === "rectangle"
    ? [start, stop].map(([column, row]) => ({ x: row, y: column }))
    : (position ? [position] : [start, stop]).map(makeEnd);
  const color = KINDS[kind].color(readRegionNumber({ id, kind }) || rank);
  return { id, kind, name, color, ends, written: region };
}

/** The exact ends of a line, unless they lie outside the pixels that the document states. */
function findExactEnds(
  { start = [0, 0], stop = [0, 0], metadata }: WrittenRegion,
  size: Size,
) {
  return ([["start", start], ["stop", stop]] as const).map(([name, pixel]) => {
    const exact = metadata?.acq_server?.[name];
    return isPlace(exact) && String(findNearestPixel(exact, size)) === String(pixel) ? exact : pixel;
  });
}

const isPlace = (place: unknown): place is Pair =>
  Array.isArray(place) && place.length === 2 && place.every(Number.isFinite);
