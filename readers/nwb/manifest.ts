/**
 * The manifest of files that acqstore writes: a JSON text in `/scratch` that describes the images, whose channels are stills. Rows
 * with a step in seconds are those of a line scan, which NWB has no type for.
 */
import { DecodeFailed, quoted } from "../errors.ts";
import type { Hdf5File } from "../hdf5/file.ts";
import type { OptionalMetadata } from "../hdf5/optional.ts";
import { planDatasets } from "../hdf5/planes.ts";
import { buildAxes, type Calibration, convertStep, keepCalibrated } from "../metadata/axes.ts";
import { buildChannels } from "../metadata/channels.ts";
import { isJsonObject, type JsonObject, parseJsonText } from "../metadata/json.ts";
import { buildMoment, UNDATED } from "../metadata/moment.ts";
import { type Acquisition, sizesOf } from "../reader.ts";
import { warning } from "../warning.ts";
import { type NwbImage, requireSamples } from "./scene.ts";
import type { NwbObject } from "./tree.ts";

/** Texts with a manifest, and what they state about themselves. */
const MANIFESTS = [
  { path: "/scratch/acqstore_manifest_json", version: 1, kind: "AcqImage" },
  { path: "/scratch/acqstore_collection_manifest_json", version: 2, kind: "AcqImageList" },
] as const;

const FORMAT = "acqstore-nwb";

/** Containers of stills are here. */
const ACQUISITION = "/acquisition";

interface ManifestEntry {
  readonly name: string;
  /** Paths of the stills, in the order of the channels. */
  readonly stills: readonly string[];
  readonly rows: number;
  readonly columns: number;
  readonly header: Readonly<Record<string, unknown>>;
}

/** The images that a manifest describes; none without one, or with a warning if it does not fit the file. */
export function readManifestScenes(
  file: Hdf5File,
  images: readonly NwbObject[],
  metadata: OptionalMetadata,
): NwbImage[] {
  const found = MANIFESTS.filter(({ path }) => file.kindOf(path) === "dataset");
  if (found.length === 0) return [];
  try {
    if (found.length > 1) throw new DecodeFailed("the file has two of them");
    const entries = readManifest(file, found[0]!, images);
    return entries.map((entry) => ({
      name: entry.name,
      paths: entry.stills,
      sizes: () => sizesOf(buildAxes({ C: entry.stills.length, Y: entry.rows, X: entry.columns }, {})),
      open: (file) => openManifestEntry(file, entry),
    }));
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
    const text = `The manifest of acqstore is not used, and its images are served singly: ${error.message}`;
    metadata.warn(warning("metadata_damaged", text));
    return [];
  }
}

/** @throws {DecodeFailed} it is damaged, or does not fit the file */
function readManifest(
  file: Hdf5File,
  { path, version, kind }: typeof MANIFESTS[number],
  images: readonly NwbObject[],
): ManifestEntry[] {
  const manifest = requireJsonObject(parseJsonText(String(file.value(path) ?? ""), "it"), "it");
  if (manifest.format !== FORMAT || manifest.version !== version || manifest.kind !== kind) {
    const stated = [manifest.format, manifest.version, manifest.kind].map((one) =>
      JSON.stringify(one) ?? "nothing"
    );
    throw new DecodeFailed(`it is of an unknown kind (${stated.join(", ")})`);
  }
  const entries = kind === "AcqImage" ? [manifest.image] : manifest.images;
  if (!Array.isArray(entries) || entries.length === 0) throw new DecodeFailed("it lists no images");
  const stills = new Set(images.filter(({ kind }) => kind === "still").map(({ path }) => path));
  const all = entries.map((entry, i) => readManifestEntry(requireJsonObject(entry, `image ${i}`), i, stills));
  for (const entry of all) requireFit(file, entry);
  return all;
}

function requireJsonObject(value: unknown, what: string): JsonObject {
  if (!isJsonObject(value)) throw new DecodeFailed(`${what} is not an object`);
  return value;
}

function readManifestEntry(entry: JsonObject, index: number, stills: ReadonlySet<string>): ManifestEntry {
  const { display_name: name, images_container: container, channel_images: channels, axes, shape } = entry;
  const what = `image ${index}`;
  if (typeof container !== "string" || !Array.isArray(channels) || channels.length === 0) {
    throw new DecodeFailed(`${what} names no stills`);
  }
  const paths = channels.map((channel) => `${ACQUISITION}/${container}/${channel}`);
  const missing = paths.find((path) => !stills.has(path));
  if (missing !== undefined) throw new DecodeFailed(`the file has no still ${quoted(missing)}`);
  const order = JSON.stringify(axes);
  const known = channels.length === 1 ? ['["Y","X"]', '["C","Y","X"]'] : ['["C","Y","X"]'];
  if (!known.includes(order) || !Array.isArray(shape)) {
    throw new DecodeFailed(`${what} has the axes ${order}`);
  }
  const lengths = shape.length === 2 ? [1, ...shape] : shape;
  const [count, rows, columns] = lengths as [number, number, number];
  if (
    lengths.length !== 3 || count !== channels.length ||
    ![rows, columns].every((one) => Number.isInteger(one) && one > 0)
  ) {
    throw new DecodeFailed(`${what} has the shape ${JSON.stringify(shape)}`);
  }
  const payload = entry.sidecar_payload as Record<string, unknown> | null | undefined;
  const header = (payload?.image_header_metadata ?? {}) as Record<string, unknown>;
  return {
    // The path of the owner's disk may name a person.
    name: typeof name === "string" && name !== "" ? name.replace(/^.*[\\/](?=.)/s, "") : container,
    stills: paths,
    rows,
    columns,
    header,
  };
}

/** Checks the shape that an image states. @throws {DecodeFailed} its samples have another */
function requireFit(file: Hdf5File, { stills, rows, columns }: ManifestEntry): void {
  for (const path of stills) {
    const { shape } = file.dataset(path);
    if (shape.length !== 2 || shape[0] !== columns || shape[1] !== rows) {
      throw new DecodeFailed(`${path} has ${shape.join(" x ")} samples, not ${columns} x ${rows}`);
    }
  }
}

function openManifestEntry(file: Hdf5File, { stills, rows, columns, header }: ManifestEntry): Acquisition {
  const datasets = stills.map((path) => file.dataset(path));
  for (const dataset of datasets) {
    requireSamples(dataset, rows, columns);
    if (dataset.sampleType !== datasets[0]!.sampleType) {
      throw new DecodeFailed(`${dataset.path} has samples of another type`);
    }
  }
  const [{ sampleType }] = datasets as [typeof datasets[0]];
  const step = (axis: "x" | "y"): Calibration | undefined => {
    const { [`physical_unit_${axis}`]: value, [`physical_label_${axis}`]: unit } = header;
    return typeof value === "number" && typeof unit === "string"
      ? keepCalibrated(convertStep(value, unit))
      : undefined;
  };
  const [row, column] = [step("y"), step("x")];
  const { source } = file;
  return {
    axes: buildAxes({ C: stills.length, Y: rows, X: columns }, {
      ...row && { Y: row },
      ...column && { X: column },
    }),
    channels: buildChannels(stills.map(() => ({ name: null })), { sampleType: sampleType!, rows, columns }),
    ...readManifestMoment(header),
    fileSize: source.size,
    reference: null,
    warnings: [],
    indexBytes: 1000,
    documents: () => {},
    plan: (wanted, _position, rowRange) =>
      Promise.try(() => {
        const planes = wanted.map((channel) => ({
          dataset: datasets[channel]!,
          rowAxis: 1,
          columnAxis: 0,
          at: [0, 0],
          columns,
        }));
        return planDatasets(source, { rows, columns }, planes, rowRange);
      }),
  };
}

/** Date `YYYYMMDD` and time `HH:MM:SS` of the image, not those at which the file was saved. */
function readManifestMoment({ date, time }: Readonly<Record<string, unknown>>): typeof UNDATED {
  const day = /^(\d{4})-?(\d\d)-?(\d\d)$/.exec(String(date ?? ""));
  const clock = /^(\d\d):(\d\d):(\d\d)/.exec(String(time ?? ""));
  return day === null ? UNDATED : buildMoment(day.slice(1), clock === null ? [] : clock.slice(1));
}
