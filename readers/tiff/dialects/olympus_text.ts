/**
 * TIFF exported by Olympus and Evident FluoView with a text file beside it, which has lines of `"key"\t"value"` under
 * `"[Section]"`. Channels, slices and frames of an acquisition may be in files of their own, whose names end in `_C001Z001T001`
 * (each part optional, channel first). They share one text file, whose name lacks that ending.
 */
import { basename, dirname, join } from "node:path";
import { Unreadable } from "../../errors.ts";
import { calibrated, calibrationsOf } from "../../metadata/axes.ts";
import { lineScanOf } from "../../metadata/line_scan.ts";
import { firstMoment } from "../../metadata/moment.ts";
import { textFrom } from "../../metadata/text.ts";
import { warning } from "../../warning.ts";
import { OLYMPUS_ENDING } from "../marks.ts";
import type { Opened, Stack } from "../stack.ts";
import { openFluoView } from "./fluoview.ts";
import { type OlympusFields, readFields } from "./olympus_fields.ts";
import { joinFiles } from "./olympus_set.ts";
import { openPlain } from "./plain.ts";

/** Largest text file in bytes; usual ones have some kilobytes. */
const MAX_TEXT_BYTES = 4 << 20;

/** The stack of a TIFF with such a text file or such a name; else `null`. */
export function openOlympusText(opened: Opened): Stack | null {
  const openOne = (one: Opened) => openFluoView(one) ?? openPlain(one);
  const stem = stemOf(opened.path);
  const ending = OLYMPUS_ENDING.exec(stem);
  const read = readIfReadable(opened);
  if (read === null && !ending?.[3]) return null;
  const fields = read instanceof Unreadable ? null : read?.fields ?? null;
  const set = ending ? joinFiles(opened, stem.slice(0, ending.index), fields, openOne) : null;
  const alone = set === null || set.sizes.C * set.sizes.Z * set.sizes.T === 1 && set.warnings.length === 0;
  if (read === null && alone) return null;
  const stack = set ?? openOne(opened);
  return read === null ? stack : described(opened, stack, read, set !== null);
}

/** Adds the text file, if there is one, to a stack that ImageJ saved again: the text describes the image. */
export function withOlympusText(opened: Opened, stack: Stack): Stack {
  const read = readIfReadable(opened);
  return read === null ? stack : described(opened, stack, read, false);
}

/** A stack as described by a text; `isSet` if it consists of several files. @throws {Unreadable} */
function described(opened: Opened, stack: Stack, read: TextFile | Unreadable, isSet: boolean): Stack {
  if (read instanceof Unreadable) return withoutText(stack, read, isSet);
  const { layout, sizes } = stack;
  const { imageSize, counts, direction, pixelTime, lineScan, moment, names } = read.fields;
  if (imageSize && (imageSize[0] !== layout.width || imageSize[1] !== layout.height)) {
    const unused = warning(
      "metadata_disagree",
      `The text file beside it describes ${imageSize.join(" x ")} pixels, not ${layout.width} x ` +
        `${layout.height}; it is not used`,
    );
    return { ...stack, warnings: [...stack.warnings, unused] };
  }
  const pages = !isSet && sizes.T * sizes.C === 1 && counts.Z <= 1 ? sizes.Z : 1;
  const letter = pages === 1 ? null : pages === counts.C ? "C" : pages === counts.T ? "T" : null;
  const calibrations = { ...stack.calibrations, ...calibrationsFrom(read.fields, layout.height) };
  return {
    ...(letter ? pagesAs(letter, stack) : stack),
    calibrations,
    lineScan: lineScan || stack.lineScan
      ? lineScanOf(calibrations.Y, pixelTime && calibrated(...pixelTime), direction)
      : null,
    names: isSet ? stack.names : names,
    moment: firstMoment(moment, stack.moment),
    documents: (list) => {
      stack.documents?.(list);
      const again = readText(opened);
      list.add(again?.name ?? "", "text/plain", again?.text ?? null);
    },
    fileSize: stack.fileSize + read.size,
  };
}

/** The name of a file without its extension. */
const stemOf = (path: string) => basename(path).replace(/\.[^.]*$/, "");

/** A stack whose text cannot be read. @throws {Unreadable} only the text says what its pages are */
function withoutText(stack: Stack, unreadable: Unreadable, isSet: boolean): Stack {
  const { T, C, Z } = stack.sizes;
  if (!isSet && T * C * Z > 1) throw unreadable;
  const lost = `Steps, names and the date are unknown: ${unreadable.message}`;
  return { ...stack, warnings: [...stack.warnings, warning("file_unreadable", lost)] };
}

/** Turns slices into the channels or frames that the text counts. */
function pagesAs(letter: "C" | "T", stack: Stack): Stack {
  return {
    ...stack,
    sizes: { T: 1, C: 1, Z: 1, [letter]: stack.sizes.Z },
    plane: ({ t, l, channel }) => stack.plane({ t: 0, l, channel: 0, z: letter === "C" ? channel : t }),
  };
}

/** A text file beside the opened one. */
interface TextFile {
  readonly name: string;
  readonly text: string;
  readonly fields: OlympusFields;
  readonly size: number;
}

/** The result of {@linkcode readText}, or the error if an existing text cannot be read. */
function readIfReadable(opened: Opened): TextFile | Unreadable | null {
  try {
    return readText(opened);
  } catch (error) {
    if (error instanceof Unreadable) return error;
    throw error;
  }
}

/** The text of the set or of the file itself, if it describes an image. @throws {Unreadable} */
function readText(opened: Opened): TextFile | null {
  const own = stemOf(opened.path);
  const ending = OLYMPUS_ENDING.exec(own);
  const stems = ending ? [own.slice(0, ending.index), own] : [own];
  for (const name of stems.flatMap((stem) => [`${stem}.txt`, `${stem}.TXT`])) {
    const file = opened.files.openNeighbour(join(dirname(opened.path), name));
    if (file === null) continue;
    try {
      if (file.size > MAX_TEXT_BYTES) continue;
      const text = textFrom(file.read(0, file.size, "the text file"));
      const fields = readFields(text);
      if (fields) return { name, text, fields, size: file.size };
    } finally {
      file.close();
    }
  }
  return null;
}

function calibrationsFrom({ steps, lineScan, duration, counts }: OlympusFields, rows: number) {
  const per = (count: number) => [duration && duration[0] / count, duration?.[1]] as const;
  const none = [null, ""] as const;
  return calibrationsOf({
    X: steps.X ?? none,
    Y: lineScan ? per(rows) : steps.Y ?? none,
    Z: steps.Z ?? none,
    T: lineScan ? none : per(counts.T - 1),
  });
}
