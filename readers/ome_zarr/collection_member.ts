/** Shapes an image by the collection that it belongs to: display of its axes, reference image, scan path. */
import { calibrated } from "../axes.ts";
import { type Membership, membershipOf } from "../collection/membership.ts";
import { ReaderError } from "../errors.ts";
import type { FileAccess } from "../random_access.ts";
import { type Acquisition, type Axis, FIRST_POSITION, type Reference } from "../reader.ts";
import { imageAt } from "./markers.ts";
import { acquisitionOf, readStoredImage, type StoredImage } from "./stored_image.ts";

/**
 * The acquisition of an image as its collection wants it shown; an image outside of any is as it is.
 *
 * @param path resolved path of the image
 */
export async function acquisitionInCollection(
  stored: StoredImage,
  path: string,
  files: FileAccess,
): Promise<Acquisition> {
  const membership = await membershipOf(path, imageAt, files);
  const warnings = [...stored.image.warnings, ...membership.warnings];
  const image = { ...stored.image, calibrations: displayed(stored, membership, warnings) };
  const acquisition = acquisitionOf({ ...stored, image }, files);
  const reference = readReference(membership, files, warnings);
  return { ...acquisition, reference, warnings };
}

/** Calibrations with those of `axis_display` in their place. */
function displayed({ image }: StoredImage, { axisDisplay }: Membership, warnings: string[]) {
  const calibrations = { ...image.calibrations };
  for (const [name, { scale, unit }] of Object.entries(axisDisplay ?? {})) {
    const axis = image.axes.find((a) => a.name === name);
    if (!axis) warnings.push(`The collection wants the axis "${name}" shown, which the image does not have`);
    else if (axis.letter !== null) calibrations[axis.letter] = calibrated(scale, unit);
  }
  return calibrations;
}

function readReference(
  { referenceImage, scanPath }: Membership,
  files: FileAccess,
  warnings: string[],
): Reference | null {
  if (referenceImage === null) return null;
  try {
    const stored = readStoredImage({ path: referenceImage, files });
    const acquisition = acquisitionOf(stored, files);
    const { channels, axes } = acquisition;
    const [y, x] = (["Y", "X"] as const).map((name) => axes.find((axis) => axis.name === name)!);
    warnings.push(...acquisition.warnings);
    return {
      axes: [y, x] as [Axis, Axis],
      channels,
      lineRoi: null,
      scanPath: pathInside(scanPath, y!.size, x!.size, warnings),
      plan: () => acquisition.plan(channels.map((channel) => channel.index), FIRST_POSITION),
    };
  } catch (error) {
    if (!(error instanceof ReaderError) || error.tag === "Stopped") throw error;
    warnings.push(`The reference image cannot be read: ${error.message}`);
    return null;
  }
}

function pathInside(
  points: Membership["scanPath"],
  rows: number,
  columns: number,
  warnings: string[],
): Reference["scanPath"] {
  if (points === null) return null;
  const outside = points.findIndex(([x, y]) => x! >= columns || y! >= rows);
  if (outside >= 0) {
    warnings.push(
      `Point ${outside} of the scan path, ${
        points[outside]!.join(", ")
      }, lies outside the reference image of ` +
        `${rows} rows and ${columns} columns; the path is left out`,
    );
    return null;
  }
  return { x: points.map(([x]) => x!), y: points.map(([, y]) => y!) };
}
