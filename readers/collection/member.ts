/** An image with the metadata of its collection: display of axes, reference image, scan path, missing planes. */
import { join } from "node:path";
import { PlaneNotFound } from "../errors.ts";
import type { DocumentList } from "../io/document_list.ts";
import { storedSpelling } from "../io/names.ts";
import { changed } from "../io/paths.ts";
import { calibrated } from "../metadata/axes.ts";
import { timeAxisOf, withTimes } from "../metadata/time_stamps.ts";
import type { OmeAxis } from "../ome_zarr/ome_image.ts";
import {
  firstOutside,
  type ImageShape,
  NO_REFERENCE,
  type ReferenceResult,
  referenceUnlessLost,
  unreadable,
} from "../metadata/reference.ts";
import { openStore } from "../ome_zarr/opened_store.ts";
import { acquisitionOf, readLinkedImage, type StoredImage, textOf } from "../ome_zarr/mod.ts";
import type { FileTree } from "../ome_zarr/zip_files.ts";
import { type Acquisition, FIRST_POSITION, type Position, type Reference } from "../reader.ts";
import { type Warning, warning } from "../warning.ts";
import type { Membership } from "./membership.ts";
import { digestOf, isInside } from "./documents.ts";

/** The acquisition of an image, with the metadata of its collection if it has one. */
export function memberAcquisition(
  stored: StoredImage,
  membership: Membership,
  files: FileTree,
): Acquisition {
  const warnings: Warning[] = [...stored.image.warnings, ...membership.warnings];
  const image = { ...stored.image, calibrations: displayed(stored, membership, warnings) };
  const shown = acquisitionOf({ ...stored, image }, files.stop);
  const { times } = withTimes(shown);
  const isTime = ({ letter, name }: OmeAxis) =>
    letter === timeAxisOf(shown)?.name && Object.hasOwn(membership.axisDisplay ?? {}, name);
  // A displayed step counts, whatever the time stamps show.
  const timed = image.axes.some(isTime) ? { ...shown, stamps: null, times } : shown;
  const acquisition = asMember(timed, membership, files);
  const { reference, warnings: doubts } = readReference(membership, files);
  return { ...acquisition, reference, warnings: [...warnings, ...doubts] };
}

/** Adds the name, documents and missing planes of a member to an acquisition. */
export function asMember(acquisition: Acquisition, membership: Membership, files: FileTree): Acquisition {
  const { collection, missingPlanes } = membership;
  if (collection === null) return acquisition;
  const isMissing = (channel: number, { t, z }: Position) => missingPlanes.has(`${t} ${z} ${channel}`);
  return {
    ...acquisition,
    collection,
    documents: (list) => {
      acquisition.documents(list);
      addDocuments(list, membership, files);
    },
    ...missingPlanes.size > 0 && {
      holds: (channel, position) => !isMissing(channel, position),
      plan: (channels, position, rows) => {
        const missing = channels.find((channel) => isMissing(channel, position));
        if (missing === undefined) return acquisition.plan(channels, position, rows);
        throw new PlaneNotFound(`the recording lacks channel ${missing} there, as its image document says`);
      },
    },
  };
}

function addDocuments(list: DocumentList, { documents, root }: Membership, files: FileTree): void {
  for (const { name, path, digest, tables } of documents) {
    const bytes = bytesAt(path, name, list, files);
    if (digestOf(bytes) !== digest) throw changed(path);
    list.add(name, "application/json", textOf(bytes, name));
    for (const table of tables) {
      const place = join(root, storedSpelling(files, root, [table])(table));
      if (files.kind(place) !== "file" || !isInside(place, root, files)) continue;
      if (![place, files.resolve(place)].every((path) => TABLE.test(path))) continue;
      list.add(table, "text/csv", textOf(bytesAt(place, table, list, files), table));
    }
  }
}

/** Matches the name of a table. A document may name any file; only these are served. */
const TABLE = /\.csv$/i;

function bytesAt(path: string, name: string, list: DocumentList, files: FileTree): Uint8Array {
  const file = files.open(path);
  try {
    list.require(file.size);
    return file.read(0, file.size, `"${name}"`);
  } finally {
    file.close();
  }
}

/** Calibrations of an image, overridden by `axis_display`. */
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

function readReference({ referenceImage, scanPath }: Membership, files: FileTree): ReferenceResult {
  if (referenceImage === null) return NO_REFERENCE;
  return referenceUnlessLost(() => {
    const acquisition = acquisitionOf(readLinkedImage(openStore(referenceImage, files)), files.stop);
    const { channels, axes } = acquisition;
    const [y, x] = [axes.at(-2)!, axes.at(-1)!];
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
