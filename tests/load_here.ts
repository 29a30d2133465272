/** Loads in this thread, as a decode worker does in its own. */
import { filesOf, OpenAcquisition } from "../session/worker/open_acquisition.ts";
import type { Description } from "../session/worker/orders.ts";
import type { AcquisitionSummary, OpenRequest } from "../session/acquisition_summary.ts";
import { FileAccess } from "../readers/io/file_access.ts";
import type { ReadCounts } from "../readers/io/random_access_file.ts";
import { StopFlag } from "../readers/io/stop_flag.ts";
import type { TimedAcquisition } from "../readers/metadata/time_stamps.ts";
import type { RowRange } from "../readers/reader.ts";
import { SUPPORTED_EXTENSIONS } from "../readers/formats.ts";

export interface LoadOptions {
  readonly channelIndices?: readonly number[] | null;
  readonly roots?: readonly string[] | null;
  readonly allowedExtensions?: readonly string[];
  readonly files?: FileAccess;
  readonly scene?: number | null;
  /** As a page of another site opens: links do not lead out of the folder of the path. */
  readonly keepsLinks?: boolean;
  /** As such a page opens, too: nothing above the folder of the path is told. */
  readonly staysInFolder?: boolean;
}

/** Metadata, with the warnings of decoding, and planes. */
export interface LoadedAcquisition {
  readonly summary: AcquisitionSummary;
  /** One plane per channel. */
  readonly planes: Float32Array<ArrayBuffer>[];
  /** One plane per reference channel. */
  readonly referencePlanes: Float32Array<ArrayBuffer>[];
}

/** What was loaded, from which description, by how many reads. */
export interface LoadedHere extends LoadedAcquisition {
  readonly plan: LoadPlan;
  readonly counts: ReadCounts;
}

/** A description, with what tests ask of it. */
export interface LoadPlan extends Description {
  readonly channels: readonly number[];
  readonly rows: number;
  readonly planeBytes: number;
}

/** What is decoded of a planned load: all of it by default, in new memory. */
interface Share {
  readonly channels: readonly number[];
  readonly rows: RowRange | null;
  readonly reference: boolean;
  readonly buffers: ArrayBuffer[];
}

export function requestOf(path: string, options: LoadOptions = {}): OpenRequest {
  const { scene = null, roots = null, channelIndices = null, allowedExtensions = SUPPORTED_EXTENSIONS } =
    options;
  const { keepsLinks = false, staysInFolder = false } = options;
  return { path, roots, channelIndices, allowedExtensions, scene, keepsLinks, staysInFolder };
}

export async function planLoad(
  request: OpenRequest,
  files: FileAccess,
): Promise<{ readonly plan: LoadPlan; decode(share?: Share): Promise<LoadedAcquisition> }> {
  const acquisition = await OpenAcquisition.open({ request, marks: new Map() }, files);
  const description = await acquisition.describe();
  const { summary, working } = description;
  const { rows, columns, position } = summary;
  const channels = summary.loaded.map(({ index }) => index);
  const all: Share = { channels, rows: null, reference: summary.reference !== null, buffers: [] };
  return {
    plan: { ...description, channels, rows, planeBytes: 4 * rows * columns },
    decode: async (share = all) => {
      const decoded = await acquisition.decode({ ...share, position, working });
      const { planes, referencePlanes } = decoded;
      const reference = share.reference && referencePlanes ? summary.reference : null;
      const warnings = [...summary.warnings, ...decoded.warnings];
      return {
        summary: { ...summary, reference, warnings },
        planes: planes!,
        referencePlanes: referencePlanes ?? [],
      };
    },
  };
}

/** Loads all of what is asked for. */
export async function loadHere(path: string, options: LoadOptions = {}): Promise<LoadedHere> {
  const request = requestOf(path, options);
  using files = options.files ?? filesOf(request, new StopFlag());
  const { plan, decode } = await planLoad(request, files);
  return { ...await decode(), plan, counts: files.counts };
}

/** The plan alone; nothing is decoded. */
export async function planHere(path: string): Promise<LoadPlan> {
  using files = new FileAccess();
  return (await planLoad(requestOf(path), files)).plan;
}

/** The result of `use` with a scene, which is open as long as `use` takes. */
export async function openHere<T>(
  path: string,
  use: (acquisition: TimedAcquisition) => T | Promise<T>,
  scene: number | null = null,
  files = new FileAccess(),
): Promise<T> {
  using access = files;
  const source = { request: requestOf(path, { scene }), marks: new Map() };
  return await use((await OpenAcquisition.open(source, access)).acquisition);
}
