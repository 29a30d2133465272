/**
 * The files of one FluoView acquisition, whose names end in `_C001Z001T001` for channel, slice and frame. A file that
 * is missing, damaged or of another layout causes a warning. The numbers in names are positions along the axes even if files are
 * missing.
 */
import { basename, dirname, join } from "node:path";
import { DecodeFailed, PlaneNotFound } from "../../errors.ts";
import { MAX_XML_BYTES } from "../../io/limits.ts";
import { MAX_LISTED, missingFiles, type Warning, warning } from "../../warning.ts";
import { OLYMPUS_ENDING } from "../marks.ts";
import { readPage } from "../page.ts";
import type { Opened, PlaneIndex, Stack } from "../stack.ts";
import { described, sameLayout } from "../stored_planes.ts";
import { TAG } from "../tags.ts";
import { readOther, recentBytes, RecentFiles, TiffFile } from "../tiff_file.ts";
import type { OlympusFields } from "./olympus_fields.ts";

/** Largest number of channels in a text; the instruments have at most six detectors. */
const MAX_CHANNELS = 99;

/** Memory per file: its path and numbers. */
const MEMBER_BYTES = 1024;

/** Channel, slice and frame in the name of a file; 1 by default. */
type Numbers = Readonly<Record<"C" | "Z" | "T", number>>;

interface Member {
  readonly path: string;
  readonly at: Numbers;
}

const keyOf = ({ C, Z, T }: Numbers) => `${C},${Z},${T}`;

/** The range of numbers along an axis with the given ones: from 1, or from 0 if a file has it. */
function numberRange(numbers: readonly number[]): { readonly first: number; readonly count: number } {
  const first = Math.min(1, ...numbers);
  return { first, count: Math.max(...numbers) - first + 1 };
}

/**
 * Joins the readable files of a set to one stack.
 *
 * @param prefix of the names, before the ending
 * @param fields of the text file, or `null`
 * @param openOne opens one file of the set by itself
 */
export function joinFiles(
  opened: Opened,
  prefix: string,
  fields: OlympusFields | null,
  openOne: (opened: Opened) => Stack,
): Stack {
  const own = openOne(opened);
  const found = membersOf(opened, prefix);
  const self = found.find(({ path }) => path === opened.path);
  if (self === undefined) return own;
  const along = (letter: keyof Numbers) =>
    [...new Set(found.map(({ at }) => at[letter]))].sort((a, b) => a - b);
  const numbers = { C: along("C"), Z: along("Z"), T: along("T") };
  const { members, reasons, fileSize, warnings } = judged(opened, own, found, self);
  const channels = numberRange([...numbers.C, Math.min(fields?.counts.C ?? 1, MAX_CHANNELS)]);
  // A single file along an axis holds the whole axis.
  const slices = numbers.Z.length > 1 ? numberRange(numbers.Z) : null;
  const times = numbers.T.length > 1 ? numberRange(numbers.T) : null;
  const numbersOf = ({ t, z, channel }: PlaneIndex): Numbers => ({
    C: channels.first + channel,
    Z: slices ? slices.first + z : numbers.Z[0]!,
    T: times ? times.first + t : numbers.T[0]!,
  });
  const stacks = new RecentFiles(opened.path, own, (path) => openMember(opened, path, openOne));
  return {
    ...own,
    sizes: { T: times?.count ?? own.sizes.T, C: channels.count, Z: slices?.count ?? own.sizes.Z },
    names: Array.from({ length: channels.count }, (_, i) => {
      const number = channels.first + i;
      return fields?.names[number - 1] ?? `CH${number}`;
    }),
    fileSize,
    files: () => [...members.values()],
    warnings: [...own.warnings, ...missing(self, found, numbers, fields), ...warnings],
    indexBytes: members.size * MEMBER_BYTES + recentBytes(members.size),
    holds: (index) => members.has(keyOf(numbersOf(index))),
    plane: (index) => {
      const wanted = numbersOf(index);
      const path = members.get(keyOf(wanted));
      if (path === undefined) {
        const what = `"${nameOf(self, wanted)}", which holds the plane, is`;
        const reason = reasons.get(keyOf(wanted));
        if (reason === undefined) throw new PlaneNotFound(`${what} missing`);
        throw new DecodeFailed(`${what} left out: ${reason}`);
      }
      return stacks.get(path).plane({ ...index, ...times && { t: 0 }, ...slices && { z: 0 }, channel: 0 });
    },
  };
}

/** The paths of the files of a set, by their numbers, and the reasons for leaving others out. */
function judged(opened: Opened, own: Stack, found: readonly Member[], self: Member) {
  const members = new Map([[keyOf(self.at), self.path]]);
  const reasons = new Map<string, string>();
  const warnings: Warning[] = [];
  let fileSize = own.fileSize;
  for (const { path, at } of found) {
    if (members.has(keyOf(at))) continue;
    const size = judge(opened, path, own);
    if (typeof size === "string") {
      reasons.set(keyOf(at), size);
      warnings.push(warning("file_unreadable", `"${basename(path)}" is left out: ${size}`));
    } else {
      members.set(keyOf(at), path);
      fileSize += size;
    }
  }
  return { members, reasons, fileSize, warnings };
}

function membersOf(opened: Opened, prefix: string): Member[] {
  const folder = dirname(opened.path);
  return opened.files.list(folder).flatMap((name) => {
    if (!name.startsWith(prefix + "_") || !/\.tiff?$/i.test(name)) return [];
    const parts = OLYMPUS_ENDING.exec(name.replace(/\.tiff?$/i, ""));
    if (parts?.index !== prefix.length) return [];
    const [C, Z, T] = [1, 2, 3].map((i) => Number(parts[i] ?? 1)) as [number, number, number];
    return [{ path: join(folder, name), at: { C, Z, T } }];
  });
}

/** Name of another file of the set, made from the name of this one. */
function nameOf({ path }: Member, numbers: Numbers): string {
  return basename(path).replace(
    /_C\d+(?:Z\d+)?(?:T\d+)?(?=\.[^.]*$)/i,
    (ending) =>
      ending.replace(
        /([CZT])(\d+)/gi,
        (_, letter: string, digits: string) =>
          letter + String(numbers[letter.toUpperCase() as keyof Numbers]).padStart(digits.length, "0"),
      ),
  );
}

/** Warns about missing files that the text or the other names imply. */
function missing(
  self: Member,
  found: readonly Member[],
  numbers: Readonly<Record<keyof Numbers, readonly number[]>>,
  fields: OlympusFields | null,
): Warning[] {
  const [Z, T] = [numbers.Z[0]!, numbers.T[0]!];
  const last = Math.min(Math.max(fields?.counts.C ?? 0, ...numbers.C), MAX_CHANNELS);
  const lost = Array.from({ length: last }, (_, i) => ({ C: i + 1, Z, T }))
    .filter(({ C }) => !numbers.C.includes(C));
  const present = new Set(found.map(({ at }) => keyOf(at)));
  const absent = numbers.T.flatMap((T) => numbers.Z.flatMap((Z) => numbers.C.map((C) => ({ C, Z, T }))))
    .filter((at) => !present.has(keyOf(at)));
  const names = [...lost, ...absent].slice(0, MAX_LISTED).map((at) => nameOf(self, at));
  const warnings = missingFiles(names, lost.length + absent.length);
  const compare = (what: string, declared: number, stored: number) => {
    if (stored < 2 || declared <= stored) return;
    const text = `The text file counts ${declared} ${what}, the set has files of ${stored}`;
    warnings.push(warning("metadata_disagree", text));
  };
  compare("slices", fields?.counts.Z ?? 1, numbers.Z.length);
  if (!fields?.lineScan) compare("frames", fields?.counts.T ?? 1, numbers.T.length);
  return warnings;
}

/** Size of a file of the set, or the reason for leaving it out. */
const judge = ({ files }: Opened, path: string, own: Stack): number | string =>
  readOther(files, path, (tiff) => {
    const page = readPage(tiff.first);
    return sameLayout(page, own.layout)
      ? tiff.file.size
      : `it is ${described(page)}, the opened file ${described(own.layout)}`;
  });

function openMember({ files }: Opened, path: string, openOne: (opened: Opened) => Stack): Stack {
  const tiff = new TiffFile(files.open(path), files);
  const { first } = tiff;
  const descriptions = first.texts(TAG.ImageDescription, MAX_XML_BYTES);
  return openOne({ path, files, tiff, first, descriptions, warnings: [] });
}
