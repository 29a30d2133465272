/**
 * ImageJ: ImageDescription has lines of `key=value`, of which the first is `ImageJ=` with a version. Planes run channel first, then
 * slice, then frame. A stack above 4 GB has one directory, and its planes follow the first one without gaps. XResolution holds
 * pixels per unit; the unit is in the text. The samples of RGB48 are the planes of a composite of 16 bits.
 *
 * Bio-Formats writes `ImageJ=` without a version, and counts samples as `channels` and in `images`. SCIFIO writes `SCIFIO=`, then
 * axes of its own (`scifio.ts`).
 *
 * Tag 50838 holds byte counts: of the header of tag 50839, then of each of its items. The header is `IJIJ` and pairs of a type
 * and its number of items, all LONG in the byte order of the file. The items follow: `labl` is a label in UTF-16, one per plane;
 * `luts` is a channel's lookup table, 256 bytes each of red, green and blue; `info` is a text in UTF-16.
 */
import { DecodeFailed, quoted } from "../../errors.ts";
import { selectCalibrations } from "../../metadata/axes.ts";
import { formatHexColor } from "../../metadata/channels.ts";
import { buildLineScan } from "../../metadata/line_scan.ts";
import { chooseMoment, findMoment } from "../../metadata/moment.ts";
import { StatedNumbers } from "../../metadata/stated_numbers.ts";
import { unescapeText } from "../../metadata/text.ts";
import { unlessLost, warnIf, type Warning, warning } from "../../warning.ts";
import { type ArrayAxes, locateArrayPlanes } from "../array_axes.ts";
import { cutAtNul, type Directory } from "../directory.ts";
import { isImageJText } from "../marks.ts";
import { type PageLayout, readPage } from "../page.ts";
import {
  type ArrayAxis,
  MAX_PLANES,
  type OpenedTiff,
  type Stack,
  type StackSizes,
  tagMoment,
} from "../stack.ts";
import { countDeclaredPlanes, countStoredPlanes, warnAboutChain } from "../stored_planes.ts";
import { MAX_VENDOR_BYTES, TAG, tagName } from "../tags.ts";
import type { TiffFile } from "../tiff_file.ts";
import { readResolution } from "./plain.ts";
import { type DescriptionLines, readScifioArray } from "./scifio.ts";

/** Longest description to read, in characters; ImageJ writes some twenty lines. */
const MAX_TEXT = 1 << 20;

function parseDescription(text: string): DescriptionLines {
  const fields = new Map<string, string>();
  for (const line of text.slice(0, MAX_TEXT).split(/[\r\n\0]+/)) {
    const at = line.indexOf("=");
    if (at > 0) fields.set(line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim());
  }
  return fields;
}

/** The stack of an ImageJ file. */
export function openImageJ({ tiff, first, descriptions }: OpenedTiff): Stack {
  const fields = parseDescription(descriptions.find(isImageJText)!);
  const layout = readPage(first);
  const lost: Warning[] = [];
  const items = unlessLost(lost, tagName(TAG.ImageJMetadata), () => readLabels(first, MAX_VENDOR_BYTES)) ??
    NO_ITEMS;
  if (items.isBlank) {
    const text = `${tagName(TAG.ImageJMetadata)} holds lookup tables of nothing but zeros`;
    lost.push(warning("metadata_damaged", text));
  }
  lost.push(
    ...warnIf(
      items.hasZeros,
      "metadata_damaged",
      `${tagName(TAG.ImageJMetadata)} holds labels with zeros in place of text`,
    ),
  );
  const array = fields.has("scifio") ? readScifioArray(fields, layout) : null;
  const calibrations = array?.calibrations ?? readImageJCalibrations(fields, first, lost);
  const { plane, warnings, ...planes } = array?.axes
    ? layOutArray(tiff, layout, array.axes)
    : arrangePlanes(tiff, layout, fields);
  const labels = findChannelLabels(items.labels, planes.sizes);
  return {
    ...planes,
    plane,
    layout,
    calibrations,
    names: labels.names,
    // A file displayed in grey also has lookup tables.
    colors: fields.get("mode") === "grayscale" ? [] : items.colors.slice(0, planes.sizes.C * layout.samples),
    documents: (list) =>
      list.add(`${tagName(TAG.ImageJMetadata)} info`, "text/plain", readLabels(first, list.left).info),
    moment: chooseMoment(tagMoment(first), findMoment(fields.get("date"))),
    fileSize: tiff.file.size,
    lineScan: array?.axes?.rows === "T" ? buildLineScan(calibrations.Y) : null,
    warnings: [...lost, ...array?.warnings ?? [], ...warnings, ...labels.warnings],
  };
}

function readImageJCalibrations(
  fields: DescriptionLines,
  first: Directory,
  warnings: Warning[],
): Stack["calibrations"] {
  const perUnit = (tag: number) => {
    // A resolution of 0 is an unset one.
    const resolution = first.noteNumber(tag) || null;
    return resolution === null ? null : 1 / resolution;
  };
  const numbers = new StatedNumbers("The description");
  const unit = unescapeText(fields.get("unit") ?? "");
  const calibrations = selectCalibrations({
    X: [perUnit(TAG.XResolution), unescapeText(fields.get("xunit") ?? unit)],
    Y: [perUnit(TAG.YResolution), unescapeText(fields.get("yunit") ?? unit)],
    Z: [numbers.leading("spacing", fields.get("spacing")), unescapeText(fields.get("zunit") ?? unit)],
    T: [numbers.leading("finterval", fields.get("finterval")), unescapeText(fields.get("tunit") ?? "s")],
  }, warnings);
  warnings.push(...numbers.warnings);
  // If the text has no unit, ImageJ uses that of the resolution tags.
  return fields.has("unit") ? calibrations : { ...readResolution(first), ...calibrations };
}

/** The planes of a stack, and warnings about them. */
type StackPlanes = Pick<Stack, "sizes" | "plane" | "arrangement" | "warnings">;

function layOutArray(tiff: TiffFile, layout: PageLayout, { axes }: Pick<ArrayAxes, "axes">): StackPlanes {
  const pages = axes.reduce((product, { along, size }) => along === "pages" ? product * size : product, 1);
  const { plane, warnings } = countDeclaredPlanes(tiff, layout, pages);
  return { ...locateArrayPlanes(axes, plane), warnings };
}

function arrangePlanes(tiff: TiffFile, layout: PageLayout, fields: DescriptionLines): StackPlanes {
  const warnings: Warning[] = [];
  const count = (key: string) => {
    const written = fields.get(key) ?? "1";
    if (/^\d+$/.test(written) && Number(written) >= 1 && Number(written) < MAX_PLANES) return Number(written);
    const text = `The description declares ${key}=${quoted(written)}, which is taken as 1`;
    warnings.push(warning("metadata_damaged", text));
    return 1;
  };
  const sizes = { T: count("frames"), Z: count("slices"), C: count("channels") };
  const images = count("images");
  const { samples, width, height } = layout;
  const planes = sizes.T * sizes.Z * sizes.C;
  // Slowest first; `samples` names the axis that runs along the samples of a pixel.
  const stacked = (lengths: typeof sizes, inPixel: "T" | "Z" | "C" = "C"): StackPlanes => {
    const axes: ArrayAxis[] = [
      ...(["T", "Z", "C"] as const).map((letter) => ({
        letter,
        size: lengths[letter],
        along: "pages" as const,
      })),
      { letter: "Y", size: height, along: "rows" },
      { letter: "X", size: width, along: "columns" },
      { letter: inPixel, size: samples, along: "samples" },
    ];
    const array = layOutArray(tiff, layout, { axes });
    return { ...array, warnings: [...warnings, ...array.warnings] };
  };
  if (images === 1 && planes === 1) {
    const present = tiff.countUpTo(MAX_PLANES);
    warnings.push(...warnAboutChain(tiff, present));
    return stacked({ T: 1, C: 1, Z: present });
  }
  // Whether a number of images counts the samples of each page.
  const countsSamples = (number: number) => {
    if (samples === 1 || number % samples !== 0) return false;
    // Other programs do so for a single page only, where pages may be missing just as well.
    return fields.get("imagej") === "" ||
      countStoredPlanes(tiff, layout, number) === number / samples && tiff.brokenTail === null;
  };
  const areCounted = planes === images || images === 1 && planes < MAX_PLANES;
  if (
    areCounted && sizes.C % samples === 0 && countsSamples(planes) ||
    images * samples === planes && sizes.C % samples === 0
  ) {
    return stacked({ ...sizes, C: sizes.C / samples });
  }
  if (areCounted && planes === samples && layout.bits[0] === 16 && countsSamples(planes)) {
    // RGB48 of three frames or slices.
    return stacked({ T: 1, Z: 1, C: 1 }, sizes.T > 1 ? "T" : "Z");
  }
  if (areCounted || images === planes * samples) return stacked(sizes);
  // `images` alone is a plain stack. Otherwise the first plane is certain, but not its position along the axes.
  const { T, C, Z } = sizes;
  const text = `The description counts ${images} images, but ${T} x ${C} x ${Z} frames, channels and slices`;
  if (planes > 1) warnings.push(warning("metadata_disagree", text));
  return stacked({ T: 1, C: 1, Z: countsSamples(images) ? images / samples : images });
}

/** `IJIJ`, `labl`, `luts` and `info` as numbers. */
const [MAGIC, LABEL, TABLE, INFO] = [0x494a494a, 0x6c61626c, 0x6c757473, 0x696e666f];

/** Largest number of items in a file; ImageJ itself keeps no more slices. */
const MAX_ITEMS = 1 << 20;

const NO_ITEMS = { labels: [], colors: [], info: null, isBlank: false, hasZeros: false };

/**
 * The items of tag 50839: the first line of each label, in plane order; `#rrggbb` of the last entry of each lookup table, `null`
 * for a table of another size; the text; whether a table is nothing but zeros; whether labels have zeros, with which some writers
 * end all of them.
 *
 * @throws {DecodeFailed} they have more than `most` bytes, lie outside the file, or do not fit their counts
 */
function readLabels(directory: Directory, most: number) {
  const counts = directory.numbers(TAG.ImageJByteCounts, MAX_ITEMS);
  const bytes = directory.bytes(TAG.ImageJMetadata, most);
  const headerBytes = counts[0] ?? 0;
  if (!bytes) return NO_ITEMS;
  if (headerBytes < 12 || headerBytes > bytes.length) {
    throw new DecodeFailed(`its header has ${headerBytes} of ${bytes.length} bytes`);
  }
  const little = directory.encoding.littleEndian;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getUint32(0, little) !== MAGIC) throw new DecodeFailed('it does not begin with "IJIJ"');
  const decoder = new TextDecoder(little ? "utf-16le" : "utf-16be");
  const labels: string[] = [];
  const colors: (string | null)[] = [];
  let info: string | null = null;
  let isBlank = false;
  const ends = new Set<number>();
  let at = headerBytes;
  let item = 1;
  for (let pair = 4; pair + 8 <= headerBytes; pair += 8) {
    const type = view.getUint32(pair, little);
    const last = item + view.getUint32(pair + 4, little);
    for (; item < last; item += 1) {
      const length = counts[item];
      if (length === undefined || at + length > bytes.length) {
        throw new DecodeFailed(`item ${item} ends after its ${bytes.length} bytes`);
      }
      const value = bytes.subarray(at, at + length);
      if (type === LABEL) {
        const label = decoder.decode(value);
        const end = label.indexOf("\0");
        // A zero inside counts as another number of zeros than any label ends with.
        ends.add(end < 0 ? 0 : /^\0+$/.test(label.slice(end)) ? label.length - end : Infinity);
        labels.push(cutAtNul(label).split("\n", 1).join().trim());
      } else if (type === TABLE) {
        const isEmpty = value.every((byte) => byte === 0);
        isBlank ||= isEmpty;
        colors.push(
          length === 768 && !isEmpty ? formatHexColor(value[255]!, value[511]!, value[767]!) : null,
        );
      } else if (type === INFO) info ??= decoder.decode(value);
      at += length;
    }
  }
  return { labels, colors, info, isBlank, hasZeros: ends.size > 1 || ends.has(Infinity) };
}

/** Indices before the name in a label by Bio-Formats: `c:1/2 z:1/3 - DAPI`. */
const LABEL_INDICES = /^(?:[a-z]+:\d+\/\d+[,;]?(?: +|$))+(?:- *)?/i;

/** Index and number of channels in such a label. */
const LABEL_CHANNEL = /^c:(\d+)\/(\d+)/i;

/** Names of the channels, if all planes of a channel have one label, and each channel another. */
function findChannelLabels(labels: readonly string[], { C }: StackSizes) {
  if (C < 2 || labels.length < C) return { names: [], warnings: [] };
  const all = labels.map((label) => label.replace(LABEL_INDICES, ""));
  const names = all.slice(0, C);
  const agree = all.every((name, i) => name !== "" && name === names[i % C]) && new Set(names).size === C;
  const misplaced = labels.findIndex((label, i) => {
    const [, channel, channels] = LABEL_CHANNEL.exec(label) ?? [];
    return Number(channels) === C && Number(channel) !== i % C + 1;
  });
  const text = `Plane ${misplaced} is of channel ${misplaced % C + 1}, but its label is ${
    quoted(labels[misplaced] ?? "")
  }`;
  return { names: agree ? names : [], warnings: warnIf(misplaced >= 0, "metadata_disagree", text) };
}
