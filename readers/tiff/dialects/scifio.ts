/**
 * SCIFIO (ImageJ2, pyimagej): lines like those of ImageJ, and lists of the axes in stored order, fastest first:
 *
 *   axes=X,Y,Channel,Z,Time    names of any kind; `Channel` may come first, for samples of a pixel
 *   lengths=64,48,2,5,10
 *   scales=0.2,0.2,1.0,1.5,2.0
 *   units=\u00B5m,\u00B5m,null,\u00B5m,sec
 *   images=100 channels=2 slices=5 frames=10    as ImageJ counts, 1 without such an axis
 *
 * SCIFIO writes resolution tags as if every scale were in micrometres, so they do not count.
 */
import { DecodeFailed, quoted } from "../../errors.ts";
import { selectCalibrations } from "../../metadata/axes.ts";
import { StatedNumbers } from "../../metadata/stated_numbers.ts";
import { numberOf, unescapeText } from "../../metadata/text.ts";
import { warnIf, type Warning, warning } from "../../warning.ts";
import { type ArrayAxes, readArrayAxes, warnAboutRowAxis } from "../array_axes.ts";
import type { PageLayout } from "../page.ts";
import { MAX_PLANES, type Stack } from "../stack.ts";

/** The lines of a description by their keys in lower case. */
export type DescriptionLines = ReadonlyMap<string, string>;

/** Largest number of axes in a description. */
const MAX_AXES = 32;

const LETTERS: ReadonlyMap<string, string> = new Map(Object.entries({
  X: "X",
  Y: "Y",
  Z: "Z",
  Channel: "C",
  Time: "T",
  Spectra: "L",
}));

/** The array that a description declares; `axes` is `null` if the lists are missing, damaged or do not fit the pages. */
export function readScifioArray(
  fields: DescriptionLines,
  layout: PageLayout,
): {
  readonly axes: ArrayAxes | null;
  readonly calibrations: Stack["calibrations"];
  readonly warnings: readonly Warning[];
} {
  const none = (warnings: readonly Warning[]) => ({ axes: null, calibrations: {}, warnings });
  const lists = readScifioLists(fields);
  const { names, written } = lists;
  if (!isScifioArray(lists, layout)) {
    return none(
      warnIf(names.length > 0, "metadata_damaged", `The description declares ${written}, which are not used`),
    );
  }
  const numbers = new StatedNumbers("The description");
  const stored = orderScifioAxes(lists, numbers, layout);
  let axes: ArrayAxes | null;
  try {
    axes = readArrayAxes(stored.map(({ letter }) => letter), stored.map(({ length }) => length), layout);
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
    return none([
      warning(
        "metadata_damaged",
        `The description declares ${written}, which are not used: ${error.message}`,
      ),
    ]);
  }
  if (axes === null) {
    const page = `${layout.width} x ${layout.height} x ${layout.samples}`;
    return none([
      warning("metadata_disagree", `The description declares ${written}, which do not fit pages of ${page}`),
    ]);
  }
  const other = stored.filter(({ letter, length }) =>
    !/^[XYZCTL]$/.test(letter) && length > 1 && letter !== axes.rows
  );
  const assumed = `Planes along ${other.map(({ name }) => quoted(name)).join(" and ")} are read as slices`;
  const doubts: Warning[] = [];
  // Slices of two axes have no one step.
  const calibrations = readScifioSteps(stored, axes.rows, other.length === 0, doubts);
  return {
    axes,
    calibrations,
    warnings: [
      ...numbers.warnings,
      ...doubts,
      ...warnIf(other.length > 0, "axes_assumed", assumed),
      ...warnAboutRowAxis(axes),
      ...warnAboutImageJCounts(fields, stored),
    ],
  };
}

/** The lists of a description, and axes and lengths in words. */
interface ScifioLists {
  readonly names: readonly string[];
  /** NaN for what is not a number. */
  readonly lengths: readonly number[];
  readonly scales: readonly string[];
  readonly units: readonly string[];
  readonly written: string;
}

/** An axis as it is stored. */
interface ScifioAxis {
  readonly name: string;
  readonly letter: string;
  readonly length: number;
  readonly scale: number | null;
  readonly unit: string;
}

function readScifioLists(fields: DescriptionLines): ScifioLists {
  const listed = (key: string) => fields.get(key)?.split(",").map((item) => item.trim()) ?? [];
  const names = listed("axes");
  const lengths = listed("lengths").map((length) => numberOf(length) ?? NaN);
  const written = `axes=${quoted(names.join(","))} and lengths=${quoted(lengths.join(","))}`;
  return { names, lengths, scales: listed("scales"), units: listed("units"), written };
}

/** Whether the lists declare an array of not too many planes. */
const isScifioArray = ({ names, lengths }: ScifioLists, { width, height }: PageLayout): boolean =>
  names.length > 0 && names.length <= MAX_AXES && names.length === lengths.length &&
  lengths.every((length) => Number.isSafeInteger(length) && length >= 1) &&
  lengths.reduce((product, length) => product * length, 1) / (width * height) < MAX_PLANES;

/** The axes in stored order, slowest first. */
function orderScifioAxes(
  { names, lengths, scales, units }: ScifioLists,
  numbers: StatedNumbers,
  layout: PageLayout,
): ScifioAxis[] {
  const stored = names.map((name, i) => ({
    name,
    letter: LETTERS.get(name) ?? name,
    length: lengths[i] ?? NaN,
    scale: numbers.step(`the scale of ${quoted(name)}`, scales[i]),
    unit: unescapeText(units[i] ?? ""),
  }));
  // Samples of a pixel come first, or after rows if each has strips of its own, wherever the list has them.
  const sample = layout.samples > 1
    ? stored.findIndex(({ letter, length }) => letter === "C" && length === layout.samples)
    : -1;
  if (sample >= 0) stored.splice(layout.planar ? 2 : 0, 0, ...stored.splice(sample, 1));
  return stored.reverse();
}

function readScifioSteps(
  stored: readonly ScifioAxis[],
  rows: ArrayAxes["rows"],
  hasSliceStep: boolean,
  doubts: Warning[],
): Stack["calibrations"] {
  const steps = stored.flatMap(({ letter, scale, unit }) => {
    const served = letter === rows ? "Y" : letter;
    return /^[XYTL]$/.test(served) || served === "Z" && hasSliceStep
      ? [[served, [scale, unit]] as const]
      : [];
  });
  return selectCalibrations(Object.fromEntries(steps), doubts);
}

/** Warns if the counts of ImageJ contradict the lists. */
function warnAboutImageJCounts(
  fields: DescriptionLines,
  stored: readonly { letter: string; length: number }[],
): Warning[] {
  const keys = { C: "channels", Z: "slices", T: "frames" };
  return Object.entries(keys).flatMap(([letter, key]) => {
    const length = stored.reduce(
      (product, axis) => axis.letter === letter ? product * axis.length : product,
      1,
    );
    const counted = fields.get(key);
    const text = `The description declares ${key}=${
      quoted(counted ?? "")
    }, but its lengths have ${length}, which count`;
    return warnIf(counted !== undefined && Number(counted) !== length, "metadata_disagree", text);
  });
}
