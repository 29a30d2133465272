/**
 * The files of one acquisition of FluoView: names that end in `_C001Z001T001`, for channel, slice and frame. A file that
 * is missing, damaged or of another layout is a warning. The numbers in names are indices along the axes, whichever files exist.
 */
import { basename, dirname, join } from "node:path";
import { DecodeFailed, PlaneNotFound } from "../../errors.ts";
import { MAX_XML_BYTES } from "../../io/limits.ts";
import { MAX_LISTED, missingFiles, type Warning, warning } from "../../warning.ts";
import { OLYMPUS_ENDING } from "../file_names.ts";
import { readPage } from "../page.ts";
import { requireStored } from "../segment_table.ts";
import type { Opened } from "../opened.ts";
import { recentBytes, RecentFiles } from "../recent_files.ts";
import { sameLayout } from "../stored_planes.ts";
import type { PlaneIndex, Stack } from "../stack.ts";
import { TAG } from "../tags.ts";
import { TiffFile } from "../tiff_file.ts";
import type { OlympusFields } from "./olympus_fields.ts";

/** Channels that a text may count; the instruments have at most six detectors. */
const MAX_CHANNELS = 99;

/** Numbers in the name of a file, 1 by default. */
interface MemberNumbers {
  readonly channel: number;
  readonly focus: number;
  readonly time: number;
}

interface Member extends MemberNumbers {
  readonly path: string;
}

/** Memory of a file: its path and numbers. */
const MEMBER_BYTES = 1024;

const keyOf = ({ channel, focus, time }: MemberNumbers) => `${channel},${focus},${time}`;

/** The files of a set as a grid of channels, slices and frames. */
interface Grid {
  readonly found: readonly Member[];
  readonly self: Member;
  /** Numbers in names, ascending. */
  readonly channels: readonly number[];
  readonly slices: readonly number[];
  readonly times: readonly number[];
  /** Numbers of the first planes. */
  readonly start: Omit<MemberNumbers, "channel">;
}

function gridOf(found: readonly Member[], self: Member): Grid {
  const numbers = (pick: (member: Member) => number) => [...new Set(found.map(pick))].sort((a, b) => a - b);
  const slices = numbers((member) => member.focus);
  const times = numbers((member) => member.time);
  const start = { focus: slices[0] ?? self.focus, time: times[0] ?? self.time };
  return { found, self, channels: numbers((member) => member.channel), slices, times, start };
}

/** All numbers along an axis with these known ones: from 1, or from 0 where a file has it. */
function numberRange(numbers: readonly number[]): { readonly first: number; readonly count: number } {
  const first = Math.min(1, ...numbers);
  return { first, count: Math.max(...numbers) - first + 1 };
}

/**
 * The readable files of a set as one stack.
 *
 * @param prefix the name before the ending
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
  const grid = gridOf(found, self);
  const { members, reasons, fileSize, warnings } = judged(opened, own, grid);
  const channels = numberRange([...grid.channels, Math.min(fields?.channels ?? 1, MAX_CHANNELS)]);
  // A file that is alone along an axis holds all of it.
  const slices = grid.slices.length > 1 ? numberRange(grid.slices) : null;
  const times = grid.times.length > 1 ? numberRange(grid.times) : null;
  const numbersOf = ({ t, z, channel }: PlaneIndex): MemberNumbers => ({
    channel: channels.first + channel,
    focus: slices ? slices.first + z : grid.start.focus,
    time: times ? times.first + t : grid.start.time,
  });
  const stacks = new RecentFiles(opened.path, own, (path) => openMember(opened, path, openOne));
  return {
    ...own,
    sizes: {
      T: times?.count ?? own.sizes.T,
      C: channels.count,
      Z: slices?.count ?? own.sizes.Z,
    },
    names: Array.from({ length: channels.count }, (_, i) => {
      const number = channels.first + i;
      return fields?.names[number - 1] ?? `CH${number}`;
    }),
    fileSize,
    files: () => [...members.values()].map(({ path }) => path),
    warnings: [
      ...own.warnings,
      ...missing(grid, fields),
      ...warnings,
    ],
    indexBytes: members.size * MEMBER_BYTES + recentBytes(members.size),
    holds: (index) => members.has(keyOf(numbersOf(index))),
    plane: (index) => {
      const wanted = numbersOf(index);
      const member = members.get(keyOf(wanted));
      if (!member) {
        const what = `"${nameOf(self, wanted)}", which holds the plane, is`;
        const reason = reasons.get(keyOf(wanted));
        if (reason === undefined) throw new PlaneNotFound(`${what} missing`);
        throw new DecodeFailed(`${what} left out: ${reason}`);
      }
      const stack = stacks.get(member.path);
      return stack.plane({ ...index, ...times && { t: 0 }, ...slices && { z: 0 }, channel: 0 });
    },
  };
}

/** The files of a set by their numbers, and the reasons why others are left out. */
function judged(opened: Opened, own: Stack, { found, self, start }: Grid) {
  const members = new Map<string, Member>();
  const reasons = new Map<string, string>();
  const warnings: Warning[] = [];
  let fileSize = own.fileSize;
  for (const member of found) {
    if (member.path === opened.path || members.has(keyOf(member))) continue;
    const first = member.focus === start.focus && member.time === start.time;
    const size = judge(opened, member.path, own, first);
    if (typeof size === "string") {
      reasons.set(keyOf(member), size);
      warnings.push(warning("file_unreadable", `"${basename(member.path)}" is left out: ${size}`));
    } else {
      members.set(keyOf(member), member);
      fileSize += size;
    }
  }
  return { members: members.set(keyOf(self), self), reasons, fileSize, warnings };
}

function membersOf(opened: Opened, prefix: string): Member[] {
  const folder = dirname(opened.path);
  const found: Member[] = [];
  for (const name of opened.files.list(folder)) {
    if (!name.startsWith(prefix + "_") || !/\.tiff?$/i.test(name)) continue;
    const parts = OLYMPUS_ENDING.exec(name.replace(/\.tiff?$/i, ""));
    if (!parts || parts.index !== prefix.length) continue;
    const [, channel, focus, time] = parts;
    found.push({
      path: join(folder, name),
      channel: Number(channel),
      focus: Number(focus ?? 1),
      time: Number(time ?? 1),
    });
  }
  return found;
}

/** Name of a file of the set, after the pattern of another. */
function nameOf({ path }: Member, { channel, focus, time }: MemberNumbers): string {
  const numbers: Readonly<Record<string, number>> = { C: channel, Z: focus, T: time };
  const [, ending = ""] = /(_C\d+(?:Z\d+)?(?:T\d+)?\.[^.]*)$/i.exec(basename(path)) ?? [];
  const other = ending.replace(
    /([CZT])(\d+)/gi,
    (_, letter: string, digits: string) =>
      letter + String(numbers[letter.toUpperCase()]).padStart(digits.length, "0"),
  );
  return basename(path).slice(0, basename(path).length - ending.length) + other;
}

/** Warns about files that the text or the other names imply. */
function missing(
  { self, found, channels, slices, times, start }: Grid,
  fields: OlympusFields | null,
): Warning[] {
  const last = Math.min(Math.max(fields?.channels ?? 0, ...channels), MAX_CHANNELS);
  const lost = Array.from({ length: last }, (_, i) => i + 1).filter((channel) => !channels.includes(channel))
    .map((channel) => ({ channel, ...start }));
  const present = new Set(found.map(keyOf));
  const absent = times.flatMap((time) =>
    slices.flatMap((focus) => channels.map((channel) => ({ channel, focus, time })))
  ).filter((numbers) => !present.has(keyOf(numbers)));
  const names = [...lost, ...absent].slice(0, MAX_LISTED).map((numbers) => nameOf(self, numbers));
  const warnings = missingFiles(names, lost.length + absent.length);
  const compare = (what: string, declared: number, stored: number) => {
    if (stored < 2 || declared <= stored) return;
    const text = `The text file counts ${declared} ${what}, the set has files of ${stored}`;
    warnings.push(warning("metadata_disagree", text));
  };
  compare("slices", fields?.depth ?? 1, slices.length);
  if (!fields?.lineScan) compare("frames", fields?.frames ?? 1, times.length);
  return warnings;
}

/** Size of a file of the set, or why it is left out. */
function judge({ files }: Opened, path: string, own: Stack, first: boolean): number | string {
  const file = files.openNeighbour(path);
  if (file === null) return "it cannot be opened";
  try {
    const tiff = new TiffFile(file, files);
    const page = readPage(tiff.first);
    if (!sameLayout(page, own.layout)) {
      const [a, b] = [page, own.layout].map(({ width, height, samples, bits }) =>
        `${width} x ${height} x ${samples} of ${bits[0]} bits`
      );
      return `it is ${a}, the opened file ${b}`;
    }
    if (first) requireStored({ tiff, page, run: null });
    return file.size;
  } catch (error) {
    if (error instanceof DecodeFailed) return error.message;
    throw error;
  } finally {
    file.close();
  }
}

function openMember({ files }: Opened, path: string, openOne: (opened: Opened) => Stack): Stack {
  const tiff = new TiffFile(files.open(path), files);
  const { first } = tiff;
  const descriptions = first.texts(TAG.ImageDescription, MAX_XML_BYTES);
  return openOne({ path, files, tiff, first, descriptions, warnings: [] });
}
