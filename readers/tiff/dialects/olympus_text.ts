/**
 * TIFF exported by Olympus and Evident FluoView with a text file beside it: lines of `"key"\t"value"` under
 * `"[Section]"`. Channels, slices and frames of an acquisition may have their own files, whose names end in `_C001Z001T001`
 * (each part optional, channel first); they share one text file without that ending.
 */
import { basename, dirname, join } from "node:path";
import { calibrated, calibrationsOf } from "../../metadata/axes.ts";
import { Unreadable } from "../../errors.ts";
import { lineScanOf } from "../../metadata/line_scan.ts";
import { OLYMPUS_ENDING } from "../file_names.ts";
import { openFluoView } from "./fluoview.ts";
import { type OlympusFields, readFields, type Step } from "./olympus_fields.ts";
import { joinFiles } from "./olympus_set.ts";
import { openPlain } from "./plain.ts";
import { firstMoment } from "../../metadata/moment.ts";
import { warning } from "../../warning.ts";
import type { Opened } from "../opened.ts";
import type { Stack } from "../stack.ts";
import { decodeText } from "../text.ts";

/** Bytes of a text file; it has some kilobytes. */
const MAX_TEXT_BYTES = 4 << 20;

/** The stack of a TIFF with such a text file or such a name, or `null`. */
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

/** A stack that ImageJ saved again, as a text file beside it describes the image, where there is one. */
export function withOlympusText(opened: Opened, stack: Stack): Stack {
  const read = readIfReadable(opened);
  return read === null ? stack : described(opened, stack, read, false);
}

/** A stack as a text describes it; `isSet` where it is made of several files. @throws {Unreadable} */
function described(opened: Opened, stack: Stack, read: TextFile | Unreadable, isSet: boolean): Stack {
  if (read instanceof Unreadable) return withoutText(stack, read, isSet);
  const { fields } = read;
  const { layout } = stack;
  if (fields.imageSize && (fields.imageSize[0] !== layout.width || fields.imageSize[1] !== layout.height)) {
    const unused = warning(
      "metadata_disagree",
      `The text file beside it describes ${fields.imageSize.join(" x ")} pixels, not ${layout.width} x ` +
        `${layout.height}; it is not used`,
    );
    return { ...stack, warnings: [...stack.warnings, unused] };
  }
  const pages = !isSet && stack.sizes.T * stack.sizes.C === 1 && fields.depth <= 1 ? stack.sizes.Z : 1;
  const letter = pages === 1 ? null : pages === fields.channels ? "C" : pages === fields.frames ? "T" : null;
  const calibrations = { ...stack.calibrations, ...calibrationsFrom(fields, layout.height) };
  return {
    ...(letter ? pagesAs(letter, stack) : stack),
    calibrations,
    lineScan: fields.lineScan || stack.lineScan
      ? lineScanOf(
        calibrations.Y,
        fields.pixelTime && calibrated(...fields.pixelTime),
        fields.direction,
      )
      : null,
    names: isSet ? stack.names : fields.names,
    moment: firstMoment(fields.moment, stack.moment),
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

/** A stack whose text cannot be read. @throws {Unreadable} the text would say what its pages are */
function withoutText(stack: Stack, unreadable: Unreadable, isSet: boolean): Stack {
  const { T, C, Z } = stack.sizes;
  if (!isSet && T * C * Z > 1) throw unreadable;
  const lost = `Steps, names and the date are unknown: ${unreadable.message}`;
  return { ...stack, warnings: [...stack.warnings, warning("file_unreadable", lost)] };
}

/** Serves slices as the channels or frames that the text counts. */
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

/** The result of {@linkcode readText}, or why an existing text cannot be read. */
function readIfReadable(opened: Opened): TextFile | Unreadable | null {
  try {
    return readText(opened);
  } catch (error) {
    if (error instanceof Unreadable) return error;
    throw error;
  }
}

/** The text of a set, or of the file alone, that describes an image. @throws {Unreadable} */
function readText(opened: Opened): TextFile | null {
  const own = stemOf(opened.path);
  const ending = OLYMPUS_ENDING.exec(own);
  for (const stem of ending ? [own.slice(0, ending.index), own] : [own]) {
    for (const extension of [".txt", ".TXT"]) {
      const name = stem + extension;
      const file = opened.files.openNeighbour(join(dirname(opened.path), name));
      if (file === null) continue;
      try {
        if (file.size > MAX_TEXT_BYTES) continue;
        const text = textOf(file.read(0, file.size, "the text file"));
        const fields = readFields(text);
        if (fields) return { name, text, fields, size: file.size };
      } finally {
        file.close();
      }
    }
  }
  return null;
}

/** UTF-16 with a byte order mark, UTF-8 or Latin-1. */
function textOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return decodeText(bytes).replace(/^\uFEFF/, "");
}

function calibrationsFrom({ x, y, z, lineScan, duration, frames }: OlympusFields, rows: number) {
  const per = (count: number): Step => [(duration?.[0] ?? 0) / count, duration?.[1] ?? ""];
  const none: Step = [0, ""];
  return calibrationsOf({
    X: x ?? none,
    Y: lineScan ? per(rows) : y ?? none,
    Z: z ?? none,
    T: lineScan ? none : per(frames - 1),
  });
}
