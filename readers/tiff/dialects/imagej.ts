/**
 * ImageJ: ImageDescription has lines of `key=value`, of which the first is `ImageJ=`. Planes run channel first, then slice, then
 * frame. A stack above 4 GB has one directory, and its planes follow the first one without gaps. XResolution holds pixels per
 * unit; the unit is in the text.
 *
 * Tag 50838 holds byte counts: of the header of tag 50839, then of each of its items. The header is `IJIJ` and pairs of a type
 * and its number of items, all LONG in the byte order of the file. The items follow: `labl` is a label in UTF-16, one per plane;
 * `luts` is a channel's lookup table, 256 bytes each of red, green and blue; `info` is a text in UTF-16.
 */
import { quoted, unlessDamaged } from "../../errors.ts";
import { calibrationsOf } from "../../metadata/axes.ts";
import { hexColor } from "../../metadata/channels.ts";
import { firstMoment, momentOf } from "../../metadata/moment.ts";
import { leadingNumber } from "../../metadata/text.ts";
import { type Warning, warning } from "../../warning.ts";
import type { Directory } from "../directory.ts";
import { IMAGEJ_MARK } from "../marks.ts";
import { type PageLayout, readPage } from "../page.ts";
import { MAX_PLANES, type Opened, type Stack, type StackSizes, tagMoment } from "../stack.ts";
import { declaredPlanes, endsEarly } from "../stored_planes.ts";
import { MAX_VENDOR_BYTES, TAG, tagName } from "../tags.ts";
import type { TiffFile } from "../tiff_file.ts";
import { resolutionCalibrations } from "./plain.ts";

/** Longest description to read, in characters; ImageJ writes some twenty lines. */
const MAX_TEXT = 1 << 20;

/** The stack of an ImageJ file. */
export function openImageJ({ tiff, first, descriptions }: Opened): Stack {
  const text = descriptions.find((description) => description.startsWith(IMAGEJ_MARK))!;
  const fields = new Map<string, string>();
  for (const line of text.slice(0, MAX_TEXT).split(/[\r\n\0]+/)) {
    const at = line.indexOf("=");
    if (at > 0) fields.set(line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim());
  }
  const layout = readPage(first);
  const items = unlessDamaged(() => itemsOf(first, MAX_VENDOR_BYTES), NO_ITEMS);
  const { sizes, plane, warnings } = planesOf(tiff, layout, fields);
  const perUnit = (tag: number) => 1 / (first.noteNumber(tag) ?? NaN);
  const unit = unescaped(fields.get("unit") ?? "");
  const spacing = leadingNumber(fields.get("spacing"));
  const calibrations = calibrationsOf({
    X: [perUnit(TAG.XResolution), unescaped(fields.get("xunit") ?? unit)],
    Y: [perUnit(TAG.YResolution), unescaped(fields.get("yunit") ?? unit)],
    // The sign gives the direction of the stage.
    Z: [spacing === null ? null : Math.abs(spacing), unescaped(fields.get("zunit") ?? unit)],
    T: [leadingNumber(fields.get("finterval")), unescaped(fields.get("tunit") ?? "s")],
  });
  return {
    sizes,
    layout,
    // If the text has no unit, ImageJ uses that of the resolution tags.
    calibrations: fields.has("unit") ? calibrations : { ...resolutionCalibrations(first), ...calibrations },
    names: channelLabels(items.labels, sizes),
    // A file displayed in grey also has lookup tables.
    colors: fields.get("mode") === "grayscale" ? [] : items.colors.slice(0, sizes.C),
    documents: (list) =>
      list.add(`${tagName(TAG.ImageJMetadata)} info`, "text/plain", itemsOf(first, list.left).info),
    moment: firstMoment(tagMoment(first), momentOf(fields.get("date"))),
    fileSize: tiff.file.size,
    warnings,
    plane: ({ t, z, channel }) => plane((t * sizes.Z + z) * sizes.C + channel),
  };
}

function planesOf(tiff: TiffFile, layout: PageLayout, fields: Map<string, string>) {
  const warnings: Warning[] = [];
  const count = (key: string) => {
    const written = fields.get(key) ?? "1";
    if (/^\d+$/.test(written) && Number(written) >= 1 && Number(written) < MAX_PLANES) return Number(written);
    const text = `The description declares ${key}=${quoted(written)}, which is taken as 1`;
    warnings.push(warning("metadata_damaged", text));
    return 1;
  };
  const [T, C, Z, images] = [count("frames"), count("channels"), count("slices"), count("images")];
  const product = T * C * Z;
  const stacked = (sizes: StackSizes) => {
    const stored = declaredPlanes(tiff, layout, sizes.T * sizes.C * sizes.Z);
    return { sizes, plane: stored.plane, warnings: [...warnings, ...stored.warnings] };
  };
  if (images === 1 && product === 1) {
    const present = tiff.countUpTo(MAX_PLANES);
    warnings.push(...endsEarly(tiff, present));
    return stacked({ T: 1, C: 1, Z: present });
  }
  // The samples of a pixel already are channels.
  if (layout.samples > 1 && layout.samples === C && images === T * Z) return stacked({ T, C: 1, Z });
  if (product === images || images === 1 && product < MAX_PLANES) return stacked({ T, C, Z });
  // `images` alone is a plain stack. Otherwise the first plane is certain, but not its position along the axes.
  const text = `The description counts ${images} images, but ${T} x ${C} x ${Z} frames, channels and slices`;
  if (product > 1) warnings.push(warning("metadata_disagree", text));
  return stacked({ T: 1, C: 1, Z: images });
}

/** Decodes `\u00B5`: ImageJ escapes characters beyond ASCII. */
const unescaped = (text: string) =>
  text.replace(/\\u([0-9a-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** `IJIJ`, `labl`, `luts` and `info` as numbers. */
const [MAGIC, LABEL, TABLE, INFO] = [0x494a494a, 0x6c61626c, 0x6c757473, 0x696e666f];

/** Largest number of items in a file; ImageJ itself keeps no more slices. */
const MAX_ITEMS = 1 << 20;

const NO_ITEMS = { labels: [], colors: [], info: null };

/**
 * The items of tag 50839: the first line of each label, in plane order; `#rrggbb` of the last entry of each lookup table, `null`
 * for a table of another size; the text. @throws {DecodeFailed} they have more than `most` bytes, or lie outside the file
 */
function itemsOf(directory: Directory, most: number) {
  const counts = directory.numbers(TAG.ImageJByteCounts, MAX_ITEMS);
  const bytes = directory.bytes(TAG.ImageJMetadata, most);
  const headerBytes = counts[0] ?? 0;
  if (!bytes || headerBytes < 12 || headerBytes > bytes.length) return NO_ITEMS;
  const little = directory.encoding.littleEndian;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getUint32(0, little) !== MAGIC) return NO_ITEMS;
  const decoder = new TextDecoder(little ? "utf-16le" : "utf-16be");
  const labels: string[] = [];
  const colors: (string | null)[] = [];
  let info: string | null = null;
  let at = headerBytes;
  let item = 1;
  for (let pair = 4; pair + 8 <= headerBytes; pair += 8) {
    const type = view.getUint32(pair, little);
    const last = item + view.getUint32(pair + 4, little);
    for (; item < last; item += 1) {
      const length = counts[item];
      if (length === undefined || at + length > bytes.length) return NO_ITEMS;
      const value = bytes.subarray(at, at + length);
      if (type === LABEL) labels.push(decoder.decode(value).split("\n", 1).join().trim());
      else if (type === TABLE) {
        colors.push(length === 768 ? hexColor(value[255]!, value[511]!, value[767]!) : null);
      } else if (type === INFO) info ??= decoder.decode(value);
      at += length;
    }
  }
  return { labels, colors, info };
}

function channelLabels(labels: readonly string[], { C }: StackSizes): string[] {
  if (C < 2 || labels.length < C) return [];
  const names = labels.slice(0, C);
  const agree = labels.every((label, i) => label !== "" && label === names[i % C]);
  return agree && new Set(names).size === C ? names : [];
}
