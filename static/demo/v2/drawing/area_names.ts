/** Where the names of areas stand in a picture, so that they hide neither another area nor each other. */

/** In CSS pixels. */
export type Box = { left: number; top: number; right: number; bottom: number };

/** A named area in a picture, with a short name for where names are in each other's way. */
export interface NamedArea {
  box: Box;
  name: string;
  short: string;
}

/** A name, and where it begins: its left end at half its height. */
export type PlacedName = { text: string; at: readonly [x: number, y: number] };

/** Height of a name, and its distance from an edge of the area. */
const [HEIGHT, GAP] = [14, 3];

/** Least distance of names beside each other, in CSS pixels. */
const APART = 8;

/** Most areas in view that are named. */
const MOST_NAMED = 200;

/**
 * Places names above their areas, or below or inside if something is in the way there. If there is no place for one, all are
 * short, and a name without any place is left out, as all are if there are too many areas in view to read them.
 *
 * @param size of the picture in CSS pixels
 * @param measure width of a text in CSS pixels
 */
export function placeNames(
  areas: readonly NamedArea[],
  { width, height }: { width: number; height: number },
  measure: (text: string) => number,
): PlacedName[] {
  const picture = { left: 0, top: 0, right: width, bottom: height };
  const seen = areas.filter(({ box }) => overlapsBox(box, picture));
  if (seen.length > MOST_NAMED) return [];
  const place = (key: "name" | "short") => {
    const taken: Box[] = [];
    return seen.flatMap(({ box, [key]: text }) => {
      const isFree = (place: Box) =>
        holdsBox(picture, place) && !taken.some((other) => overlapsBox(other, place)) &&
        !seen.some((other) =>
          other.box !== box && overlapsBox(other.box, place) && !holdsBox(other.box, box)
        );
      const found = listNamePlaces(box, measure(text), width).find(isFree);
      if (found === undefined) return [];
      taken.push({ ...found, left: found.left - APART, right: found.right + APART });
      return [{ text, at: [found.left, found.top + HEIGHT / 2] as const }];
    });
  };
  const placed = place("name");
  return placed.length === seen.length ? placed : place("short");
}

/** Above, below and, if the area is large enough, inside. */
function listNamePlaces({ left, top, right, bottom }: Box, wide: number, width: number): Box[] {
  const from = (x: number, y: number) => ({ left: x, top: y, right: x + wide, bottom: y + HEIGHT });
  const isLarge = right - left >= wide + 2 * GAP && bottom - top >= HEIGHT + 2 * GAP;
  // At the right edge of the picture, a name ends there.
  const start = Math.min(Math.max(0, left), width - wide);
  return [
    from(start, top - GAP - HEIGHT),
    from(start, bottom + GAP),
    ...isLarge ? [from(left + GAP, top + GAP)] : [],
  ];
}

const overlapsBox = (one: Box, other: Box) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

const holdsBox = (outer: Box, inner: Box) =>
  outer.left <= inner.left && inner.right <= outer.right && outer.top <= inner.top &&
  inner.bottom <= outer.bottom;
