/**
 * What the user changes in results by hand: items left out, removed or added, and notes. An edit is kept by its place in
 * time and space, not by its rank in a list, so that it also holds after measuring again.
 */
import type { Band, Item, Measurement } from "./measurement.ts";
import type { Of, Result } from "./result.ts";
import type { Plane } from "./velocity.ts";

/** A change of the item at a place. */
export interface Edit {
  /** Region and channel of the result that was edited. */
  of: Of;
  /** Scene and position of the edited picture; null for the shown one. */
  place: string | null;
  /** Line of the item. */
  line: number;
  /** Column of the item, if it has one; it then holds in all regions. */
  column?: number;
  isRemoved?: boolean;
  isLeftOut?: boolean;
  note?: string;
  /** Set if the user added the item. */
  added?: Item;
}

/** An item with the fields that tell its place; an extent is that at half maximum. */
type Placed = Item & { column?: number; duration?: number; width?: number };

/** Whether an edit concerns a result: items with columns are the same in every region. */
export const concerns = ({ of, column }: Edit, { band, channel }: Of): boolean =>
  of.channel === channel && (column !== undefined || of.band === band);

/**
 * Distance of an item from the place of an edit, in parts of the item's half extent; more than 1 for another item. An item without
 * an extent, such as a window, must lie within half of the step to its neighbours.
 */
function distance({ line, column }: Pick<Edit, "line" | "column">, item: Placed, step: number): number {
  const { duration = 0, width = 0 } = item;
  const along = Math.abs(item.line - line) / Math.max(1, step / 2, finite(duration) / 2);
  const across = column === undefined || item.column === undefined
    ? 0
    : Math.abs(item.column - column) / Math.max(1, finite(width) / 2);
  return Math.max(along, across);
}

const finite = (value: number) => Number.isFinite(value) ? value : 0;

/** Whether another item lies at the place of an item; those of traces have no column. */
export const isSamePlace = (item: Item): (other: Item) => boolean => {
  const { line, column } = item as Placed;
  return (other) => distance({ line, ...column !== undefined && { column } }, other, 0) <= 1;
};

/** Lines from one item to the next, if they lie at equal distances; else 0. */
const stepOf = ({ overTime }: Measurement, [first, second]: readonly Item[]): number =>
  overTime === undefined || first === undefined || second === undefined ? 0 : second.line - first.line;

/** An item with the edit that concerns it. */
export type Noted = { item: Item; edit: Edit | undefined };

/**
 * The items of a result that edits leave, and those that they add, in order of time. An edit concerns the nearest item; of
 * several edits of one item the nearest wins.
 */
export function keptItems(
  measurement: Measurement,
  { of, found, columns: [from, to] }: Pick<Result, "of" | "found" | "columns">,
  edits: readonly Edit[],
): { items: readonly Noted[]; isOther: boolean } {
  const step = stepOf(measurement, found);
  const items: Noted[] = found.map((item) => ({ item, edit: undefined }));
  const added: Noted[] = [];
  for (const edit of edits.filter((edit) => concerns(edit, of))) {
    const nearest = nearestTo(edit, items, ({ item }) => item, step);
    if (nearest !== undefined) {
      const isNearer = nearest.edit === undefined ||
        distance(edit, nearest.item, step) <= distance(nearest.edit, nearest.item, step);
      if (isNearer) nearest.edit = edit;
    } else if (
      edit.added !== undefined && (edit.column === undefined || isWithin(edit.column, from, to))
    ) {
      added.push({ item: { ...edit.added, isByHand: true }, edit });
    }
  }
  const all = [...items, ...added];
  const left = all.filter(({ edit }) => edit?.isRemoved !== true);
  return {
    items: left.toSorted((a, b) => a.item.line - b.item.line),
    isOther: added.length > 0 || left.length < all.length,
  };
}

/** Whether a place lies in columns, whose middles are integers. */
const isWithin = (column: number, from: number, to: number): boolean =>
  Math.round(column) >= from && Math.round(column) < to;

/** What lies nearest to the place of an edit, if it is near enough to be the same item. */
function nearestTo<One>(
  edit: Edit,
  all: readonly One[],
  itemOf: (one: One) => Item,
  step: number,
): One | undefined {
  let [nearest, least]: [One | undefined, number] = [undefined, 1];
  for (const one of all) {
    const far = distance(edit, itemOf(one), step);
    if (far <= least) [nearest, least] = [one, far];
  }
  return nearest;
}

/**
 * The items of a result after edits, in order of time.
 *
 * @param plane called only if items are measured again, since they depend on each other
 */
export function edited(
  measurement: Measurement,
  result: Result,
  edits: readonly Edit[],
  plane: () => Plane,
  band: Band,
): readonly Item[] {
  if (edits.length === 0) return result.found;
  const here = edits.filter(({ line, added }) => Math.max(line, added?.line ?? 0) < band.lines);
  const { items, isOther } = keptItems(measurement, result, here);
  const plain = items.map(({ item }) => item);
  const measured = isOther && measurement.again !== undefined
    ? measurement.again(plane(), band, plain)
    : plain;
  return measured.map((item, i) => {
    const { note, isLeftOut } = items[i]!.edit ?? {};
    return { ...item, ...note !== undefined && { note }, ...isLeftOut && { isLeftOut } };
  });
}

/**
 * Edits with one more change of an item; a change of the same place is extended.
 *
 * @param items those of the result, as they are shown
 */
export function withEdit(
  measurement: Measurement,
  edits: readonly Edit[],
  { of, place, items }: { of: Of; place: string | null; items: readonly Item[] },
  item: Item,
  change: Partial<Pick<Edit, "isRemoved" | "isLeftOut" | "note" | "added">>,
): readonly Edit[] {
  const step = stepOf(measurement, items);
  const { line, column } = item as Placed;
  const own = edits.filter((edit) => isHere(edit, place) && concerns(edit, of));
  const [former] = own.filter((edit) => distance(edit, item, step) <= 1)
    .toSorted((a, b) => distance(a, item, step) - distance(b, item, step));
  const at = { of, place, line, ...column !== undefined && { column } };
  const { isRemoved = false, isLeftOut = false, note = "", added, ...rest } = { ...former ?? at, ...change };
  const others = edits.filter((edit) => edit !== former);
  // An edit that was taken back leaves nothing.
  if (!isRemoved && !isLeftOut && note === "" && added === undefined) return others;
  return [...others, {
    ...rest,
    ...isRemoved && { isRemoved },
    ...isLeftOut && { isLeftOut },
    ...note !== "" && { note },
    ...added !== undefined && { added },
  }];
}

/** Whether an edit holds for the picture of a place. */
export const isHere = ({ place }: Pick<Edit, "place">, here: string | null): boolean =>
  place === null || here === null || place === here;

/** Edits whose places are known; those of documents are edits of the picture that is shown first. */
export const placedEdits = (edits: readonly Edit[], shown: string): readonly Edit[] =>
  edits.map((edit) => edit.place === null ? { ...edit, place: shown } : edit);

/** The edits that items of earlier versions hold, which kept notes and marks in the items themselves. */
export function editsIn(found: readonly Item[], of: Of, place: string | null): Edit[] {
  return found.filter(({ note = "", isLeftOut, isByHand }) => note !== "" || isLeftOut || isByHand)
    .map((item) => {
      const { line, column, note = "", isLeftOut, isByHand } = item as Placed;
      return {
        of,
        place,
        line,
        ...column !== undefined && { column },
        ...note !== "" && { note },
        ...isLeftOut && { isLeftOut },
        ...isByHand && { added: item },
      };
    });
}
