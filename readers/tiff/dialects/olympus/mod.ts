/**
 * TIFF exported by Olympus and Evident FluoView with a text file beside it, which has lines of `"key"\t"value"` under
 * `"[Section]"`. Channels, slices and frames of an acquisition may be in files of their own, whose names end in `_C001Z001T001`
 * (each part optional, channel first). They share one text file, whose name lacks that ending.
 */
import { basename, dirname, join } from "node:path";
import { DecodeFailed, PlaneNotFound, Unreadable } from "../../../errors.ts";
import { MAX_XML_BYTES } from "../../../io/limits.ts";
import { findNamedFiles } from "../../../io/names.ts";
import { convertStep, selectCalibrations } from "../../../metadata/axes.ts";
import { buildLineScan } from "../../../metadata/line_scan.ts";
import { chooseMoment } from "../../../metadata/moment.ts";
import { warnAboutZeros } from "../../../metadata/lost_text.ts";
import { decodeAnyText } from "../../../metadata/text.ts";
import {
  addWarning,
  listed,
  MAX_LISTED,
  missingFiles,
  warnIf,
  type Warning,
  warning,
  type WarningCode,
} from "../../../warning.ts";
import { OLYMPUS_ENDING } from "../../marks.ts";
import { readPage } from "../../page.ts";
import type { OpenedTiff, PlaneIndex, Stack } from "../../stack.ts";
import { describeLayout, hasSameLayout } from "../../stored_planes.ts";
import { TAG } from "../../tags.ts";
import { readOther, RecentFiles } from "../../plane_files.ts";
import { TiffFile } from "../../tiff_file.ts";
import { openFluoView } from "../fluoview.ts";
import { isOfFluoView, type OlympusFields, readStatedFields } from "./fields.ts";
import { openPlain } from "../plain.ts";

/** Largest text file in bytes; usual ones have some kilobytes. */
const MAX_TEXT_BYTES = 4 << 20;

/** The stack of a TIFF with such a text file or such a name; else `null`. */
export function openOlympus(opened: OpenedTiff): Stack | null {
  const stem = dropExtension(opened.path);
  const ending = OLYMPUS_ENDING.exec(stem);
  const read = readIfReadable(opened);
  if (read === null && !ending?.[3]) return null;
  const fields = read instanceof Unreadable ? null : read?.fields ?? null;
  const set = ending ? joinFiles(opened, stem.slice(0, ending.index), fields) : null;
  const isAlone = set === null ||
    set.sizes.C * set.sizes.Z * set.sizes.T === 1 && set.warnings.length === 0;
  if (read === null && isAlone) return null;
  return withText(opened, set ?? openOne(opened), read, set !== null);
}

const openOne = (one: OpenedTiff): Stack => openFluoView(one) ?? openPlain(one);

/** Adds the text file, if there is one, to a stack that ImageJ saved again: the text describes the image. */
export const withOlympusText = (opened: OpenedTiff, stack: Stack): Stack =>
  withText(opened, stack, readIfReadable(opened), false);

/** A stack of one or (`isSet`) several files as a text describes it. @throws {Unreadable} only the text says what pages are */
function withText(
  opened: OpenedTiff,
  stack: Stack,
  read: TextFile | Unreadable | null,
  isSet: boolean,
): Stack {
  const { layout: { width, height }, sizes } = stack;
  const warned = (code: WarningCode, text: string) => ({
    ...stack,
    warnings: [...stack.warnings, warning(code, text)],
  });
  if (read === null) return stack;
  if (read instanceof Unreadable) {
    if (!isSet && sizes.T * sizes.C * sizes.Z > 1) throw read;
    return warned("file_unreadable", `Steps, names and the date are unknown: ${read.message}`);
  }
  const { imageSize, counts, direction, pixelTime, lineScan, moment, names, steps, duration } = read.fields;
  if (imageSize && (imageSize[0] !== width || imageSize[1] !== height)) {
    const text = `The text file beside it describes ${imageSize.join(" x ")} pixels`;
    return warned("metadata_disagree", `${text}, not ${width} x ${height}; it is not used`);
  }
  const per = (count: number) => [duration && duration[0] / count, duration?.[1]] as const;
  const none = [null, ""] as const;
  const doubts: Warning[] = [];
  const calibrations = {
    ...stack.calibrations,
    ...selectCalibrations({
      X: steps.X ?? none,
      Y: lineScan ? per(height) : steps.Y ?? none,
      Z: steps.Z ?? none,
      T: lineScan ? none : per(counts.T - 1),
    }, doubts),
  };
  // Pages are the channels or frames that the text counts.
  const isPaged = !isSet && stack.arrangement === undefined;
  const pages = isPaged && sizes.T * sizes.C === 1 && counts.Z <= 1 ? sizes.Z : 1;
  const letter = pages === 1 ? null : (["C", "T"] as const).find((letter) => counts[letter] === pages);
  return {
    ...stack,
    warnings: [...stack.warnings, ...read.fields.warnings, ...doubts],
    ...letter && {
      sizes: { T: 1, C: 1, Z: 1, [letter]: pages },
      plane: ({ t, l, channel }) => stack.plane({ t: 0, l, channel: 0, z: letter === "C" ? channel : t }),
    },
    calibrations,
    lineScan: lineScan || stack.lineScan
      ? buildLineScan(calibrations.Y, pixelTime && convertStep(...pixelTime), direction)
      : null,
    names: isSet ? stack.names : names,
    moment: chooseMoment(moment, stack.moment),
    documents: (list) => {
      stack.documents?.(list);
      const again = readOlympusText(opened);
      list.add(again?.name ?? "", "text/plain", again?.text ?? null);
    },
    fileSize: stack.fileSize + read.size,
  };
}

const dropExtension = (path: string) => basename(path).replace(/\.[^.]*$/, "");

type TextFile = Readonly<{ name: string; text: string; fields: OlympusFields; size: number }>;

function readIfReadable(opened: OpenedTiff): TextFile | Unreadable | null {
  try {
    return readOlympusText(opened);
  } catch (error) {
    if (error instanceof Unreadable) return error;
    throw error;
  }
}

/** The text of the set or of the file itself, if it describes an image. @throws {Unreadable} */
function readOlympusText(opened: OpenedTiff): TextFile | null {
  const own = dropExtension(opened.path);
  const stems = new Set([own.replace(OLYMPUS_ENDING, ""), own]);
  const named = findNamedFiles(opened.files, dirname(opened.path), [...stems].map((stem) => `${stem}.txt`));
  for (const stem of stems) {
    const path = named.get(`${stem}.txt`);
    using file = path === undefined ? null : opened.files.openNeighbour(path);
    if (path === undefined || file === null || file.size > MAX_TEXT_BYTES) continue;
    const text = decodeAnyText(file.read(0, file.size, "the text file"));
    const fields = readStatedFields(text);
    for (const doubt of warnAboutText(basename(path), text, fields)) addWarning(opened.warnings, doubt);
    if (fields) return { name: basename(path), text, fields, size: file.size };
  }
  return null;
}

/** Warns about a text that is empty, has zeros, is cut, or has the sections of FluoView without those of an image. */
function warnAboutText(name: string, text: string, fields: OlympusFields | null): Warning[] {
  const what = `The text file "${name}" beside it`;
  const lost = warnAboutZeros(what, text);
  const lack = fields ? fields.lack : isOfFluoView(text) ? "the size of the image" : null;
  return [
    ...lost,
    ...warnIf(text === "", "metadata_damaged", `${what} is empty`),
    ...warnIf(lost.length === 0 && lack !== null, "metadata_damaged", `${what} is cut: it lacks ${lack}`),
  ];
}

/** Largest number of channels in a text; the instruments have at most six detectors. */
const MAX_CHANNELS = 99;

/** Channel, slice and frame in the name of a file; 1 by default. */
type Numbers = Readonly<Record<"C" | "Z" | "T", number>>;

type OlympusFile = Readonly<{ path: string; at: Numbers }>;

const makeNumbersKey = ({ C, Z, T }: Numbers) => `${C},${Z},${T}`;

/** The range of numbers along an axis with the given ones: from 1, or from 0 if a file has it. */
function findNumberRange(numbers: readonly number[]) {
  const first = Math.min(1, ...numbers);
  return { first, count: Math.max(...numbers) - first + 1 };
}

/**
 * Joins the readable files of a set, whose names begin with `prefix`, to one stack. A file that is missing, damaged or of another
 * layout causes a warning. The numbers in names are positions along the axes even if files are missing.
 */
function joinFiles(opened: OpenedTiff, prefix: string, fields: OlympusFields | null): Stack {
  const own = openOne(opened);
  const found = listOlympusFiles(opened, prefix);
  const self = found.find(({ path }) => path === opened.path);
  if (self === undefined) return own;
  const along = (letter: keyof Numbers) =>
    [...new Set(found.map(({ at }) => at[letter]))].sort((a, b) => a - b);
  const numbers = { C: along("C"), Z: along("Z"), T: along("T") };
  const { members, reasons, fileSize, warnings } = checkFoundFiles(opened, own, found, self);
  const channels = findNumberRange([...numbers.C, Math.min(fields?.counts.C ?? 1, MAX_CHANNELS)]);
  // A single file along an axis holds the whole axis.
  const slices = numbers.Z.length > 1 ? findNumberRange(numbers.Z) : null;
  const times = numbers.T.length > 1 ? findNumberRange(numbers.T) : null;
  const numbersOf = ({ t, z, channel }: PlaneIndex): Numbers => ({
    C: channels.first + channel,
    Z: slices ? slices.first + z : numbers.Z[0]!,
    T: times ? times.first + t : numbers.T[0]!,
  });
  const stacks = new RecentFiles(opened.path, own, (path) => {
    const tiff = new TiffFile(opened.files.open(path), opened.files);
    const { first } = tiff;
    const descriptions = first.texts(TAG.ImageDescription, MAX_XML_BYTES);
    return openOne({ ...opened, path, tiff, first, descriptions, warnings: [] });
  });
  return {
    ...own,
    sizes: { T: times?.count ?? own.sizes.T, C: channels.count, Z: slices?.count ?? own.sizes.Z },
    names: Array.from({ length: channels.count }, (_, i) => {
      const number = channels.first + i;
      return fields?.names[number - 1] ?? `CH${number}`;
    }),
    fileSize,
    files: () => [...members.values()],
    warnings: [...own.warnings, ...warnAboutMissingFiles(self, found, numbers, fields), ...warnings],
    holds: (index) => members.has(makeNumbersKey(numbersOf(index))),
    plane: (index) => {
      const wanted = numbersOf(index);
      const path = members.get(makeNumbersKey(wanted));
      if (path === undefined) {
        const what = `"${makeOlympusName(self, wanted)}", which holds the plane, is`;
        const reason = reasons.get(makeNumbersKey(wanted));
        if (reason === undefined) throw new PlaneNotFound(`${what} missing`);
        throw new DecodeFailed(`${what} left out: ${reason}`);
      }
      return stacks.get(path).plane({ ...index, ...times && { t: 0 }, ...slices && { z: 0 }, channel: 0 });
    },
  };
}

function checkFoundFiles(
  { files }: OpenedTiff,
  { layout, fileSize }: Stack,
  found: readonly OlympusFile[],
  self: OlympusFile,
) {
  const members = new Map([[makeNumbersKey(self.at), self.path]]);
  const reasons = new Map<string, string>();
  const warnings: Warning[] = [];
  const repeated: string[] = [];
  for (const { path, at } of found) {
    if (members.has(makeNumbersKey(at))) {
      if (path !== self.path) repeated.push(`"${basename(path)}"`);
      continue;
    }
    const size = readOther(files, path, (tiff) => {
      const page = readPage(tiff.first);
      if (hasSameLayout(page, layout)) return tiff.file.size;
      return `it is ${describeLayout(page)}, the opened file ${describeLayout(layout)}`;
    });
    if (typeof size === "string") {
      reasons.set(makeNumbersKey(at), size);
      warnings.push(warning("file_unreadable", `"${basename(path)}" is left out: ${size}`));
    } else {
      members.set(makeNumbersKey(at), path);
      fileSize += size;
    }
  }
  const text = `Files of planes that others hold are left out: ${listed(repeated)}`;
  warnings.push(...warnIf(repeated.length > 0, "planes_repeated", text));
  return { members, reasons, fileSize, warnings };
}

function listOlympusFiles(opened: OpenedTiff, prefix: string): OlympusFile[] {
  const folder = dirname(opened.path);
  return opened.files.list(folder).flatMap((name) => {
    if (!name.startsWith(prefix + "_") || !/\.tiff?$/i.test(name)) return [];
    const parts = OLYMPUS_ENDING.exec(dropExtension(name));
    if (parts?.index !== prefix.length) return [];
    const [C, Z, T] = [1, 2, 3].map((i) => Number(parts[i] ?? 1)) as [number, number, number];
    return [{ path: join(folder, name), at: { C, Z, T } }];
  });
}

function makeOlympusName({ path }: OlympusFile, numbers: Numbers): string {
  return basename(path).replace(
    /([CZT])(\d+)(?=(?:[CZT]\d+)*\.[^.]*$)/gi,
    (_, letter: string, digits: string) =>
      letter + String(numbers[letter.toUpperCase() as keyof Numbers]).padStart(digits.length, "0"),
  );
}

function warnAboutMissingFiles(
  self: OlympusFile,
  found: readonly OlympusFile[],
  numbers: Readonly<Record<keyof Numbers, readonly number[]>>,
  fields: OlympusFields | null,
): Warning[] {
  const counts = fields?.counts ?? { C: 0, Z: 1, T: 1 };
  const last = Math.min(Math.max(counts.C, ...numbers.C), MAX_CHANNELS);
  const lost = Array.from({ length: last }, (_, i) => ({ C: i + 1, Z: numbers.Z[0]!, T: numbers.T[0]! }))
    .filter(({ C }) => !numbers.C.includes(C));
  const present = new Set(found.map(({ at }) => makeNumbersKey(at)));
  const absent = numbers.T.flatMap((T) => numbers.Z.flatMap((Z) => numbers.C.map((C) => ({ C, Z, T }))))
    .filter((at) => !present.has(makeNumbersKey(at)));
  const names = [...lost, ...absent].slice(0, MAX_LISTED).map((at) => makeOlympusName(self, at));
  const compare = (what: string, declared: number, stored: number) => {
    const text = `The text file counts ${declared} ${what}, the set has files of ${stored}`;
    return warnIf(stored > 1 && declared > stored, "metadata_disagree", text);
  };
  return [
    ...missingFiles(names, lost.length + absent.length),
    ...compare("slices", counts.Z, numbers.Z.length),
    // The frames of a line scan are its rows.
    ...fields?.lineScan ? [] : compare("frames", counts.T, numbers.T.length),
  ];
}
