/**
 * ImageJ: ImageDescription is lines of `key=value` that begin with `ImageJ=`. Planes run channel first, then
 * slice, then frame. A stack may have one directory for all its planes, which then follow the first without gaps
 * (how ImageJ writes stacks over 4 GB). Pixels per unit are in XResolution, the unit in the text. What is declared but not there is a warning.
 */
import { MAX_PLANES } from "./bounds.ts";
import { channelLabels, sliceLabels } from "./imagej_labels.ts";
import { type PageLayout, readPage } from "./page.ts";
import { resolutionCalibrations } from "./plain.ts";
import {
  calibrationsOf,
  contiguousPlanes,
  firstMoment,
  isRun,
  momentOf,
  numberIn,
  type Opened,
  type Stack,
  stackedPlane,
  type StackSizes,
  tagMoment,
} from "./stack.ts";
import { TAG } from "./tags.ts";
import type { TiffFile } from "./tiff_file.ts";

/** The stack of an ImageJ file, or `null`. */
export function openImageJ({ tiff, first, descriptions }: Opened): Stack | null {
  const text = descriptions.find((description) => description.startsWith("ImageJ="));
  if (text === undefined) return null;
  const fields = fieldsOf(text);
  const layout = readPage(first);
  const { sizes, run, warnings } = planesOf(tiff, layout, sizesOf(fields, layout.samples));
  const perUnit = (tag: number) => {
    const resolution = first.noteNumber(tag);
    return resolution === undefined ? null : 1 / resolution;
  };
  const unit = unescaped(fields.get("unit") ?? "");
  const spacing = numberIn(fields.get("spacing"));
  const calibrations = calibrationsOf({
    X: [perUnit(TAG.XResolution), unescaped(fields.get("xunit") ?? unit)],
    Y: [perUnit(TAG.YResolution), unescaped(fields.get("yunit") ?? unit)],
    // A negative spacing tells the direction of the stage.
    Z: [spacing === null ? null : Math.abs(spacing), unescaped(fields.get("zunit") ?? unit)],
    T: [numberIn(fields.get("finterval")), unescaped(fields.get("tunit") ?? "s")],
  });
  return {
    sizes,
    layout,
    // Without a unit in the text, ImageJ takes that of the resolution tags.
    calibrations: fields.has("unit") ? calibrations : { ...resolutionCalibrations(first), ...calibrations },
    names: channelLabels(sliceLabels(first), sizes),
    moment: firstMoment(tagMoment(first), momentOf(fields.get("date"))),
    fileSize: tiff.file.size,
    warnings,
    plane: ({ time, channel, focus }) =>
      stackedPlane(tiff, layout, (time * sizes.Z + focus) * sizes.C + channel, run),
  };
}

function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const at = line.indexOf("=");
    if (at > 0) fields.set(line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim());
  }
  return fields;
}

/** What the description declares; `null` where it has no count of images and no axis. */
function sizesOf(fields: Map<string, string>, samples: number): StackSizes | null {
  const size = (key: string) => {
    const value = numberIn(fields.get(key));
    return value !== null && Number.isInteger(value) && value >= 1 && value < MAX_PLANES ? value : 1;
  };
  const images = size("images");
  const sizes = { T: size("frames"), C: size("channels"), Z: size("slices") };
  const product = sizes.T * sizes.C * sizes.Z;
  if (images === 1 && product === 1) return null;
  // Samples that are declared as channels are channels already.
  if (samples > 1 && samples === sizes.C && images === sizes.T * sizes.Z) return { ...sizes, C: 1 };
  if (images === 1 || product === images) return product < MAX_PLANES ? sizes : null;
  // `images` alone, or one that the others do not explain, is a plain stack.
  if (product === 1 || images % sizes.C !== 0) return { T: 1, C: 1, Z: images };
  return { T: 1, C: sizes.C, Z: images / sizes.C };
}

/** Which of the declared planes are there: behind one directory, or as pages. */
function planesOf(
  tiff: TiffFile,
  layout: PageLayout,
  declared: StackSizes | null,
): { sizes: StackSizes; run: boolean; warnings: string[] } {
  const planes = declared === null ? null : declared.T * declared.C * declared.Z;
  const run = planes !== null && isRun(tiff, layout, planes);
  const present = run ? contiguousPlanes(tiff, layout) : tiff.countUpTo(planes ?? MAX_PLANES);
  if (declared !== null && present >= planes!) return { sizes: declared, run, warnings: [] };
  const broken = tiff.brokenTail;
  const reason = broken === null ? "" : `: ${broken}`;
  const there = present === 1 ? "one" : String(present);
  return {
    sizes: { T: 1, C: 1, Z: present },
    run,
    warnings: declared !== null
      ? [`The description declares ${planes} planes, but the file holds ${there}${reason}`]
      : broken === null
      ? []
      : [`The file ends early, after ${present} pages${reason}`],
  };
}

/** ImageJ writes characters beyond ASCII as `\u00B5`. */
function unescaped(text: string): string {
  return text.replace(
    /\\u([0-9a-fA-F]{4})/g,
    (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
