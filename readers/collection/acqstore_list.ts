/** The list of images of a collection in the layout of acqstore 0.2.0, as the document of a collection. */
import { type ImageList, imageList } from "../../schemas/acqstore.ts";
import type { Collection, Member } from "../../schemas/documents.ts";
import { findFirstIssue } from "../../schemas/problems.ts";
import { dateTime } from "../../schemas/shared.ts";
import { DecodeFailed } from "../errors.ts";
import { withoutFolder } from "../io/paths.ts";
import { isJsonObject } from "../metadata/json.ts";

/** The collection of a list of images. @throws {DecodeFailed} the list is invalid */
export function collectionOfList(value: unknown): Collection {
  const issue = findFirstIssue(imageList, value);
  if (issue !== null) throw new DecodeFailed(`/${issue.path.join("/")}: ${issue.message}`);
  // The schema has accepted it.
  const {
    format: _,
    version,
    name,
    created_utc: created,
    acq_images: images,
    analysis_tables: tables,
    ...rest
  } = value as ImageList;
  const isDated = created !== undefined && dateTime.safeParse(created).success;
  return {
    format: "store-ome-zarr-collection",
    version: 1,
    // The list has no id.
    id: created === undefined ? name : `${name} ${created}`,
    name: withoutFolder(name),
    ...isDated && { created },
    producer: { name: "acqstore", ...rest.acqstore_version && { version: rest.acqstore_version } },
    members: images.map(memberOfList),
    ...tables && {
      resources: {
        tables: Object.entries(tables).map(([id, table]) => ({
          id,
          media_type: "text/csv",
          path: typeof table === "string" ? table : table.csv,
        })),
      },
    },
    metadata: { acqstore: { version, ...rest } },
  };
}

function memberOfList(image: ImageList["acq_images"][number]): Member {
  const {
    id,
    name,
    source,
    ome_zarr_path,
    sidecar_path,
    manifest_path,
    reference_image_path,
    summary,
    ...rest
  } = image;
  return {
    id,
    name: withoutFolder(name || source?.filename || id),
    ome_zarr: ome_zarr_path,
    resources: { acqimage: sidecar_path, analyses: manifest_path },
    ...reference_image_path && {
      reference_image: { ome_zarr: reference_image_path, metadata: sidecar_path },
    },
    summary: { ...summary, acqstore: withoutPaths({ source, ...rest }) },
  };
}

/** Cuts full paths to names, in fields that name files or folders. */
export function withoutPaths(value: unknown, key = ""): unknown {
  if (typeof value === "string") return /path|file|folder|dir/i.test(key) ? withoutFolder(value) : value;
  if (Array.isArray(value)) return value.map((item) => withoutPaths(item, key));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutPaths(inner, name)]));
}
