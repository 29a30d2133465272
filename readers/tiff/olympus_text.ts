/**
 * TIFF exported by Olympus and Evident FluoView with a text file beside it: lines of `"key"\t"value"` under
 * `"[Section]"`. The channels, slices and frames of one acquisition may be files of their own, whose names end in
 * `_C001Z001T001` (each part optional, channel first); they share one text file without that ending.
 */
import { basename, dirname, join } from "node:path";
import { calibrated, type Calibration } from "../axes.ts";
import { DecodeFailed } from "../errors.ts";
import type { AxisLetter } from "../reader.ts";
import { decodeText } from "./directory.ts";
import { MAX_XML_BYTES } from "../limits.ts";
import { type OlympusFields, readFields } from "./olympus_fields.ts";
import { firstMoment, known, type Opened, sameLayout, type Stack } from "./stack.ts";
import { TAG } from "./tags.ts";
import { TiffFile } from "./tiff_file.ts";

/** A text file is some kilobytes; one of more than this is something else. */
const MAX_TEXT_BYTES = 4 << 20;

const ENDING = /_C(\d{3,4})(?:Z(\d{3,4}))?(?:T(\d{3,4}))?$/i;

/**
 * The stack of a TIFF with such a text file or such a name, or `null`.
 *
 * @param openOne reads one file of the set by itself
 */
export function openOlympusText(opened: Opened, openOne: (opened: Opened) => Stack): Stack | null {
  const name = basename(opened.path);
  const extension = /\.[^.]*$/.exec(name)?.[0] ?? "";
  const stem = name.slice(0, name.length - extension.length);
  const ending = ENDING.exec(stem);
  const text = readText(opened, ending ? [stem.slice(0, ending.index), stem] : [stem]);
  if (text === null && !(ending && ending[3])) return null;
  const fields = text?.fields ?? null;
  const set = ending ? joinFiles(opened, stem.slice(0, ending.index), fields, openOne) : null;
  if (text === null && (set === null || set.sizes.C * set.sizes.Z * set.sizes.T === 1)) return null;
  const stack = set ?? openOne(opened);
  if (fields === null) return stack;
  const { layout } = stack;
  if (fields.imageSize && (fields.imageSize[0] !== layout.width || fields.imageSize[1] !== layout.height)) {
    const warning =
      `The text file beside it describes ${fields.imageSize.join(" x ")} pixels, not ${layout.width} x ` +
      `${layout.height}; it is not used`;
    return { ...stack, warnings: [...stack.warnings, warning] };
  }
  const pages = !set && stack.sizes.T * stack.sizes.C === 1 && fields.depth <= 1 ? stack.sizes.Z : 1;
  const letter = pages === 1 ? null : pages === fields.channels ? "C" : pages === fields.frames ? "T" : null;
  return {
    ...(letter ? pagesAs(letter, stack) : stack),
    calibrations: { ...stack.calibrations, ...calibrationsFrom(fields, layout.height) },
    names: set ? set.names : fields.names,
    moment: firstMoment(fields.moment, stack.moment),
    fileSize: stack.fileSize + text!.size,
  };
}

/** Pages that were taken for slices are the channels or the frames that the text counts. */
function pagesAs(letter: "C" | "T", stack: Stack): Stack {
  return {
    ...stack,
    sizes: { T: 1, C: 1, Z: 1, [letter]: stack.sizes.Z },
    plane: ({ time, channel }) =>
      stack.plane({ time: 0, channel: 0, focus: letter === "C" ? channel : time }),
  };
}

function readText(opened: Opened, stems: readonly string[]): { fields: OlympusFields; size: number } | null {
  for (const stem of stems) {
    for (const extension of [".txt", ".TXT"]) {
      const file = opened.files.openNeighbour(join(dirname(opened.path), stem + extension));
      if (file === null) continue;
      try {
        if (file.size > MAX_TEXT_BYTES) continue;
        const fields = readFields(textOf(file.read(0, file.size, "the text file")));
        if (fields) return { fields, size: file.size };
      } finally {
        file.close();
      }
    }
  }
  return null;
}

/** UTF-16 with its mark, UTF-8 or Latin-1. */
function textOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return decodeText(bytes).replace(/^\uFEFF/, "");
}

function calibrationsFrom(fields: OlympusFields, rows: number): Partial<Record<AxisLetter, Calibration>> {
  const result: Partial<Record<AxisLetter, Calibration>> = {};
  const put = (letter: AxisLetter, step: number | null, unit: string) => {
    const calibration = known(calibrated(step, unit));
    if (calibration) result[letter] = calibration;
  };
  put("X", fields.x?.step ?? null, fields.x?.unit ?? "");
  if (fields.lineScan) put("Y", fields.duration && fields.duration.value / rows, fields.duration?.unit ?? "");
  else put("Y", fields.y?.step ?? null, fields.y?.unit ?? "");
  put("Z", fields.z?.step ?? null, fields.z?.unit ?? "");
  if (!fields.lineScan) {
    put("T", fields.duration && fields.duration.value / (fields.frames - 1), fields.duration?.unit ?? "");
  }
  return result;
}

interface Member {
  readonly path: string;
  readonly channel: number;
  readonly focus: number;
  readonly time: number;
}

/** All files of the set that are there, as one stack. */
function joinFiles(
  opened: Opened,
  prefix: string,
  fields: OlympusFields | null,
  openOne: (opened: Opened) => Stack,
): Stack {
  const own = openOne(opened);
  const folder = dirname(opened.path);
  const members = membersOf(opened, prefix);
  const numbers = (pick: (member: Member) => number) => [...new Set(members.map(pick))].sort((a, b) => a - b);
  const channels = numbers((member) => member.channel);
  const slices = numbers((member) => member.focus);
  const times = numbers((member) => member.time);
  const stacks = new Map<string, Stack>([[opened.path, own]]);
  let fileSize = own.fileSize;
  for (const { path } of members) if (path !== opened.path) fileSize += sizeOf(opened, path);
  const warnings = [...own.warnings];
  const declared = Math.max(fields?.channels ?? 0, channels.at(-1) ?? 0);
  for (let channel = 1; channel <= Math.min(declared, 99); channel += 1) {
    if (channels.includes(channel)) continue;
    const name = basename(members[0]!.path).replace(/_C\d+/i, `_C${String(channel).padStart(3, "0")}`);
    warnings.push(`The file of channel ${channel}, "${name}", is missing`);
  }
  const named = fields && channels.map((channel) => fields.names[channel - 1] ?? null);
  return {
    ...own,
    sizes: {
      T: times.length > 1 ? times.length : own.sizes.T,
      C: channels.length,
      Z: slices.length > 1 ? slices.length : own.sizes.Z,
    },
    names: named ?? channels.map((channel) => `CH${channel}`),
    fileSize,
    warnings,
    plane: ({ time, channel, focus }) => {
      const wanted = members.find((member) =>
        member.channel === channels[channel] &&
        member.focus === (slices.length > 1 ? slices[focus] : slices[0]) &&
        member.time === (times.length > 1 ? times[time] : times[0])
      );
      if (!wanted) {
        throw new DecodeFailed(
          `no file in "${folder}" holds channel ${channels[channel]} of time ${time}, focus ${focus}`,
        );
      }
      const stack = stacks.get(wanted.path) ?? openMember(opened, wanted.path, openOne);
      stacks.set(wanted.path, stack);
      if (!sameLayout(stack.layout, own.layout)) {
        throw new DecodeFailed(
          `"${
            basename(wanted.path)
          }" is ${stack.layout.width} x ${stack.layout.height} pixels, unlike the opened file`,
        );
      }
      return stack.plane({
        time: times.length > 1 ? 0 : time,
        channel: 0,
        focus: slices.length > 1 ? 0 : focus,
      });
    },
  };
}

function membersOf(opened: Opened, prefix: string): Member[] {
  const folder = dirname(opened.path);
  const found: Member[] = [];
  for (const name of opened.files.list(folder)) {
    if (!name.startsWith(prefix + "_C") || !/\.tiff?$/i.test(name)) continue;
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

function sizeOf({ files }: Opened, path: string): number {
  const file = files.openNeighbour(path);
  file?.close();
  return file?.size ?? 0;
}

function openMember({ files }: Opened, path: string, openOne: (opened: Opened) => Stack): Stack {
  const tiff = new TiffFile(files.open(path), files);
  const first = tiff.directory(0)!;
  return openOne({
    path,
    files,
    tiff,
    first,
    descriptions: first.texts(TAG.ImageDescription, MAX_XML_BYTES),
  });
}
