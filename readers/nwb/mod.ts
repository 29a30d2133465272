/**
 * Neurodata Without Borders 2 (`.nwb`), an HDF5 file. Series of images and stills in `/acquisition`, `/processing` and `/stimulus`
 * are the scenes, in this order, line scans first, and by path:
 *
 *     TwoPhotonSeries, OnePhotonSeries, ImageSeries   data [frame, x, y] or [frame, x, y, z]
 *     ImageSeries of uint8                            data [frame, x, y, colour] of 3 or 4 colours
 *     TimeSeries that says it is a line scan          data [line, x]
 *     Image, GrayscaleImage, RGBImage, RGBAImage      [x, y] or [x, y, colour]
 *
 * So the first axis of a frame is that of columns. In files of acqstore, a manifest describes the images (manifest.ts).
 *
 * Not read: samples in other files, regions, signals, and NWB in Zarr.
 */
import { DecodeFailed, quoted } from "../errors.ts";
import { DamagedStructure } from "../hdf5/fields.ts";
import { Hdf5File } from "../hdf5/file.ts";
import { OptionalMetadata, warnAboutDamagedScenes } from "../hdf5/optional.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { MAX_LISTED_SCENES } from "../io/limits.ts";
import type { SceneEntry, Scenes, Source } from "../reader.ts";
import { listed, warnIf } from "../warning.ts";
import { readManifestScenes } from "./manifest.ts";
import { openNwbSeries, readSeriesLengths } from "./series.ts";
import { openStill, readStillLengths } from "./stills.ts";
import { findImages, type NwbObject } from "./tree.ts";
import type { NwbImage } from "./scene.ts";

/** Opens an NWB file. @throws {DecodeFailed} it is damaged, of version 1, or holds no images */
export const scenes = (source: Source): Promise<Scenes> => Promise.try(() => openNwbScenes(source));

function openNwbScenes({ path, files }: Source): Scenes {
  const source = files.open(path);
  using file = new Hdf5File(source);
  const metadata = new OptionalMetadata();
  requireNwb2(file);
  const { images, outside, tables, others: types } = findImages(file, metadata);
  const manifest = readManifestScenes(file, images, metadata);
  const described = new Set(manifest.flatMap(({ paths }) => paths));
  const others = images.filter(({ path }) => !described.has(path)).map((found) =>
    openNwbObject(found, source)
  );
  const { readable, entries, damaged, unreadable } = listReadable(file, [...manifest, ...others]);
  const absent = `Series whose samples are in other files are left out: ${listed(outside)}`;
  const unread = `Images that cannot be read are left out: ${listed(unreadable)}`;
  if (readable.length === 0) {
    const holds = types.length === 0
      ? "it holds no image series"
      : `it holds no image series, but ${listed(types)}`;
    throw new DecodeFailed(
      [outside.length > 0 ? absent : "", unreadable.length > 0 ? unread : ""]
        .filter((text) => text !== "").join("; ") || holds,
    );
  }
  return {
    count: readable.length,
    own: 0,
    warnings: [
      ...metadata.warnings,
      ...warnIf(outside.length > 0, "scenes_left_out", absent),
      ...warnIf(unreadable.length > 0, "scenes_left_out", unread),
      ...warnAboutDamagedScenes(damaged),
      ...warnIf(
        tables.length > 0,
        "content_left_out",
        `Series of two dimensions that are not line scans are left out: ${listed(tables)}`,
      ),
    ],
    entries: (most) => entries.slice(0, Math.min(most, MAX_LISTED_SCENES)),
    open: (scene) =>
      Promise.try(() => {
        using file = new Hdf5File(source);
        return readable[scene]!.open(file);
      }),
  };
}

/** @throws {DecodeFailed} the file is not of version 2 of NWB */
function requireNwb2(file: Hdf5File): void {
  if (file.attributeNames("/").includes("nwb_version")) return;
  const isFirst = file.kindOf("/nwb_version") === "dataset";
  throw new DecodeFailed(
    isFirst ? "it is of version 1 of NWB, which is not read" : "it is HDF5, but not of NWB",
  );
}

/** The images whose sizes can be read, and the damaged ones; and in words, what is damaged or not readable. */
function listReadable(file: Hdf5File, images: readonly NwbImage[]) {
  const readable: NwbImage[] = [];
  const unreadable: string[] = [];
  const damaged: string[] = [];
  const entries: SceneEntry[] = [];
  for (const scene of images) {
    try {
      entries.push({ name: scene.name, isBuilt: true, sizes: scene.sizes(file) });
      readable.push(scene);
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
      const isDamaged = error instanceof DamagedStructure;
      (isDamaged ? damaged : unreadable).push(`${quoted(scene.name)} (${error.message})`);
      if (!isDamaged) continue;
      // It keeps its place, so that no other image is opened instead.
      entries.push({ name: scene.name, sizes: {} });
      readable.push(scene);
    }
  }
  return { readable, entries, damaged, unreadable };
}

function openNwbObject(found: NwbObject, source: ByteSource): NwbImage {
  const { path, kind } = found;
  const named = { name: path.replace(/^\/acquisition\//, ""), paths: [path] };
  if (kind === "damaged") {
    const refuse = () => {
      throw found.damage;
    };
    return { ...named, sizes: refuse, open: refuse };
  }
  return kind === "still"
    ? {
      ...named,
      sizes: (file) => readStillLengths(file, path),
      open: (file) => openStill(file, source, path),
    }
    : {
      ...named,
      sizes: (file) => readSeriesLengths(file, path),
      open: (file) => openNwbSeries(file, source, path),
    };
}
