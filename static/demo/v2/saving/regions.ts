/**
 * Drawings as the regions of an image document, and back. Points are `[column, row]` of pixels, whose middles are
 * integers; drawings count from the outer edge of the first pixel.
 */
import { type Band, MOST_BANDS, type Region } from "../measuring/bands.ts";
import { LINE_ID } from "../../../measure/image_parts.ts";
import {
  type Drawn,
  type KeptKymograph,
  type Line,
  MOST_LINES,
  SPACE,
  turnedRegion,
} from "../measuring/drawn.ts";
import type { Place } from "../../../measure/velocity.ts";

/** Key of metadata that only this page reads. */
export const OWN = "acq_viewer";

/** Colour of regions without one. */
const PLAIN = "#56b4e9";

/** Id of the region of a band. */
export const bandRegionId = ({ id, region }: Band): string => region?.id ?? `band-${id}`;

/**
 * The drawings of a picture as regions, each with an id.
 *
 * @param isTurned the columns of the image are its lines
 */
export function regionsOf(
  { shape, bands, lines, cursors, kymograph, regions = [] }: Drawn,
  isTurned: boolean,
): Region[] {
  const [rows, columns] = shape;
  const size = [columns, rows] as const;
  const own = [
    ...bands.map((band) => {
      const { name, color, from, to, region } = band;
      return {
        ...region,
        id: bandRegionId(band),
        type: "rectangle" as const,
        ...name !== "" && { name },
        coordinate_space: SPACE,
        start: [from, 0] as [number, number],
        stop: [to, rows] as [number, number],
        metadata: { ...region?.metadata, [OWN]: { color } },
      };
    }),
    ...lines.map(({ id, name, from, to, region }) => ({
      ...region,
      id: region?.id ?? `line-${id}`,
      ...name && { name },
      ...lineOf([from, to].map(({ x, y }): [number, number] => [y - 0.5, x - 0.5]), size, region?.metadata),
    })),
    ...cursors.pinned.map(({ x, y, name }, i) => ({
      id: `cursor-${"ab"[i]}`,
      type: "point" as const,
      ...name && { name },
      coordinate_space: SPACE,
      position: [y, x] as [number, number],
    })),
    ...kymograph === null ? [] : [{
      id: LINE_ID,
      ...lineOf([pointOf(kymograph.points[0]), pointOf(kymograph.points.at(-1))], size, {
        [OWN]: { points: kymograph.points.map(pointOf), width: kymograph.width },
      }),
    }],
  ];
  const ids = new Set(own.map(({ id }) => id));
  const all = [
    ...own,
    ...regions.map((region) => ids.has(region.id) ? { ...region, id: `${region.id}-other` } : region),
  ];
  return isTurned ? all.map(turnedRegion) : all;
}

const pointOf = ({ x = 0, y = 0 } = {}): [number, number] => [x, y];

/** A line between whole pixels, with its exact ends in the metadata. */
function lineOf(ends: [number, number][], size: readonly [number, number], metadata?: object) {
  const [start, stop] = ends.map((end) => pixelOf(end, size));
  return {
    type: "line" as const,
    coordinate_space: SPACE,
    start: start as [number, number],
    stop: stop as [number, number],
    metadata: { ...metadata, acq_server: { start: ends[0]!, stop: ends[1]! } },
  };
}

/** The pixel nearest to a place. */
const pixelOf = (place: readonly number[], size: readonly [number, number]) =>
  // Adding 0 turns -0 into 0.
  size.map((end, i) => Math.min(end - 1, Math.max(0, Math.round(place[i] ?? 0))) + 0);

/**
 * Turns the regions of an image document into drawings; those without a tool on this page stay regions.
 *
 * @param written valid by the schema
 * @param picture `isTurned` if the columns of the image are its lines
 * @returns `outside` has the names of regions that do not lie within the image
 */
export function drawnRegions(
  written: readonly Region[],
  { shape, isLineScan, isTurned }: {
    shape: readonly [number, number];
    isLineScan: boolean;
    isTurned: boolean;
  },
): Pick<Drawn, "bands" | "kymograph"> & {
  lines: Line[];
  regions: Region[];
  pinned: Drawn["cursors"]["pinned"];
  outside: string[];
} {
  const regions = isTurned ? written.map(turnedRegion) : written;
  const [rows, columns] = shape;
  const size = [columns, rows] as const;
  const numberedBand = numbering("band", regions);
  const numberedLine = numbering("line", regions);
  const drawn: ReturnType<typeof drawnRegions> = {
    bands: [],
    lines: [],
    kymograph: null,
    regions: [],
    pinned: [],
    outside: [],
  };
  for (const region of regions) {
    const { id, type, name = "", start = [0, 0], stop = [0, 0], position = [0, 0], metadata } = region;
    const last = type === "rectangle" ? [columns, rows] : [columns - 1, rows - 1];
    const corners = type === "point" ? [position] : [start, stop];
    const isAllRows = start[1] === 0 && stop[1] === rows;
    if (corners.some((corner) => corner.some((place, i) => place > Number(last[i])))) {
      drawn.outside.push(name || id);
    } else if (type === "rectangle" && isLineScan && isAllRows && drawn.bands.length < MOST_BANDS) {
      const numbered = numberedBand(region);
      const color = metadata?.[OWN]?.color ?? "";
      drawn.bands.push({
        ...numbered,
        name: name || (numbered.region ? id : ""),
        color: /^#[0-9a-f]{6}$/i.test(color) ? color : PLAIN,
        from: start[0],
        to: stop[0],
      });
    } else if (type === "line" && isLineScan && drawn.lines.length < MOST_LINES) {
      const [from, to] = exactEnds(region, size).map(([x, y]) => ({ x: y + 0.5, y: x + 0.5 })) as [
        Place,
        Place,
      ];
      drawn.lines.push({ ...numberedLine(region), ...name && { name }, from, to });
    } else if (type === "point" && /^cursor-[ab]$/.test(id) && drawn.pinned.length < 2) {
      drawn.pinned.push({ x: position[1], y: position[0], ...name && { name } });
    } else if (type === "line" && id === LINE_ID && !isLineScan) {
      drawn.kymograph = kymographOf(region, size);
    } else drawn.regions.push(region);
  }
  return drawn;
}

/** The exact ends of a line, unless they lie outside the pixels that the document states. */
function exactEnds({ start = [0, 0], stop = [0, 0], metadata }: Region, size: readonly [number, number]) {
  return ([["start", start], ["stop", stop]] as const).map(([name, pixel]) => {
    const exact = metadata?.acq_server?.[name];
    return isPlace(exact) && String(pixelOf(exact, size)) === String(pixel) ? exact : pixel;
  });
}

function kymographOf(region: Region, size: readonly [number, number]): KeptKymograph {
  const { points, width } = region.metadata?.[OWN] ?? {};
  const ends = exactEnds(region, size);
  const isWhole = Array.isArray(points) && points.length > 1 && points.every(isPlace) &&
    [points[0], points.at(-1)].every((end, i) => String(end) === String(ends[i]));
  const places: (readonly number[])[] = isWhole ? points : ends;
  return {
    points: places.map(([x = 0, y = 0]) => ({ x, y })),
    width: Number.isInteger(width) && Number(width) > 0 ? Number(width) : 1,
    isMade: false,
  };
}

const isPlace = (place: unknown): place is [number, number] =>
  Array.isArray(place) && place.length === 2 && place.every(Number.isFinite);

/**
 * Numbers the drawings of a kind by their ids, else by the next free number; `region` is one that another program wrote.
 */
function numbering(
  kind: string,
  regions: readonly Region[],
): (region: Region) => { id: number; region?: Region } {
  const pattern = new RegExp(`^${kind}-([1-9]\\d{0,8})$`);
  const numberIn = ({ id }: Region) => Number(pattern.exec(id)?.[1] ?? 0);
  let used = Math.max(0, ...regions.map(numberIn));
  return (region) => {
    const id = numberIn(region);
    if (id > 0) return { id };
    used += 1;
    return { id: used, region };
  };
}
