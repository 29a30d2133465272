/**
 * An array of any number of axes in the pages of a file: which axis runs along pages, samples, rows and columns. If `Y` runs along
 * rows, `X` along columns and only `C` along samples, each page is a plane. Other arrays, such as `YXZ`, are {@linkcode rearrangeArray}.
 */
import { DecodeFailed, quoted } from "../errors.ts";
import { buildAxes } from "../metadata/axes.ts";
import { buildChannels } from "../metadata/channels.ts";
import {
  type Acquisition,
  type AxisLetter,
  FIRST_POSITION,
  largerMemory,
  NO_WORKING_MEMORY,
  type PlanePlan,
  type Position,
  type RowRange,
} from "../reader.ts";
import { MAX_CHANNELS, MAX_PLANE_SAMPLES } from "../io/limits.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { warnIf, type Warning } from "../warning.ts";
import type { PageLayout } from "./page.ts";
import type { ArrayAxis, AxisSource, PlaneIndex, Stack, StackSizes } from "./stack.ts";
import type { PlaneFinder } from "./stored_planes.ts";

/** The axes of an array, slowest first, and the written letter of the axis that is served as `Y`. */
export interface ArrayAxes {
  readonly axes: readonly ArrayAxis[];
  readonly rows: string;
  /** Written letters of axes with another meaning that are served as `Z`. */
  readonly assumed?: readonly string[];
}

/**
 * What each axis of an array with these lengths, slowest first, runs along; `null` if the lengths do not end in those of a page.
 * An axis of length 1 counts as one along pages.
 */
export function assignAxisSources(
  lengths: readonly number[],
  { samples, planar, width, height }: PageLayout,
): AxisSource[] | null {
  const [columns, rows, colours] = [["columns", width], ["rows", height], ["samples", samples]] as const;
  const inPage = (planar ? [columns, rows, colours] : [colours, columns, rows]).filter(([, size]) =>
    size > 1
  );
  const places = lengths.toReversed().map((length): AxisSource | null => {
    const next = length > 1 ? inPage.shift() : undefined;
    return next === undefined ? "pages" : next[1] === length ? next[0] : null;
  });
  return inPage.length > 0 || places.includes(null) ? null : (places as AxisSource[]).reverse();
}

const SERVED: ReadonlyMap<string, AxisLetter> = new Map(Object.entries(
  {
    T: "T",
    L: "L",
    C: "C",
    S: "C",
    Z: "Z",
    Y: "Y",
    X: "X",
  } as const,
));

/**
 * The axes of an array with written letters. Without `Y`, rows are the axis of a page other than `X`; samples along an unknown axis
 * are channels, pages along one are slices.
 *
 * @param letters one per axis, slowest first
 * @returns `null` if the lengths do not end in those of a page
 * @throws {DecodeFailed} there is not exactly one `X`, or more than one `Y`
 */
export function readArrayAxes(
  letters: readonly string[],
  lengths: readonly number[],
  layout: PageLayout,
): ArrayAxes | null {
  const [xs, ys] = ["X", "Y"].map((letter) => letters.filter((one) => one === letter).length);
  if (xs !== 1 || ys! > 1) {
    throw new DecodeFailed(`its axes "${letters.join(" ")}" do not have one X and one Y`);
  }
  const places = assignAxisSources(lengths, layout);
  if (places === null) return null;
  const other = (along: AxisSource) => places.findIndex((one, i) => one === along && letters[i] !== "X");
  const rowAxis = ys === 1 ? letters.indexOf("Y") : other("rows") < 0 ? other("columns") : other("rows");
  const axes = lengths.map((size, i): ArrayAxis => {
    const along = places[i]!;
    const letter = i === rowAxis ? "Y" : SERVED.get(letters[i]!) ?? (along === "samples" ? "C" : "Z");
    return { letter, size, along };
  });
  const assumed = letters.filter((letter, i) =>
    axes[i]!.letter === "Z" && lengths[i]! > 1 && !SLICES.includes(letter)
  );
  return { axes, rows: letters[rowAxis] ?? "Y", assumed };
}

/** Slices, and what tifffile calls images and unknown axes, which are pages without a meaning. */
const SLICES = ["Z", "I", "Q"];

/** Warns if planes along an axis with another meaning are read as slices. */
export const warnAboutSlices = ({ assumed = [] }: ArrayAxes): Warning[] =>
  warnIf(
    assumed.length > 0,
    "axes_assumed",
    `Planes along ${assumed.map(quoted).join(", ")} are read as slices`,
  );

/** Warns if rows run along an axis other than `Y` and time. */
export const warnAboutRowAxis = ({ rows }: ArrayAxes): Warning[] =>
  warnIf(rows !== "Y" && rows !== "T", "axis_replaced", `The image has no Y axis: rows run along ${rows}`);

/** Length of each served axis. */
export function computeLengths(axes: readonly ArrayAxis[]): Record<AxisLetter, number> {
  const lengths: Record<AxisLetter, number> = { T: 1, L: 1, C: 1, Z: 1, Y: 1, X: 1 };
  for (const { letter, size } of axes) lengths[letter] *= size;
  return lengths;
}

const PLANE_AXES: Readonly<Record<AxisSource, readonly AxisLetter[]>> = {
  pages: ["T", "L", "C", "Z"],
  samples: ["C"],
  rows: ["Y"],
  columns: ["X"],
};

/** Number of pages of an array. */
const countPages = (axes: readonly ArrayAxis[]) =>
  axes.reduce((product, { along, size }) => along === "pages" ? product * size : product, 1);

/** The planes of an array. @param page the pages by number */
export function locateArrayPlanes(
  axes: readonly ArrayAxis[],
  page: PlaneFinder,
): Pick<Stack, "sizes" | "plane" | "arrangement"> {
  if (!axes.every(({ letter, along, size }) => size === 1 || PLANE_AXES[along].includes(letter))) {
    return { sizes: { T: 1, C: 1, Z: countPages(axes) }, plane: ({ z }) => page(z), arrangement: axes };
  }
  const counted = axes.filter(({ along }) => along === "pages");
  const { T, L, C, Z } = computeLengths(counted);
  const sizes: StackSizes = { T, L, C, Z };
  const at = ({ t, z, l, channel }: PlaneIndex) => ({ T: t, L: l, C: channel, Z: z, Y: 0, X: 0 });
  return { sizes, plane: (index) => page(startOf(counted, at(index)).pages) };
}

/** Index in a page and number of that page. */
type ArrayPlace = Record<AxisSource, number>;

/** The place of an element of an array, by its indices along the served axes. */
function startOf(axes: readonly ArrayAxis[], at: Readonly<Record<AxisLetter, number>>): ArrayPlace {
  const rest = { ...at };
  const place: ArrayPlace = { pages: 0, samples: 0, rows: 0, columns: 0 };
  const strides: ArrayPlace = { pages: 1, samples: 1, rows: 1, columns: 1 };
  for (const { letter, size, along } of axes.toReversed()) {
    place[along] += rest[letter] % size * strides[along];
    rest[letter] = Math.floor(rest[letter] / size);
    strides[along] *= size;
  }
  return place;
}

/** How far, and along what, the next row or column of a plane lies. */
interface PixelStep {
  readonly along: AxisSource;
  readonly by: number;
  readonly count: number;
}

function findPixelStep(axes: readonly ArrayAxis[], letter: "Y" | "X"): PixelStep {
  const axis = axes.find((one) => one.letter === letter);
  if (axis === undefined) return { along: "rows", by: 0, count: 1 };
  const next = startOf(axes, { T: 0, L: 0, C: 0, Z: 0, Y: 0, X: 0, [letter]: axis.size > 1 ? 1 : 0 });
  return { along: axis.along, by: next[axis.along], count: axis.size };
}

/**
 * An array whose planes are not pages. Each plane is gathered from its pages, so that one of `YXZ` takes all pages.
 *
 * @param stored the acquisition whose slices are the pages and whose channels are their samples
 * @throws {DecodeFailed} too many channels, or too large a plane
 */
export function rearrangeArray(
  stored: Acquisition,
  axes: readonly ArrayAxis[],
  { calibrations, names }: Pick<Stack, "calibrations" | "names">,
  stop: StopFlag,
): Acquisition {
  const lengths = computeLengths(axes);
  if (lengths.C > MAX_CHANNELS) {
    throw new DecodeFailed(`the file has ${lengths.C} channels, more than ${MAX_CHANNELS}`);
  }
  if (lengths.Y * lengths.X > MAX_PLANE_SAMPLES) {
    throw new DecodeFailed(
      `its planes have ${lengths.X} x ${lengths.Y} pixels, more than ${MAX_PLANE_SAMPLES}`,
    );
  }
  const sampleType = stored.channels[0]!.sampleType;
  const { holds: _holds, ...rest } = stored;
  const areSamples = axes.every(({ letter, size, along }) =>
    letter !== "C" || size === 1 || along === "samples"
  );
  const named = areSamples && lengths.C > 1 ? stored.channels.map(({ name }) => name) : names;
  return {
    ...rest,
    axes: buildAxes(lengths, calibrations),
    channels: buildChannels(
      Array.from({ length: lengths.C }, (_, c) => ({ name: named[c] })),
      { sampleType, rows: lengths.Y, columns: lengths.X },
    ),
    plan: (channels, position, rows) => gatherPlanes({ stored, axes, stop }, channels, position, rows),
  };
}

interface StoredArray {
  readonly stored: Acquisition;
  readonly axes: readonly ArrayAxis[];
  readonly stop: StopFlag;
}

/** The rows or columns that each page has of a plane: one, or all. One by one, since a file may declare millions. */
function* listRanges({ along }: PixelStep, all: RowRange): Generator<RowRange> {
  if (along !== "pages") yield all;
  else for (let start = all.start; start < all.end; start += 1) yield { start, end: start + 1 };
}

/** Plans planes, and checks each of their pages. @throws {PlaneNotFound | DecodeFailed} a page is missing or incomplete */
async function gatherPlanes(
  array: StoredArray,
  channels: readonly number[],
  position: Position,
  wanted?: RowRange,
): Promise<PlanePlan> {
  const planes = new GatheredPlanes(array, channels, position, wanted);
  let working = NO_WORKING_MEMORY;
  for (const { page, targets } of planes.pages()) {
    working = largerMemory(working, (await planes.planPage(page, targets)).working ?? NO_WORKING_MEMORY);
  }
  return {
    rows: planes.rows,
    columns: planes.columns,
    filled: planes.filled,
    warnings: [],
    working: { ...working, bytes: working.bytes + 4 * planes.pageSamples * planes.mostSamples },
    overwrites: true,
    decode: (output) => planes.decode(output),
  };
}

/** The rows and columns that a page has of some planes. */
interface PagePart {
  readonly page: number;
  /** Indices of the planes. */
  readonly targets: readonly number[];
  readonly rows: RowRange;
  readonly columns: RowRange;
}

/** Planes whose elements lie in several stored pages. */
class GatheredPlanes {
  readonly filled: RowRange;
  /** Samples of a stored page of one channel. */
  readonly pageSamples: number;
  /** Most stored channels that are decoded at once. */
  readonly mostSamples: number;
  readonly #array: StoredArray;
  readonly #y: PixelStep;
  readonly #x: PixelStep;
  readonly #storedColumns: number;
  /** Where each plane begins. */
  readonly #starts: readonly ArrayPlace[];
  /** The planes that begin in each page. */
  readonly #planes: readonly (readonly [page: number, targets: readonly number[]])[];
  /** True if the pixels of a plane lie in several samples of pages. */
  readonly #isSpread: boolean;

  constructor(
    array: StoredArray,
    channels: readonly number[],
    { t, z, l }: Position,
    wanted: RowRange | undefined,
  ) {
    const { stored, axes } = array;
    this.#array = array;
    this.#y = findPixelStep(axes, "Y");
    this.#x = findPixelStep(axes, "X");
    this.filled = this.#y.along === "pages" && wanted ? wanted : { start: 0, end: this.#y.count };
    const sizes = new Map(stored.axes.map(({ name, size }) => [name, size]));
    this.#storedColumns = sizes.get("X") ?? 1;
    this.pageSamples = (sizes.get("Y") ?? 1) * this.#storedColumns;
    this.#starts = channels.map((channel) => startOf(axes, { T: t, L: l, C: channel, Z: z, Y: 0, X: 0 }));
    const groups = Map.groupBy(this.#starts.entries(), ([, { pages }]) => pages);
    this.#planes = [...groups].map(([page, entries]) => [page, entries.map(([target]) => target)]);
    this.#isSpread = this.#y.along === "samples" || this.#x.along === "samples";
    this.mostSamples = Math.max(0, ...this.#planes.map(([, targets]) => this.#samplesOf(targets).length));
  }

  get rows(): number {
    return this.#y.count;
  }

  get columns(): number {
    return this.#x.count;
  }

  /** All pages of the planes. */
  *pages(): Generator<PagePart> {
    const [y, x] = [this.#y, this.#x];
    for (const [first, targets] of this.#planes) {
      for (const rows of listRanges(y, this.filled)) {
        for (const columns of listRanges(x, { start: 0, end: x.count })) {
          this.#array.stop.check();
          const page = first + (y.along === "pages" ? rows.start * y.by : 0) +
            (x.along === "pages" ? columns.start * x.by : 0);
          yield { page, targets, rows, columns };
        }
      }
    }
  }

  planPage(page: number, targets: readonly number[]): Promise<PlanePlan> {
    return this.#array.stored.plan(this.#samplesOf(targets), { ...FIRST_POSITION, z: page });
  }

  /** Decodes one page after the other. */
  async decode(output: readonly Float32Array[]): Promise<void> {
    const room = Array.from({ length: this.mostSamples }, () => new Float32Array(this.pageSamples));
    for (const part of this.pages()) {
      const samples = this.#samplesOf(part.targets);
      const plan = await this.planPage(part.page, part.targets);
      if (!plan.overwrites) { for (const plane of room) plane.fill(0); }
      await plan.decode(room.slice(0, samples.length));
      for (const target of part.targets) this.#copyPart(part, target, output[target]!, room, samples);
    }
  }

  /** The stored channels in which planes lie. */
  #samplesOf(targets: readonly number[]): number[] {
    return this.#isSpread
      ? [...this.#array.stored.channels.keys()]
      : [...new Set(targets.map((target) => this.#starts[target]!.samples))];
  }

  /** Copies what decoded samples of a page have of a plane. */
  #copyPart(
    { rows, columns }: PagePart,
    target: number,
    output: Float32Array,
    room: readonly Float32Array[],
    samples: readonly number[],
  ): void {
    const start = this.#starts[target]!;
    const first = start.rows * this.#storedColumns + start.columns;
    const [down, across] = [this.#stepWithin(this.#y), this.#stepWithin(this.#x)];
    const [downSample, acrossSample] = [stepBetween(this.#y), stepBetween(this.#x)];
    const ownSample = samples.indexOf(start.samples);
    for (let row = rows.start; row < rows.end; row += 1) {
      this.#array.stop.check();
      const from = first + row * down;
      const to = (row - this.filled.start) * this.#x.count;
      for (let column = columns.start; column < columns.end; column += 1) {
        const sample = this.#isSpread ? start.samples + row * downSample + column * acrossSample : ownSample;
        output[to + column] = room[sample]![from + column * across]!;
      }
    }
  }

  /** From one row or column of a plane to the next: elements within a stored page. */
  #stepWithin({ along, by }: PixelStep): number {
    return along === "rows" ? by * this.#storedColumns : along === "columns" ? by : 0;
  }
}

/** From one row or column of a plane to the next: samples. */
const stepBetween = ({ along, by }: PixelStep): number => along === "samples" ? by : 0;
