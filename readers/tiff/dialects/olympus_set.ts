/**
 * The files of one acquisition of FluoView: names that end in `_C001Z001T001`, for channel, slice and frame. A file that
 * is missing, damaged or of another layout than the opened one is a warning; where it holds the first plane of a
 * channel that is not the opened file's, that channel is left out.
 */
import { basename, dirname, join } from "node:path";
import { DecodeFailed } from "../../errors.ts";
import { MAX_XML_BYTES } from "../../limits.ts";
import type { OlympusFields } from "./olympus_fields.ts";
import { readPage } from "../page.ts";
import { requireStored } from "../segment_table.ts";
import type { Opened } from "../opened.ts";
import { sameLayout } from "../stored_planes.ts";
import type { Stack } from "../stack.ts";
import { TAG } from "../tags.ts";
import { TiffFile } from "../tiff_file.ts";

/** Channel, slice and frame at the end of a name without its extension. */
export const ENDING = /_C(\d{3,4})(?:Z(\d{3,4}))?(?:T(\d{3,4}))?$/i;

/** Channels whose files are looked for when the text counts them; the instruments have at most six detectors. */
const MAX_CHANNELS = 99;

interface Member {
  readonly path: string;
  readonly channel: number;
  readonly focus: number;
  readonly time: number;
}

const keyOf = ({ channel, focus, time }: Omit<Member, "path">) => `${channel},${focus},${time}`;

/**
 * All files of the set that can be read, as one stack.
 *
 * @param prefix their name before the ending
 * @param fields of the text file, where there is one
 * @param openOne reads one file of the set by itself
 */
export function joinFiles(
  opened: Opened,
  prefix: string,
  fields: OlympusFields | null,
  openOne: (opened: Opened) => Stack,
): Stack {
  const own = openOne(opened);
  const found = membersOf(opened, prefix);
  const self = found.find(({ path }) => path === opened.path)!;
  const numbers = (pick: (member: Member) => number) => [...new Set(found.map(pick))].sort((a, b) => a - b);
  const slices = numbers((member) => member.focus);
  const times = numbers((member) => member.time);
  const named = numbers((member) => member.channel);
  const warnings = [...own.warnings, ...missing(found, named, slices, times, fields)];
  const members = new Map<string, Member>();
  const explained = new Set<number>();
  let fileSize = own.fileSize;
  for (const member of found) {
    if (member.path === opened.path || members.has(keyOf(member))) continue;
    const first = member.focus === slices[0] && member.time === times[0];
    const judged = judge(opened, member.path, own, first);
    if (typeof judged === "string") {
      warnings.push(`"${basename(member.path)}" is left out: ${judged}`);
      if (first) explained.add(member.channel);
    } else {
      members.set(keyOf(member), member);
      fileSize += judged;
    }
  }
  members.set(keyOf(self), self);
  const start = { focus: slices[0]!, time: times[0]! };
  const channels = named.filter((channel) =>
    channel === self.channel || members.has(keyOf({ channel, ...start }))
  );
  for (const channel of named) {
    if (!channels.includes(channel)) {
      warnings.push(`Channel ${channel} is left out: its first plane is missing`);
    }
  }
  const stacks = new Map<string, Stack>([[opened.path, own]]);
  return {
    ...own,
    sizes: {
      T: times.length > 1 ? times.length : own.sizes.T,
      C: channels.length,
      Z: slices.length > 1 ? slices.length : own.sizes.Z,
    },
    names: channels.map((channel) => fields ? fields.names[channel - 1] ?? null : `CH${channel}`),
    fileSize,
    warnings,
    plane: ({ t, z, l, channel }) => {
      const wanted = {
        channel: channels[channel]!,
        focus: (slices.length > 1 ? slices[z] : slices[0])!,
        time: (times.length > 1 ? times[t] : times[0])!,
      };
      const member = members.get(keyOf(wanted));
      if (!member) throw new DecodeFailed(`"${nameOf(self, wanted)}", which holds the plane, is missing`);
      const stack = stacks.get(member.path) ?? openMember(opened, member.path, openOne);
      stacks.set(member.path, stack);
      return stack.plane({
        t: times.length > 1 ? 0 : t,
        z: slices.length > 1 ? 0 : z,
        l,
        channel: 0,
      });
    },
  };
}

function membersOf(opened: Opened, prefix: string): Member[] {
  const folder = dirname(opened.path);
  const found: Member[] = [];
  for (const name of opened.files.list(folder)) {
    if (!name.startsWith(prefix + "_") || !/\.tiff?$/i.test(name)) continue;
    const parts = ENDING.exec(name.replace(/\.tiff?$/i, ""));
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

/** Name of a file of the set by the pattern of another. */
function nameOf({ path }: Member, numbers: Omit<Member, "path">): string {
  const padded = (digits: string, number: number) => String(number).padStart(digits.length, "0");
  return basename(path).replace(
    /_C(\d+)(?:(Z)(\d+))?(?:(T)(\d+))?(\.[^.]*)$/i,
    (_, c, zs, z, ts, t, extension) =>
      `_C${padded(c, numbers.channel)}${z ? zs + padded(z, numbers.focus) : ""}${
        t ? ts + padded(t, numbers.time) : ""
      }${extension}`,
  );
}

/** Warnings of the files that the text or the names of the others call for. */
function missing(
  found: readonly Member[],
  channels: readonly number[],
  slices: readonly number[],
  times: readonly number[],
  fields: OlympusFields | null,
): string[] {
  const warnings: string[] = [];
  const last = Math.min(Math.max(fields?.channels ?? 0, channels.at(-1)!), MAX_CHANNELS);
  const gone = Array.from({ length: last }, (_, i) => i + 1).filter((channel) => !channels.includes(channel));
  if (gone.length > 0) {
    const name = nameOf(found[0]!, { channel: gone[0]!, focus: slices[0]!, time: times[0]! });
    const more = gone.length > 1 ? `and those of ${gone.length - 1} more channels are` : "is";
    warnings.push(`The file of channel ${gone[0]}, "${name}", ${more} missing`);
  }
  const present = new Set(found.map(keyOf));
  const absent = channels.length * slices.length * times.length - present.size;
  // Among one combination more than there are files, one is missing.
  search: for (const time of absent > 0 ? times : []) {
    for (const focus of slices) {
      for (const channel of channels) {
        const numbers = { channel, focus, time };
        if (present.has(keyOf(numbers))) continue;
        const more = absent > 1 ? ` and ${absent - 1} more of this set are` : " is";
        warnings.push(`"${nameOf(found[0]!, numbers)}"${more} missing`);
        break search;
      }
    }
  }
  const count = (what: string, declared: number, there: number) => {
    if (there > 1 && declared > there) {
      warnings.push(`The text file counts ${declared} ${what}, the set has files of ${there}`);
    }
  };
  count("slices", fields?.depth ?? 1, slices.length);
  if (!fields?.lineScan) count("frames", fields?.frames ?? 1, times.length);
  return warnings;
}

/** Size of a file of the set, or why it cannot be part of it; it is closed again. */
function judge({ files }: Opened, path: string, own: Stack, first: boolean): number | string {
  const file = files.openNeighbour(path);
  if (file === null) return "it cannot be opened";
  try {
    const tiff = new TiffFile(file, files);
    const page = readPage(tiff.directory(0)!);
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
  const first = tiff.directory(0)!;
  const descriptions = first.wholeTexts(TAG.ImageDescription, MAX_XML_BYTES);
  return openOne({ path, files, tiff, first, descriptions, warnings: [] });
}
