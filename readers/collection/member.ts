/** An image with the metadata of its collection: display of axes, reference image, scan path, missing planes. */
import { join } from "node:path";
import type { DocumentKindName } from "../../schemas/documents.ts";
import { PlaneNotFound } from "../errors.ts";
import type { DocumentList } from "../io/document_list.ts";
import { findStoredSpelling } from "../io/names.ts";
import { changedFile } from "../io/paths.ts";
import { statedStep, UNCALIBRATED } from "../metadata/axes.ts";
import { parseJson } from "../metadata/json.ts";
import { findTimeAxis, withTimes } from "../metadata/time_stamps.ts";
import type { OmeAxis } from "../ome_zarr/ome_image.ts";
import {
  findOutside,
  type ImageShape,
  listEnds,
  makeStraightPath,
  NO_REFERENCE,
  type ReferenceResult,
  referenceUnlessLost,
  warnReferenceLost,
} from "../metadata/reference.ts";
import { openStore } from "../ome_zarr/opened_store.ts";
import { decodeUtf8, describeZarrImage, readLinkedImage, type ZarrImage } from "../ome_zarr/mod.ts";
import type { FileTree } from "../ome_zarr/zip_files.ts";
import {
  type Acquisition,
  type Axis,
  FIRST_POSITION,
  type MemberContent,
  type Position,
  type Reference,
} from "../reader.ts";
import { type Warning, warning } from "../warning.ts";
import { restoreAxes, restoreChannels, restorePath, restoreRecording } from "./archived.ts";
import type { DocumentFile } from "./member_documents.ts";
import type { Membership } from "./membership.ts";
import { hashDocument, isBelowFolder } from "./documents.ts";

/** The acquisition of an image, with the metadata of its collection if it has one. */
export function describeMember(
  stored: ZarrImage,
  membership: Membership,
  files: FileTree,
): Acquisition {
  const warnings: Warning[] = [...stored.image.warnings, ...membership.warnings];
  const image = { ...stored.image, calibrations: overrideCalibrations(stored, membership, warnings) };
  const shown = restoreRecording(
    { ...describeZarrImage({ ...stored, image }, files.stop), warnings },
    membership.archived,
  );
  const { times } = withTimes(shown);
  const isTime = ({ letter, name }: OmeAxis) =>
    letter === findTimeAxis(shown)?.name && Object.hasOwn(membership.axisDisplay ?? {}, name);
  // A displayed step counts, whatever the time stamps show.
  const timed = image.axes.some(isTime) ? { ...shown, stamps: null, times } : shown;
  const acquisition = addMembership(timed, membership, files);
  const { reference, warnings: doubts } = readReference(membership, files);
  return { ...acquisition, reference, warnings: [...acquisition.warnings, ...doubts] };
}

/** Adds the name, documents and missing planes of a member to an acquisition. */
export function addMembership(
  acquisition: Acquisition,
  membership: Membership,
  files: FileTree,
): Acquisition {
  const { collection, missingPlanes } = membership;
  if (collection === null) return acquisition;
  const isMissing = (channel: number, { t, z }: Position) => missingPlanes.has(`${t} ${z} ${channel}`);
  return {
    ...acquisition,
    collection,
    documents: (list) => {
      acquisition.documents(list);
      addMemberDocuments(list, membership, files);
    },
    content: () => readMemberContent(membership, files),
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

function addMemberDocuments(list: DocumentList, { documents, root }: Membership, files: FileTree): void {
  const require = (bytes: number) => list.require(bytes);
  const listed = new Set<string>();
  for (const document of documents) {
    const { name, made, tables } = document;
    const read = document.files.map((file) => ({ file, bytes: readAccepted(file, files, require) }));
    for (const { file: { name, isJson }, bytes } of read) {
      // A page that reads documents by their extension takes this one as text.
      const [shown, type] = isJson
        ? [name, "application/json"] as const
        : [`${name}.txt`, "text/plain"] as const;
      if (!listed.has(name)) list.add(shown, type, decodeUtf8(bytes, name));
      listed.add(name);
    }
    if (made !== null) {
      const value = made(read.map(({ bytes }) => bytes));
      list.add(name, "application/json", JSON.stringify(value, null, 2));
    }
    for (const table of tables) {
      const place = findTable(root, table, files);
      if (place === null) continue;
      list.add(table, "text/csv", decodeUtf8(readWhole(place, table, files, require), table));
    }
  }
}

/** Reads the documents of a member for an export. */
function readMemberContent({ documents, root, unkept }: Membership, files: FileTree): MemberContent {
  const read = <T>(kind: DocumentKindName): T | null => {
    const document = documents.find((one) => one.kind === kind);
    if (document === undefined) return null;
    // Their schemas have accepted these bytes.
    const read = document.files.map((file) => ({ file, bytes: readAccepted(file, files) }));
    const value = document.made === null
      ? parseJson(read[0]!.bytes, document.name)
      : document.made(read.map(({ bytes }) => bytes));
    return value as T;
  };
  return {
    image: read("acqimage"),
    analyses: read("analyses"),
    reference: read("reference-image"),
    unkept,
    tableSize(path) {
      const place = findTable(root, path, files);
      if (place === null) return null;
      const file = files.open(place);
      file.close();
      return file.size;
    },
    table: (path) => readWhole(findTable(root, path, files) ?? join(root, path), path, files),
  };
}

/** Bytes of a document, which must be those that its schema has accepted. @throws {AcquisitionChanged} */
function readAccepted(
  { name, path, digest }: DocumentFile,
  files: FileTree,
  require?: (bytes: number) => void,
): Uint8Array {
  const bytes = readWhole(path, name, files, require);
  if (hashDocument(bytes) !== digest) throw changedFile(path);
  return bytes;
}

/** Matches the name of a table. A document may name any file; only these are served. */
const TABLE = /\.csv$/i;

/** The place of a table; `null` if it does not exist, lies outside of the collection or has another kind of name. */
function findTable(root: string, table: string, files: FileTree): string | null {
  const place = join(root, findStoredSpelling(files, root, [table])(table));
  if (files.kind(place) !== "file" || !isBelowFolder(place, root, files)) return null;
  return [place, files.resolve(place)].every((path) => TABLE.test(path)) ? place : null;
}

function readWhole(
  path: string,
  name: string,
  files: FileTree,
  require: (bytes: number) => void = () => {},
): Uint8Array {
  const file = files.open(path);
  try {
    require(file.size);
    return file.read(0, file.size, `"${name}"`);
  } finally {
    file.close();
  }
}

/** Calibrations of an image, overridden by `axis_display`. */
function overrideCalibrations({ image }: ZarrImage, { axisDisplay }: Membership, warnings: Warning[]) {
  const calibrations = { ...image.calibrations };
  for (const [name, { scale, unit }] of Object.entries(axisDisplay ?? {})) {
    const axis = image.axes.find((a) => a.name === name);
    if (!axis) {
      warnings.push(
        warning("metadata_disagree", `The collection describes the axis "${name}", which the image lacks`),
      );
    } else if (axis.letter !== null) {
      calibrations[axis.letter] = statedStep(axis.letter, scale, unit, warnings) ?? UNCALIBRATED;
    }
  }
  return calibrations;
}

function readReference(membership: Membership, files: FileTree): ReferenceResult {
  const { referenceImage, scanPath, isLine, archived, archivedReference: kept } = membership;
  if (referenceImage === null) return NO_REFERENCE;
  return referenceUnlessLost(() => {
    const acquisition = describeZarrImage(readLinkedImage(openStore(referenceImage, files)), files.stop);
    const { channels, axes } = acquisition;
    const [y, x] = restoreAxes(axes.slice(-2), kept) as [Axis, Axis];
    const shape = { rows: y.size, columns: x.size };
    const { path, warnings } = checkScanPathOn(shape, scanPath);
    const exact = path === null && scanPath !== null
      ? null
      : restorePath(archived.lineRoi, kept.scan_path, scanPath, shape);
    return {
      reference: {
        axes: [y, x],
        channels: restoreChannels(channels, kept),
        ...exact ?? (path && isLine ? makeStraightPath(listEnds(path)) : { lineRoi: null, scanPath: path }),
        plan: () => acquisition.plan(channels.map((channel) => channel.index), FIRST_POSITION),
      },
      warnings: [...acquisition.warnings, ...warnings],
    };
  });
}

function checkScanPathOn(
  shape: ImageShape,
  points: Membership["scanPath"],
): { readonly path: Reference["scanPath"]; readonly warnings: readonly Warning[] } {
  if (points === null) return { path: null, warnings: [] };
  const path = { x: points.map(([x = NaN]) => x), y: points.map(([, y = NaN]) => y) };
  const outside = findOutside(path, shape);
  if (outside === null) return { path, warnings: [] };
  const text =
    `Point ${outside} of the scan path, ${points[outside]!.join(", ")}, lies outside the reference ` +
    `image of ${shape.rows} rows and ${shape.columns} columns; the path is left out`;
  return { path: null, warnings: [warnReferenceLost(text)] };
}
