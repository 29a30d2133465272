/**
 * What the user changes in results by hand: items left out, removed or added, and notes. An edit is kept by its place in
 * time and space, not by its rank in a list, so that it also holds after measuring again.
 */
import type { Band, Item, Measurement } from "./measurement.ts";
import type { Of, Result } from "./result.ts";
import type { ScanSamples } from "./line_scan.ts";

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
type PlacedItem = Item & { column?: number; duration?: number; width?: number };

/** Whether an edit concerns a result: items with columns are the same in every region. */
export const concernsResult = ({ of, column }: Edit, { band, channel }: Of): boolean =>
  of.channel === channel && (column !== undefined || of.band === band);

/** Part of an item's extent within which another result may place it. */
const NEAR = 0.25;

/**
 * Distance of an item from the place of an edit; more than 1 for another item. Measuring again moves an item by less than a
 * quarter of its extent; neighbours lie farther apart. A window has no extent and must lie within half of the step to the next.
 */
function measureDistance(
  { line, column }: Pick<Edit, "line" | "column">,
  item: PlacedItem,
  step: number,
): number {
  const { width = 0 } = item;
  const along = Math.abs(item.line - line) / computeReach(item, step);
  const across = column === undefined || item.column === undefined
    ? 0
    : Math.abs(item.column - column) / Math.max(1, NEAR * zeroUnlessFinite(width));
  return Math.max(along, across);
}

/** Lines by which another result may place an item elsewhere. */
const computeReach = ({ duration = 0 }: PlacedItem, step: number) =>
  Math.max(1, step / 2, NEAR * zeroUnlessFinite(duration));

const zeroUnlessFinite = (value: number) => Number.isFinite(value) ? value : 0;

/** Whether another item lies at the place of an item; items of traces have no column. */
export const isSameItemPlace = (item: Item): (other: Item) => boolean => {
  const { line, column } = item as PlacedItem;
  return (other) => measureDistance({ line, ...column !== undefined && { column } }, other, 0) <= 1;
};

/** Lines from one item to the next, if they lie at equal distances; else 0. */
const findItemStep = ({ overTime }: Measurement, [first, second]: readonly Item[]): number =>
  overTime === undefined || first === undefined || second === undefined ? 0 : second.line - first.line;

/** An item with the edit that concerns it. */
export type Noted = { item: Item; edit: Edit | undefined };

/** The part of a result that edits change. */
export type Editable = Pick<Result, "of" | "found" | "columns">;

/**
 * The items of a result and those that edits add, each with its edit. An edit concerns the nearest item; of several edits of
 * one item the nearest wins.
 */
function pairWithEdits(
  measurement: Measurement,
  { of, found, columns }: Editable,
  edits: readonly Edit[],
): Noted[] {
  const step = findItemStep(measurement, found);
  const items: Noted[] = found.map((item) => ({ item, edit: undefined }));
  const places = new PlacedItems(items, step);
  const added: Noted[] = [];
  for (const edit of edits.filter((edit) => concernsResult(edit, of))) {
    const nearest = places.nearest(edit);
    if (nearest !== undefined) {
      const isNearer = nearest.edit === undefined ||
        measureDistance(edit, nearest.item, step) <= measureDistance(nearest.edit, nearest.item, step);
      if (isNearer) nearest.edit = edit;
    } else if (
      edit.added !== undefined && (edit.column === undefined || isWithinColumns(edit.column, ...columns))
    ) {
      added.push({ item: { ...edit.added, isByHand: true }, edit });
    }
  }
  return [...items, ...added];
}

/** The items of a result that edits leave, and those that they add, in order of time. */
export function keepItems(
  measurement: Measurement,
  result: Editable,
  edits: readonly Edit[],
): { items: readonly Noted[]; isOther: boolean } {
  const all = pairWithEdits(measurement, result, edits);
  const left = all.filter(({ edit }) => edit?.isRemoved !== true);
  return {
    items: left.toSorted((a, b) => a.item.line - b.item.line),
    isOther: all.length > result.found.length || left.length < all.length,
  };
}

/** Candidates without those that lie at the place of an item. */
export function withoutItemsAt<Candidate extends Item>(
  candidates: readonly Candidate[],
  items: readonly Item[],
): Candidate[] {
  const places = new PlacedItems(items.map((item) => ({ item, edit: undefined })), 0);
  return candidates.filter((candidate) => {
    const { line, column } = candidate as PlacedItem;
    return places.nearest({ line, ...column !== undefined && { column } }) === undefined;
  });
}

/** Whether a place lies in columns, whose middles are integers. */
const isWithinColumns = (column: number, from: number, to: number): boolean =>
  Math.round(column) >= from && Math.round(column) < to;

/** Items by their lines: thousands of edits find theirs among thousands of items. */
class PlacedItems {
  readonly #step;
  /** In order of lines, those of one line as they were. */
  readonly #items;
  /** Most lines between an item and an edit of it. */
  readonly #reach;

  /** @param step lines from one item to the next; 0 if they have extents of their own */
  constructor(items: readonly Noted[], step: number) {
    this.#step = step;
    this.#items = items.filter(({ item }) => Number.isFinite(item.line))
      .sort((a, b) => a.item.line - b.item.line);
    this.#reach = this.#items.reduce((most, { item }) => Math.max(most, computeReach(item, step)), 0);
  }

  /** The item nearest to the place of an edit, if it is near enough to be the same; of several the last one. */
  nearest(edit: Pick<Edit, "line" | "column">): Noted | undefined {
    const items = this.#items;
    let [nearest, least]: [Noted | undefined, number] = [undefined, 1];
    for (let i = this.#findFirst(edit.line - this.#reach); i < items.length; i += 1) {
      const one = items[i]!;
      if (one.item.line > edit.line + this.#reach) break;
      const far = measureDistance(edit, one.item, this.#step);
      if (far <= least) [nearest, least] = [one, far];
    }
    return nearest;
  }

  /** Index of the first item at a line or after it. */
  #findFirst(line: number) {
    let [low, high] = [0, this.#items.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#items[middle]!.item.line < line) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * The items of a result after edits, in order of time.
 *
 * @param plane called only if items are measured again, since they depend on each other
 */
export function applyEdits(
  measurement: Measurement,
  result: Result,
  edits: readonly Edit[],
  plane: () => ScanSamples,
  band: Band,
): readonly Item[] {
  if (edits.length === 0) return result.found;
  const here = edits.filter(({ line, added }) => Math.max(line, added?.line ?? 0) < band.lines);
  const { items, isOther } = keepItems(measurement, result, here);
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
 * Edits with one more change of an item, which extends the item's own edit. An item that is added where one was removed takes
 * that one back.
 *
 * @param item of the result after these edits, or a new one
 */
export function withEdit(
  measurement: Measurement,
  edits: readonly Edit[],
  { result, place }: { result: Editable; place: string | null },
  item: Item,
  change: Partial<Pick<Edit, "isRemoved" | "isLeftOut" | "note" | "added">>,
): readonly Edit[] {
  const { line, column } = item as PlacedItem;
  const all = pairWithEdits(measurement, result, edits.filter((edit) => isHere(edit, place)));
  const own = all.find(({ item: other }) => other.line === line && (other as PlacedItem).column === column);
  const at = { of: result.of, place, line, ...column !== undefined && { column } };
  const removed = all.filter(({ edit }) => edit?.isRemoved === true);
  const step = findItemStep(measurement, result.found);
  const former = (own ?? new PlacedItems(removed, step).nearest(at))?.edit;
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

/** Edits with their places; an edit of documents has none and belongs to the picture that is shown first. */
export const selectPlacedEdits = (edits: readonly Edit[], shown: string): readonly Edit[] =>
  edits.map((edit) => edit.place === null ? { ...edit, place: shown } : edit);
