/** An acquisition that a worker keeps open. Its files are compared with their marks before and after each order. */
import { basename } from "node:path";
import { chooseFormat, type ChosenFormat, openChosen, type OpenedScene } from "./choose_format.ts";
import {
  AcquisitionChanged,
  DecodeFailed,
  isLoss,
  PathNotAllowed,
  PathNotFound,
  PlaneNotFound,
  quoted,
  Stopped,
  UnsupportedFormat,
} from "./errors.ts";
import { documentsOf, type MetadataDocument } from "./io/document_list.ts";
import { changed, requireMarks } from "./io/file_mark.ts";
import { fingerprintOf } from "./io/fingerprint.ts";
import { type PackedLayout, packPlane } from "./samples/packed_plane.ts";
import { newPlane } from "./samples/to_float32.ts";
import { MAX_LISTED_SCENES } from "./io/limits.ts";
import { FileAccess } from "./io/random_access.ts";
import {
  type Acquisition,
  type Channel,
  type Division,
  largerMemory,
  NO_WORKING_MEMORY,
  type PlanePlan,
  type Position,
  type Reference,
  type RowRange,
  type SceneEntry,
  type WorkingMemory,
} from "./reader.ts";
import { bounded, heapBytes } from "./metadata/description.ts";
import { openingOf, positionsOf, wantedChannels } from "./selection.ts";
import { timeDoubts } from "./metadata/time_stamps.ts";
import { lossWarning, type Warning, warning } from "./warning.ts";

/** What to open. */
export interface OpenRequest {
  /** Resolved absolute path of an existing file or directory. */
  readonly path: string;
  /** Resolved directories that may be read; `null` for no limit. */
  readonly roots: readonly string[] | null;
  /** Wanted channels in the order of the answer, distinct and not negative; `null` for all. */
  readonly channelIndices: readonly number[] | null;
  /** Extensions that may be opened. */
  readonly allowedExtensions: readonly string[];
  /** Index of the wanted scene; `null` for the one that the file belongs to. */
  readonly scene: number | null;
}

/** Where an acquisition is. */
export interface AcquisitionSource {
  /** How it is opened. */
  readonly request: OpenRequest;
  /** Marks of the files that the first open read, by resolved path; empty before. */
  readonly marks: ReadonlyMap<string, string>;
}

/** Everything but the samples; can be cloned between threads. */
export interface AcquisitionSummary
  extends Omit<Acquisition, "plan" | "documents" | "files" | "holds" | "reference" | "warnings"> {
  /** Path of the file or of the directory of the store. */
  readonly path: string;
  /** Identifies the content (`fingerprint.ts`); `null` where a file cannot be read. */
  readonly fingerprint: string | null;
  /** Short format name. */
  readonly format: string;
  /** Rows of the loaded planes. */
  readonly rows: number;
  /** Columns of the loaded planes. */
  readonly columns: number;
  /** Index of the scene. */
  readonly scene: number;
  /** Number of scenes. */
  readonly sceneCount: number;
  /** The first {@linkcode MAX_LISTED_SCENES} scenes. */
  readonly scenes: readonly SceneEntry[];
  /** Loaded channels in requested order. */
  readonly loaded: readonly Channel[];
  /** Position of the loaded planes. */
  readonly position: Position;
  /** Reference image with the shape of its planes, or `null`. */
  readonly reference: (Omit<Reference, "plan"> & { readonly rows: number; readonly columns: number }) | null;
  /** Of the metadata and the plans. */
  readonly warnings: readonly Warning[];
}

/** An opened acquisition before its first sample is read; can be cloned between threads. */
export interface Description {
  /** Everything but the samples. */
  readonly summary: AcquisitionSummary;
  /** Bytes of all loaded planes, source and reference, at 4 per sample. */
  readonly bytes: number;
  /** Estimated bytes of the summary in memory. */
  readonly summaryBytes: number;
  /** Memory that decoding takes beside them. */
  readonly working: WorkingMemory;
  /** How workers can divide the source planes; `null` where it does not pay. */
  readonly division: Division | null;
  /** Marks of the opened files by path; a replaced or changed file has another mark. */
  readonly marks: ReadonlyMap<string, string>;
}

/** Some rows of some channels. */
export interface OrderPart {
  /** Channel indices. */
  readonly channels: readonly number[];
  /** Wanted rows; `null` for all. */
  readonly rows: RowRange | null;
}

/** An order for rows of planes at one position. */
export interface PlaneOrder {
  /** Decoded in turn; an order without parts only opens the acquisition. */
  readonly parts: readonly OrderPart[];
  /** Within the acquisition. */
  readonly position: Position;
  /** Whether the reference image is decoded too. */
  readonly reference: boolean;
  /** False to judge the planes only. */
  readonly decode: boolean;
  /** Memory that decoding may take beside the planes; nothing is decoded if it needs more. */
  readonly working: WorkingMemory;
  /** Memory of released planes to use again. */
  readonly buffers: ArrayBuffer[];
}

/** An order for whole planes, packed for an archive. */
export interface PackOrder {
  /** Channels of one position; of the reference image all. */
  readonly channels: readonly number[];
  /** Within the acquisition; `null` for the reference image. */
  readonly position: Position | null;
  /** How the planes are packed. */
  readonly layout: PackedLayout;
  /** Memory that decoding may take beside the planes; nothing is decoded if it needs more. */
  readonly working: WorkingMemory;
}

/** The answer to a {@linkcode PackOrder}. */
export interface PackedPlanes {
  /** Chunks of each plane, `null` for one that the recording lacks; `null` where decoding needs more memory. */
  readonly planes: readonly (readonly Uint8Array<ArrayBuffer>[] | null)[] | null;
  /** Memory that decoding takes beside the planes. */
  readonly working: WorkingMemory;
}

/** The answer to a {@linkcode PlaneOrder}. */
export interface DecodedOrder {
  /** Row-major float32 samples of each channel of each part; `null` where nothing was decoded. */
  readonly planes: Float32Array<ArrayBuffer>[] | null;
  /** The decoded rows of each part: the wanted ones or more. */
  readonly rows: readonly RowRange[];
  /** Planes of the reference image; `null` where it was not ordered or cannot be decoded. */
  readonly referencePlanes: Float32Array<ArrayBuffer>[] | null;
  /** Why the reference image cannot be decoded. */
  readonly warnings: readonly Warning[];
  /** Memory that decoding takes beside the planes. */
  readonly working: WorkingMemory;
  /** Marks of files that were read or missing, but for those that the open read; by resolved path. */
  readonly files: ReadonlyMap<string, string>;
}

/** Planes that a survey plans, in a second or two; the others are judged when they are decoded. */
const MAX_SURVEYED = 10_000;

/** The least that the metadata of an open acquisition takes. */
const LEAST_INDEX_BYTES = 64 << 10;

/** The first planes, planned for the description and decoded by the first order. */
interface Planned {
  readonly channels: readonly number[];
  readonly position: Position;
  readonly planes: PlanePlan;
  readonly reference: PlannedReference | null;
}

/** One scene of an acquisition with its files. */
export class OpenAcquisition {
  readonly #request: OpenRequest;
  readonly #files: FileAccess;
  readonly #chosen: ChosenFormat;
  readonly #opened: OpenedScene;
  #marks: ReadonlyMap<string, string>;
  #planned: Planned | null = null;
  #summaryBytes = 0;

  private constructor(
    { request, marks }: AcquisitionSource,
    files: FileAccess,
    chosen: ChosenFormat,
    opened: OpenedScene,
  ) {
    this.#request = request;
    this.#marks = marks;
    this.#files = files;
    this.#chosen = chosen;
    this.#opened = opened;
  }

  /**
   * Reads the metadata.
   *
   * @param files limited to the roots of the request; closed if the open fails
   * @throws {AcquisitionChanged} a mark of the source differs
   * @throws {ReaderError} with a message that names the file
   */
  static async open(source: AcquisitionSource, files: FileAccess): Promise<OpenAcquisition> {
    const { path, allowedExtensions, scene } = source.request;
    try {
      requireMarks(source.marks);
      const chosen = chooseFormat(path, allowedExtensions, files);
      return new OpenAcquisition(source, files, chosen, await openChosen(chosen, files, scene));
    } catch (error) {
      const reason = reasonOf(error, source, files);
      files.close();
      throw reason;
    }
  }

  /** The scene that is open. */
  get acquisition(): Acquisition {
    return this.#opened.acquisition;
  }

  /** Estimated bytes that it takes. */
  get indexBytes(): number {
    return Math.max(LEAST_INDEX_BYTES, this.#summaryBytes) + (this.acquisition.indexBytes ?? 0);
  }

  /** Sets the stop flag of the next work. */
  follow(shared: SharedArrayBuffer): void {
    this.#files.stop.follow(shared);
  }

  /** Describes the acquisition and plans its first planes. @throws {ReaderError} with a message that names the file */
  async describe(): Promise<Description> {
    try {
      return await this.#describe();
    } catch (error) {
      const isLost = error instanceof PlaneNotFound;
      throw withName(this.#request.path, isLost ? new DecodeFailed(error.message, { cause: error }) : error);
    }
  }

  async #describe(): Promise<Description> {
    const { format, path } = this.#chosen;
    const { acquisition, scene, scenes } = this.#opened;
    const { channelIndices } = this.#request;
    const entries = scenes.entries(MAX_LISTED_SCENES);
    const wanted = wantedChannels(basename(path), acquisition.channels, channelIndices);
    const { loaded, position, warnings: openingWarnings } = openingOf(
      acquisition,
      wanted,
      channelIndices !== null,
    );
    const channels = loaded.map(({ index }) => index);
    const planes = await acquisition.plan(channels, position);
    const warnings = [
      ...scenes.warnings,
      ...acquisition.warnings,
      ...timeDoubts(acquisition),
      ...openingWarnings,
      ...planes.warnings,
    ];
    const reference = await planReference(acquisition.reference, warnings);
    this.#planned = { channels, position, planes, reference };
    for (const [path, mark] of this.#files.marks) {
      if ((this.#marks.get(path) ?? mark) !== mark) throw changed(path);
    }
    this.#marks = this.#files.marks;
    const {
      plan: _plan,
      documents: _documents,
      files: _files,
      holds: _holds,
      reference: _reference,
      ...metadata
    } = acquisition;
    const fingerprint = this.#fingerprint(path, warnings);
    const summary: AcquisitionSummary = {
      ...bounded(metadata),
      path,
      fingerprint,
      format: scenes.format ?? format.name,
      rows: planes.rows,
      columns: planes.columns,
      scene,
      sceneCount: scenes.count,
      scenes: bounded(entries),
      loaded: bounded(loaded),
      position,
      reference: reference && bounded(summaryOf(reference)),
      warnings: bounded(warnings),
    };
    this.#summaryBytes = heapBytes(summary);
    return {
      summary,
      bytes: planeBytes(planes) * channels.length +
        (reference ? planeBytes(reference.plan) * reference.image.channels.length : 0),
      summaryBytes: this.#summaryBytes,
      working: workingOf([planes, ...reference ? [reference.plan] : []]),
      division: planes.division ?? null,
      marks: this.#marks,
    };
  }

  /** Opens the files again, so that its reads mark none of them. */
  #fingerprint(path: string, warnings: Warning[]): string | null {
    const files = new FileAccess(this.#request.roots, this.#files.stop);
    try {
      return fingerprintOf(this.acquisition.files?.() ?? [path], this.acquisition.fileSize, files);
    } catch (error) {
      if (!isLoss(error)) throw error;
      warnings.push(lossWarning(error, "file_damaged", "The content for the fingerprint"));
      return null;
    } finally {
      files.close();
    }
  }

  /** Judges and decodes planes. @throws {PlaneNotFound | AcquisitionChanged | DecodeFailed | Stopped} */
  async decode(order: PlaneOrder): Promise<DecodedOrder> {
    this.#files.takeUsed();
    try {
      const planned = this.#planned;
      this.#planned = null;
      if (planned === null) requireMarks(this.#marks);
      const decoded = await this.#decode(order, planned);
      requireMarks(this.#marks);
      requireMarks(decoded.files);
      return decoded;
    } catch (error) {
      throw this.#reasonOf(error);
    }
  }

  async #decode(order: PlaneOrder, planned: Planned | null): Promise<DecodedOrder> {
    const { parts, position, decode, working: allowed, buffers } = order;
    const plans: PlanePlan[] = [];
    for (const part of parts) plans.push(await this.#plan(part, position, planned));
    const warnings: Warning[] = [];
    const reference = order.reference
      ? planned?.reference ?? await planReference(this.acquisition.reference, warnings)
      : null;
    const working = workingOf([...plans, ...reference ? [reference.plan] : []]);
    let planes: Float32Array<ArrayBuffer>[] | null = null;
    let referencePlanes: Float32Array<ArrayBuffer>[] | null = null;
    if (decode && working.bytes <= allowed.bytes) {
      planes = [];
      for (const [i, plan] of plans.entries()) {
        const { start, end } = rowsOf(plan);
        const samples = (end - start) * plan.columns;
        const filled = parts[i]!.channels.map(() => newPlane(samples, buffers, !plan.overwrites));
        await plan.decode(filled);
        planes.push(...filled);
      }
      referencePlanes = reference && await decodeReference(reference, warnings);
    }
    const files = new Map([...this.#files.takeUsed()].filter(([path]) => !this.#marks.has(path)));
    return { planes, rows: plans.map(rowsOf), referencePlanes, warnings, working, files };
  }

  /** The plan of a part, possibly that of the description. */
  #plan({ channels, rows }: OrderPart, position: Position, planned: Planned | null): Promise<PlanePlan> {
    const isWhole = rows === null || planned !== null && rows.start === 0 && rows.end === planned.planes.rows;
    const isPlanned = planned !== null && isWhole && samePosition(position, planned.position) &&
      channels.length === planned.channels.length &&
      channels.every((index, i) => index === planned.channels[i]);
    if (isPlanned) return Promise.resolve(planned.planes);
    return this.acquisition.plan(channels, position, isWhole ? undefined : rows);
  }

  /**
   * Decodes and packs planes.
   *
   * @throws {AcquisitionChanged | DecodeFailed | Stopped}
   */
  async pack(order: PackOrder): Promise<PackedPlanes> {
    this.#planned = null;
    this.#files.takeUsed();
    try {
      requireMarks(this.#marks);
      const packed = await this.#pack(order);
      requireMarks(this.#marks);
      requireMarks(this.#files.takeUsed());
      return packed;
    } catch (error) {
      throw this.#reasonOf(error);
    }
  }

  async #pack({ channels, position, layout, working: allowed }: PackOrder): Promise<PackedPlanes> {
    const plans = position === null
      ? [await this.#referencePlan(channels)]
      : await plansAt(this.acquisition, channels, position);
    const working = workingOf(plans.flatMap((plan) => plan === null ? [] : [plan.plan]));
    if (working.bytes > allowed.bytes) return { planes: null, working };
    const planes: (Uint8Array<ArrayBuffer>[] | null)[] = [];
    for (const planned of plans) {
      if (planned === null) {
        planes.push(null);
        continue;
      }
      const { plan, count } = planned;
      if (plan.columns !== layout.columns || plan.rows < layout.rows) {
        throw new DecodeFailed(
          `the plane has ${plan.rows} x ${plan.columns} samples instead of ${layout.rows} x ${layout.columns}`,
        );
      }
      const samples = Array.from({ length: count }, () => newPlane(plan.rows * plan.columns, []));
      await plan.decode(samples);
      for (const plane of samples) {
        this.#files.stop.check();
        planes.push(packPlane(plane, layout));
        plane.buffer.transfer(0);
      }
    }
    return { planes, working };
  }

  async #referencePlan(channels: readonly number[]): Promise<CountedPlan> {
    const { reference } = this.acquisition;
    if (reference === null) throw new DecodeFailed("its reference image is gone");
    return { plan: await reference.plan(), count: channels.length };
  }

  /**
   * Plans planes at every position, without decoding, and so finds those that are cut or lie outside their file.
   *
   * @param channels loaded ones
   * @throws {AcquisitionChanged | DecodeFailed | Stopped}
   */
  async survey(channels: readonly number[]): Promise<void> {
    this.#planned = null;
    this.#files.takeUsed();
    try {
      requireMarks(this.#marks);
      let left = MAX_SURVEYED;
      for (const position of positionsOf(this.acquisition.axes)) {
        this.#files.stop.check();
        if ((left -= channels.length) < 0) break;
        await plansAt(this.acquisition, channels, position);
      }
      requireMarks(this.#marks);
    } catch (error) {
      throw this.#reasonOf(error);
    }
  }

  /** The metadata documents of the file. @throws {AcquisitionChanged | DecodeFailed | Stopped} */
  documents(): readonly MetadataDocument[] {
    try {
      requireMarks(this.#marks);
      const documents = documentsOf(this.acquisition);
      requireMarks(this.#marks);
      return documents;
    } catch (error) {
      throw this.#reasonOf(error);
    }
  }

  #reasonOf(error: unknown): unknown {
    return reasonOf(error, { request: this.#request, marks: this.#marks }, this.#files);
  }

  /** Closes its files until they are read again. */
  rest(): void {
    this.#files.rest();
  }

  /** Closes its files for good. */
  close(): void {
    this.#files.close();
  }
}

/** A plan for some channels. */
interface CountedPlan {
  readonly plan: PlanePlan;
  readonly count: number;
}

/** A plan for all channels, or where planes are missing one for each, `null` for a missing one. */
async function plansAt(
  acquisition: Acquisition,
  channels: readonly number[],
  position: Position,
): Promise<(CountedPlan | null)[]> {
  try {
    return [{ plan: await acquisition.plan(channels, position), count: channels.length }];
  } catch (error) {
    if (!(error instanceof PlaneNotFound)) throw error;
    if (channels.length === 1) return [null];
  }
  const plans: (CountedPlan | null)[] = [];
  for (const channel of channels) plans.push(...await plansAt(acquisition, [channel], position));
  return plans;
}

const samePosition = (a: Position, b: Position) => a.t === b.t && a.z === b.z && a.l === b.l;

const rowsOf = (plan: PlanePlan): RowRange => plan.filled ?? { start: 0, end: plan.rows };

const planeBytes = (plan: PlanePlan) => 4 * plan.rows * plan.columns;

const workingOf = (plans: readonly PlanePlan[]): WorkingMemory =>
  plans.map(({ working }) => working ?? NO_WORKING_MEMORY).reduce(largerMemory, NO_WORKING_MEMORY);

interface PlannedReference {
  readonly image: Reference;
  readonly plan: PlanePlan;
}

function summaryOf({ image, plan }: PlannedReference): AcquisitionSummary["reference"] {
  const { plan: _plan, ...metadata } = image;
  return { ...metadata, rows: plan.rows, columns: plan.columns };
}

/** A reference image that cannot be decoded becomes a warning. */
async function planReference(image: Reference | null, warnings: Warning[]): Promise<PlannedReference | null> {
  if (image === null) return null;
  try {
    const plan = await image.plan();
    warnings.push(...plan.warnings);
    return { image, plan };
  } catch (error) {
    warnings.push(referenceWarning(error));
    return null;
  }
}

async function decodeReference(
  { image, plan }: PlannedReference,
  warnings: Warning[],
): Promise<Float32Array<ArrayBuffer>[] | null> {
  try {
    const planes = image.channels.map(() => newPlane(plan.rows * plan.columns, []));
    await plan.decode(planes);
    return planes;
  } catch (error) {
    warnings.push(referenceWarning(error));
    return null;
  }
}

function referenceWarning(error: unknown): Warning {
  if (isLoss(error) || error instanceof PlaneNotFound) {
    return warning("reference_unreadable", `The reference image cannot be decoded: ${error.message}`);
  }
  throw error;
}

/** Reports {@linkcode AcquisitionChanged} when a file changed or is gone, else the error with the name of the file. */
function reasonOf(error: unknown, { request, marks }: AcquisitionSource, files: FileAccess): unknown {
  if (error instanceof Stopped) return error;
  try {
    requireMarks(marks);
    requireMarks(files.takeUsed());
  } catch (change) {
    return change;
  }
  const isGone = error instanceof PathNotFound || error instanceof PathNotAllowed ||
    error instanceof UnsupportedFormat;
  if (!isGone || marks.size === 0) return withName(request.path, error);
  const whole = quoted(basename(request.path));
  return new AcquisitionChanged(`A file of ${whole} is gone; open it again: ${error.message}`, {
    cause: error,
  });
}

/** Names the file in errors about it. */
function withName(path: string, error: unknown): unknown {
  if (error instanceof PlaneNotFound) {
    const message = `${quoted(basename(path))} does not hold this plane: ${error.message}`;
    return new PlaneNotFound(message, { cause: error });
  }
  const isFull = error instanceof RangeError && error.message.includes("rray buffer allocation failed");
  if (!isFull && !isLoss(error)) return error;
  const reason = isFull ? "the machine has too little memory for it" : error.message;
  return new DecodeFailed(`Cannot read "${basename(path)}": ${reason}`, { cause: error });
}
