/** The piece of the document that one measurement has: its settings, results and edits. */
import { type Item, MOST_ITEMS, type Settings } from "../../../measure/measurement.ts";
import {
  atMost,
  isCount,
  isFinite,
  isFlag,
  isNumber,
  isObject,
  isPlain,
  isText,
  listOf,
  oneOf,
  orNone,
  pairOf,
  type Shape,
  valuesOf,
  withFields,
} from "../controls/shape.ts";
import { type Edit, isHere } from "../../../measure/edits.ts";
import type { Of, Result } from "../../../measure/result.ts";
import type { Naming, PieceKind } from "./piece.ts";

/** Settings, results and edits of one measurement. */
export interface KeptMeasurement {
  /** Id of the chosen band; empty for whole lines, `*` for all bands. */
  readonly band: string;
  /** Index of the channel; empty before one is shown. */
  readonly channel: string;
  /** Whether the channel is the first one that is shown: until it is chosen by hand, or measured. */
  readonly followsShown?: boolean;
  readonly settings: Settings;
  /** The last result of each region and channel. */
  readonly results: readonly Result[];
  readonly edits: readonly Edit[];
  /** Scene and position of the results; null for the shown position. */
  readonly place: string | null;
}

/** Nothing measured yet. */
const UNMEASURED: KeptMeasurement = {
  band: "",
  channel: "",
  followsShown: true,
  settings: {},
  results: [],
  edits: [],
  place: null,
};

/** Settings of traces. */
export const isTrace: Shape = withFields({
  isChange: isFlag,
  kind: oneOf("automatic", "percentile", "window", "moving", "exponential"),
  percentile: isFinite,
  from: isFinite,
  to: isFinite,
  offset: isFinite,
  average: isFinite,
  span: orNone(isFinite),
});

/** A value of a setting or in a row of results. */
export const isCell = (value: unknown): boolean => isPlain(value) || listOf(isPlain)(value);

const isSettings: Shape = (value) =>
  isObject(value) && valuesOf((one) => isCell(one) || valuesOf(isCell)(one))(value) &&
  orNone(isTrace)(value.trace);

const isBandAndChannel = withFields({ band: isText, channel: (value) => isText(value) || isCount(value) });

/** Facts about numbers. */
export const isAbout: Shape = listOf(pairOf((value) => isText(value) || isNumber(value)));

/** A result without its items, and with them where they are not in an analysis. */
const RESULT: Readonly<Record<string, Shape>> = {
  of: isBandAndChannel,
  columns: pairOf(isFinite),
  settings: isSettings,
  about: isAbout,
  found: orNone(listOf(valuesOf(isCell))),
  rejected: orNone(listOf(valuesOf(isCell))),
};

const isLine: Shape = (value) => isFinite(value) && value >= 0;

const isEdit = withFields({
  of: isBandAndChannel,
  line: isLine,
  column: orNone(isFinite),
  isRemoved: orNone(isFlag),
  isLeftOut: orNone(isFlag),
  note: orNone(isText),
  added: orNone((value) => valuesOf(isCell)(value) && isLine((value as Item).line)),
});

/** What is kept of one measurement. */
const isMeasurement = withFields({
  band: isText,
  channel: (value) => isText(value) || isCount(value),
  followsShown: orNone(isFlag),
  settings: orNone(isSettings),
  results: listOf(withFields(RESULT)),
  edits: atMost(MOST_ITEMS, listOf(isEdit)),
});

/** The piece of a measurement. @param key of the measurement */
export const makeMeasurementPiece = (key: string): PieceKind<KeptMeasurement> => ({
  path: ["measurements", key],
  initial: UNMEASURED,
  words: "measurements",
  restore: (stored) => isMeasurement(stored) ? stored as KeptMeasurement : null,
  named: nameMeasurement,
  // The items are in analyses. Edits of another time or focus stay in the browser: the documents state one position.
  toDocument: ({ place: here, results, edits, ...one }) => ({
    ...one,
    results: results.map(({ found: _, rejected: __, ...result }) => result),
    edits: edits.filter((edit) => isHere(edit, here)).map(({ place: _, ...edit }) => edit),
  }),
  withoutResults: (value) => ({ ...value, results: [], edits: [] }),
});

function nameMeasurement(value: KeptMeasurement, naming: Naming) {
  const placed = ({ band, channel }: Of) => ({ band: naming.band(band), channel: naming.channel(channel) });
  const { results, edits } = value;
  return {
    ...value,
    ...placed(value),
    results: results.map((result) => ({ ...result, of: placed(result.of) })),
    edits: edits.map((edit) => ({ ...edit, of: placed(edit.of) })),
  };
}
