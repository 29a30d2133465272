/** Images of OME-Zarr, shaped by their collection: display of axes, reference image, scan path. */
import type { FileAccess } from "../io/random_access.ts";
import { calibrated } from "../metadata/axes.ts";
import {
  firstOutside,
  type ImageShape,
  NO_REFERENCE,
  type ReferenceResult,
  referenceUnlessLost,
  unreadable,
} from "../metadata/reference.ts";
import { imageScenes } from "../ome_zarr/mod.ts";
import { acquisitionOf, readLinkedImage, type StoredImage } from "../ome_zarr/stored_image.ts";
import {
  type Acquisition,
  type Axis,
  FIRST_POSITION,
  type Reference,
  type Scenes,
  type Source,
} from "../reader.ts";
import { type Warning, warning } from "../warning.ts";
import { type Membership, membershipOf } from "./membership.ts";

/** Opens the images of a directory or ZIP store. */
export function scenes(source: Source): Promise<Scenes> {
  const { path, files } = source;
  return Promise.try(() => imageScenes(source, (stored) => acquisitionInCollection(stored, path, files)));
}

/** The acquisition of an image at a resolved path, shaped by its collection if it has one. */
async function acquisitionInCollection(
  stored: StoredImage,
  path: string,
  files: FileAccess,
): Promise<Acquisition> {
  const membership = await membershipOf(path, files);
  const warnings: Warning[] = [...stored.image.warnings, ...membership.warnings];
  const image = { ...stored.image, calibrations: displayed(stored, membership, warnings) };
  const acquisition = acquisitionOf({ ...stored, image }, files);
  const { reference, warnings: doubts } = readReference(membership, files);
  return { ...acquisition, reference, warnings: [...warnings, ...doubts] };
}

/** Calibrations, replaced by those of `axis_display`. */
function displayed({ image }: StoredImage, { axisDisplay }: Membership, warnings: Warning[]) {
  const calibrations = { ...image.calibrations };
  for (const [name, { scale, unit }] of Object.entries(axisDisplay ?? {})) {
    const axis = image.axes.find((a) => a.name === name);
    if (!axis) {
      warnings.push(
        warning("metadata_disagree", `The collection describes the axis "${name}", which the image lacks`),
      );
    } else if (axis.letter !== null) calibrations[axis.letter] = calibrated(scale, unit);
  }
  return calibrations;
}

function readReference({ referenceImage, scanPath }: Membership, files: FileAccess): ReferenceResult {
  if (referenceImage === null) return NO_REFERENCE;
  return referenceUnlessLost(() => {
    const acquisition = acquisitionOf(readLinkedImage({ path: referenceImage, files }), files);
    const { channels, axes } = acquisition;
    const [y, x] = [axisOf(axes, "Y"), axisOf(axes, "X")];
    const { path, warnings } = pathOn({ rows: y.size, columns: x.size }, scanPath);
    return {
      reference: {
        axes: [y, x],
        channels,
        lineRoi: null,
        scanPath: path,
        plan: () => acquisition.plan(channels.map((channel) => channel.index), FIRST_POSITION),
      },
      warnings: [...acquisition.warnings, ...warnings],
    };
  });
}

function axisOf(axes: readonly Axis[], name: Axis["name"]): Axis {
  const axis = axes.find((one) => one.name === name);
  if (!axis) throw new Error(`an acquisition has no axis ${name}`);
  return axis;
}

function pathOn(
  shape: ImageShape,
  points: Membership["scanPath"],
): { readonly path: Reference["scanPath"]; readonly warnings: readonly Warning[] } {
  if (points === null) return { path: null, warnings: [] };
  const path = { x: points.map((point) => point[0]!), y: points.map((point) => point[1]!) };
  const outside = firstOutside(path, shape);
  if (outside === null) return { path, warnings: [] };
  const text =
    `Point ${outside} of the scan path, ${points[outside]!.join(", ")}, lies outside the reference ` +
    `image of ${shape.rows} rows and ${shape.columns} columns; the path is left out`;
  return { path: null, warnings: [unreadable(text)] };
}
