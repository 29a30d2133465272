/**
 * ImageJ: ImageDescription is lines of `key=value` that begin with `ImageJ=`. Planes run channel first, then
 * slice, then frame. A stack may have one directory for all its planes, which then follow the first without gaps
 * (how ImageJ writes stacks over 4 GB). Pixels per unit are in XResolution, the unit in the text.
 */
import { MAX_PLANES } from "./bounds.ts";
import { readPage } from "./page.ts";
import { resolutionCalibrations } from "./plain.ts";
import {
  calibrationsOf,
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

/** The stack of an ImageJ file, or `null`. */
export function openImageJ({ tiff, first, descriptions }: Opened): Stack | null {
  const text = descriptions.find((description) => description.startsWith("ImageJ="));
  if (text === undefined) return null;
  const fields = fieldsOf(text);
  const layout = readPage(first);
  const declared = sizesOf(fields);
  const planes = declared.T * declared.C * declared.Z;
  const run = isRun(tiff, layout, planes);
  // A page that was taken out of a stack may keep the stack's description.
  const alone = planes > 1 && first.next === 0 && !run;
  const sizes = alone ? { T: 1, C: 1, Z: 1 } : declared;
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
    names: [],
    moment: firstMoment(tagMoment(first), momentOf(fields.get("date"))),
    fileSize: tiff.file.size,
    warnings: alone ? [`The description declares ${planes} planes, but the file holds one`] : [],
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

function sizesOf(fields: Map<string, string>): StackSizes {
  const size = (key: string) => {
    const value = numberIn(fields.get(key));
    return value !== null && Number.isInteger(value) && value >= 1 && value < MAX_PLANES ? value : 1;
  };
  const images = size("images");
  const sizes = { T: size("frames"), C: size("channels"), Z: size("slices") };
  const product = sizes.T * sizes.C * sizes.Z;
  if (images === 1 || product === images) return product < MAX_PLANES ? sizes : { T: 1, C: 1, Z: 1 };
  // `images` alone, or one that the others do not explain, is a plain stack.
  if (product === 1 || images % sizes.C !== 0) return { T: 1, C: 1, Z: images };
  return { T: 1, C: sizes.C, Z: images / sizes.C };
}

/** ImageJ writes characters beyond ASCII as `\u00B5`. */
function unescaped(text: string): string {
  return text.replace(
    /\\u([0-9a-fA-F]{4})/g,
    (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
