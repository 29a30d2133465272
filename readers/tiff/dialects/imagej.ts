/**
 * ImageJ: ImageDescription is lines of `key=value` that begin with `ImageJ=`. Planes run channel first, then
 * slice, then frame. A stack may have one directory for all its planes, which then follow the first without gaps
 * (how ImageJ writes stacks over 4 GB). Pixels per unit are in XResolution, the unit in the text. What is declared but
 * not there is a warning; counts that contradict each other leave the pages as slices, since the first is certain.
 */
import { DecodeFailed, quoted } from "../../errors.ts";
import { MAX_PLANES } from "../bounds.ts";
import { channelLabels, readInfo, readItems } from "./imagej_items.ts";
import { type PageLayout, readPage } from "../page.ts";
import { resolutionCalibrations } from "./plain.ts";
import { calibrationsOf } from "../../metadata/axes.ts";
import { countWarnings, isRun, stackedPlanes } from "../stored_planes.ts";
import { firstMoment, momentOf } from "../../metadata/moment.ts";
import { leadingNumber } from "../../metadata/numbers.ts";
import { type Warning, warning } from "../../warning.ts";
import { type Opened, tagMoment } from "../opened.ts";
import type { Stack, StackSizes } from "../stack.ts";
import { TAG, tagName } from "../tags.ts";
import type { TiffFile } from "../tiff_file.ts";

const MARK = "ImageJ=";

/** Characters of a description; ImageJ writes some twenty lines. */
const MAX_TEXT = 1 << 20;

/** True for the lines of ImageJ under a damaged first one. */
function isUnmarked(text: string): boolean {
  const start = `\n${text.slice(0, 4096)}`;
  return /[\r\n]images=\d+[\r\n]/.test(start) &&
    /[\r\n](?:channels|slices|frames|hyperstack)=\w+/.test(start);
}

/** The stack of an ImageJ file, or `null`. @throws {DecodeFailed} its description is over a bound */
export function openImageJ({ tiff, first, descriptions }: Opened): Stack | null {
  const text = descriptions.find((description) => description.startsWith(MARK)) ??
    descriptions.find(isUnmarked);
  if (text === undefined) return null;
  if (text.length > MAX_TEXT) {
    throw new DecodeFailed(`the description of ImageJ has ${text.length} characters, more than ${MAX_TEXT}`);
  }
  const fields = fieldsOf(text);
  const layout = readPage(first);
  const items = readItems(first);
  const { sizes, run, warnings } = planesOf(tiff, layout, fields);
  const stored = stackedPlanes(tiff, layout, run);
  if (!text.startsWith(MARK)) {
    warnings.push(
      warning(
        "metadata_damaged",
        `The description has the lines of ImageJ but does not begin with "${MARK}"; it is read as such`,
      ),
    );
  }
  const perUnit = (tag: number) => {
    const resolution = first.noteNumber(tag);
    return resolution === undefined ? null : 1 / resolution;
  };
  const unit = unescaped(fields.get("unit") ?? "");
  const spacing = leadingNumber(fields.get("spacing"));
  const calibrations = calibrationsOf({
    X: [perUnit(TAG.XResolution), unescaped(fields.get("xunit") ?? unit)],
    Y: [perUnit(TAG.YResolution), unescaped(fields.get("yunit") ?? unit)],
    // A negative spacing tells the direction of the stage.
    Z: [spacing === null ? null : Math.abs(spacing), unescaped(fields.get("zunit") ?? unit)],
    T: [leadingNumber(fields.get("finterval")), unescaped(fields.get("tunit") ?? "s")],
  });
  return {
    sizes,
    layout,
    // Without a unit in the text, ImageJ takes that of the resolution tags.
    calibrations: fields.has("unit") ? calibrations : { ...resolutionCalibrations(first), ...calibrations },
    names: channelLabels(items.labels, sizes),
    // A file that is shown in grey has tables too.
    colors: fields.get("mode") === "grayscale" ? [] : items.colors.slice(0, sizes.C),
    documents: (list) =>
      list.add(`${tagName(TAG.ImageJMetadata)} info`, "text/plain", readInfo(first, list.left)),
    moment: firstMoment(tagMoment(first), momentOf(fields.get("date"))),
    fileSize: tiff.file.size,
    warnings,
    plane: ({ t, z, channel }) => stored.plane((t * sizes.Z + z) * sizes.C + channel),
  };
}

function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.split(/[\r\n\0]+/)) {
    const at = line.indexOf("=");
    if (at > 0) fields.set(line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim());
  }
  return fields;
}

/** Counts of a description; `images` is that of the planes. */
interface Counts {
  readonly images: number;
  readonly sizes: StackSizes;
  readonly warnings: Warning[];
}

function countsOf(fields: Map<string, string>): Counts {
  const warnings: Warning[] = [];
  const size = (key: string) => {
    const written = fields.get(key);
    if (written === undefined) return 1;
    if (/^\d+$/.test(written) && Number(written) >= 1 && Number(written) < MAX_PLANES) return Number(written);
    warnings.push(
      warning("metadata_damaged", `The description declares ${key}=${quoted(written)}, which is taken as 1`),
    );
    return 1;
  };
  const sizes = { T: size("frames"), C: size("channels"), Z: size("slices") };
  return { images: size("images"), sizes, warnings };
}

/** How the declared planes are counted, and which of them are there: behind one directory, or as pages. */
function planesOf(
  tiff: TiffFile,
  layout: PageLayout,
  fields: Map<string, string>,
): { sizes: StackSizes; run: boolean; warnings: Warning[] } {
  const { images, sizes, warnings } = countsOf(fields);
  const { samples } = layout;
  const product = sizes.T * sizes.C * sizes.Z;
  const stacked = (declared: StackSizes, planes: number) => {
    const run = isRun(tiff, layout, planes);
    return { sizes: declared, run, warnings: [...warnings, ...countWarnings(tiff, layout, planes, run)] };
  };
  if (images === 1 && product === 1) {
    const present = tiff.countUpTo(MAX_PLANES);
    const broken = tiff.brokenTail;
    if (broken !== null) {
      warnings.push(warning("file_damaged", `The file ends early, after ${present} pages: ${broken}`));
    }
    return { sizes: { T: 1, C: 1, Z: present }, run: false, warnings };
  }
  // Samples that are declared as channels are channels already.
  if (samples > 1 && samples === sizes.C && images === sizes.T * sizes.Z) {
    return stacked({ ...sizes, C: 1 }, images);
  }
  if (product === images || images === 1 && product < MAX_PLANES) return stacked(sizes, product);
  // `images` alone is a plain stack.
  if (product === 1) return stacked({ T: 1, C: 1, Z: images }, images);
  warnings.push(
    warning(
      "metadata_disagree",
      `The description counts ${images} images, but ${sizes.T} x ${sizes.C} x ${sizes.Z} frames, channels and slices`,
    ),
  );
  if (product < MAX_PLANES && tiff.countUpTo(product + 1) === product) return stacked(sizes, product);
  return stacked({ T: 1, C: 1, Z: images }, images);
}

/** ImageJ writes characters beyond ASCII as `\u00B5`. */
function unescaped(text: string): string {
  return text.replace(
    /\\u([0-9a-fA-F]{4})/g,
    (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
