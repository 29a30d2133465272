/** An acquisition that a worker keeps open. Before and after each order, its files are compared with their marks. */
import { basename } from "node:path";
import {
  chooseFormat,
  type ChosenFormat,
  openChosen,
  type OpenedScene,
} from "../../readers/choose_format.ts";
import {
  AcquisitionChanged,
  DecodeFailed,
  isLoss,
  PathNotAllowed,
  PathNotFound,
  PlaneNotFound,
  quoted,
  Stopped,
  toWire,
  UnsupportedFormat,
} from "../../readers/errors.ts";
import type { MetadataDocument } from "../../readers/io/document_list.ts";
import { changedFile, encodeMarks, requireEncodedMarks, requireMarks } from "../../readers/io/paths.ts";
import { computeFingerprint } from "../../readers/io/fingerprint.ts";
import { estimateHeap, limitTexts, MAX_DOCUMENT_BYTES, MAX_LISTED_SCENES } from "../../readers/io/limits.ts";
import { FileAccess } from "../../readers/io/file_access.ts";
import type { StopFlag } from "../../readers/io/stop_flag.ts";
import { chooseOpening, selectChannels } from "../../readers/metadata/selection.ts";
import type { TimedAcquisition } from "../../readers/metadata/time_stamps.ts";
import { type PlanePlan, type Position, type Reference, sizesOf, workingOf } from "../../readers/reader.ts";
import { allocatePlane } from "../../readers/samples/to_float32.ts";
import { unlessLost, warnIf, type Warning, warning } from "../../readers/warning.ts";
import type { DecodedOrder, DecodedRun, Description, PlaneOrder, RunOrder } from "./orders.ts";
import type { PackedPlanes, PackOrder } from "../archive/content/archive_orders.ts";
import type { AcquisitionSource, AcquisitionSummary, OpenRequest } from "../acquisition_summary.ts";
import type {
  ArchivedRecording,
  CheckedMembers,
  MemberOrder,
  WriteOrder,
  WrittenFiles,
} from "../archive/content/archive_orders.ts";
import type { DescribedRecording } from "../archive/content/member_documents.ts";

/** Number of files of a plane whose marks are reported: sixteen times the chunks of 512 x 512 in a plane of 4096 x 4096. */
const MAX_REPORTED = 1024;

/** Least number of bytes that the metadata of an open acquisition takes. */
const LEAST_INDEX_BYTES = 64 << 10;

/** The first planes: planned with the description, decoded with the first order. */
interface FirstPlanes {
  readonly channels: readonly number[];
  readonly position: Position;
  readonly plan: PlanePlan;
  readonly reference: PlannedReference | null;
}

/** A reference image with the plan of all its channels. */
interface PlannedReference {
  readonly image: Reference;
  readonly plan: PlanePlan;
}

/** The files that an open may read. */
export const filesOf = ({ path, roots, keepsLinks }: OpenRequest, stop: StopFlag): FileAccess =>
  new FileAccess(roots, stop, keepsLinks ? path : null);

/** One scene of an acquisition with its files. */
export class OpenAcquisition {
  #source: AcquisitionSource;
  readonly #files: FileAccess;
  readonly #chosen: ChosenFormat;
  readonly #opened: OpenedScene;
  #first: FirstPlanes | null = null;
  /** For its archive, once described. */
  #recording: Promise<DescribedRecording> | null = null;
  #summaryBytes = 0;
  /** Bytes of text that the reader may keep: two for each byte read that may belong to a document. */
  readonly #textBytes: number;

  private constructor(
    source: AcquisitionSource,
    files: FileAccess,
    chosen: ChosenFormat,
    opened: OpenedScene,
  ) {
    this.#source = source;
    this.#files = files;
    this.#chosen = chosen;
    this.#opened = opened;
    this.#textBytes = 2 * Math.min(files.counts.bytes, MAX_DOCUMENT_BYTES);
  }

  /**
   * Opens a scene and reads its metadata. If that fails, closes the files.
   *
   * @throws {AcquisitionChanged} a mark of the source differs
   * @throws {ReaderError} with a message that names the file
   */
  static async open(source: AcquisitionSource, files: FileAccess): Promise<OpenAcquisition> {
    const { path, allowedExtensions, scene, staysInFolder } = source.request;
    try {
      requireMarks(source.marks);
      return await files.listingAhead(async () => {
        const chosen = await chooseFormat(path, allowedExtensions, files);
        const opened = await openChosen(chosen, files, scene, staysInFolder);
        return new OpenAcquisition(source, files, chosen, opened);
      });
    } catch (error) {
      const failure = explainFailure(error, source, files);
      files.close();
      throw failure;
    }
  }

  get acquisition(): TimedAcquisition {
    return this.#opened.acquisition;
  }

  /** Estimated bytes that the acquisition takes. */
  get indexBytes(): number {
    const described = Math.max(LEAST_INDEX_BYTES, this.#summaryBytes);
    return described + this.#textBytes + (this.acquisition.indexBytes ?? 0);
  }

  /** Sets the stop flag of the next order. */
  follow(shared: SharedArrayBuffer): void {
    this.#files.stop.follow(shared);
  }

  /** Describes the acquisition and plans its first planes. @throws {ReaderError} with a message that names the file */
  async describe(): Promise<Description> {
    const { request } = this.#source;
    try {
      const { summary, first } = await this.#files.listingAhead(() => this.#describe());
      const { marks } = this.#files;
      for (const [path, mark] of marks) {
        if ((this.#source.marks.get(path) ?? mark) !== mark) throw changedFile(path);
      }
      const seen = encodeMarks(new Map([...this.#files.takeSeen(), ...marks]));
      this.#source = { request, marks };
      this.#first = first;
      this.#summaryBytes = estimateHeap(summary) + seen.length;
      const { plan, channels, reference } = first;
      return {
        summary,
        bytes: countFloatBytes(plan) * channels.length +
          (reference ? countFloatBytes(reference.plan) * reference.image.channels.length : 0),
        summaryBytes: this.#summaryBytes,
        working: workingOf([plan, ...reference ? [reference.plan] : []]),
        division: plan.division ?? null,
        marks,
        seen,
      };
    } catch (error) {
      const isLost = error instanceof PlaneNotFound;
      throw withName(request.path, isLost ? new DecodeFailed(error.message, { cause: error }) : error);
    }
  }

  async #describe(): Promise<{ readonly summary: AcquisitionSummary; readonly first: FirstPlanes }> {
    const { format, path } = this.#chosen;
    const { acquisition, scene, scenes } = this.#opened;
    const { channelIndices } = this.#source.request;
    const {
      plan: _plan,
      documents: _documents,
      content: _content,
      files: _files,
      holds: _holds,
      reference: _reference,
      ...metadata
    } = acquisition;
    const entries = scenes.entries(MAX_LISTED_SCENES)
      .map((entry, index) => index === scene ? { ...entry, sizes: sizesOf(acquisition.axes) } : entry);
    const wanted = selectChannels(basename(path), acquisition.channels, channelIndices);
    const opening = chooseOpening(acquisition, wanted, channelIndices !== null);
    const { loaded, position } = opening;
    const channels = loaded.map(({ index }) => index);
    const plan = await acquisition.plan(channels, position);
    const { rows, columns } = plan;
    const unlisted =
      `Only the first ${MAX_LISTED_SCENES} of ${scenes.count} scenes are listed; the others open by their index`;
    const warnings = [
      ...scenes.warnings,
      ...warnIf(scenes.count > MAX_LISTED_SCENES, "scenes_left_out", unlisted),
      ...acquisition.warnings,
      ...opening.warnings,
      ...plan.warnings,
    ];
    const reference = await planReference(acquisition.reference, warnings);
    const fingerprint = this.#fingerprint(warnings);
    const summary = limitTexts({
      ...metadata,
      fingerprint,
      format: scenes.format ?? format.name,
      rows,
      columns,
      scene,
      sceneCount: scenes.count,
      scenes: entries,
      loaded,
      position,
      reference: reference && summarizeReference(reference),
      warnings,
    });
    return { summary: { ...summary, path }, first: { channels, position, plan, reference } };
  }

  /** The fingerprint; if a file cannot be read, warns and returns `null`. */
  #fingerprint(warnings: Warning[]): string | null {
    const { acquisition } = this;
    const paths = acquisition.files?.() ?? [this.#chosen.path];
    // Separate, so that reading the fingerprint marks no file.
    using own = filesOf(this.#source.request, this.#files.stop);
    const read = () => computeFingerprint(paths, acquisition.fileSize, own);
    return unlessLost(warnings, "The content for the fingerprint", read, "file_damaged");
  }

  /** Decodes planes. @throws {PlaneNotFound | AcquisitionChanged | DecodeFailed | Stopped} */
  async decode(order: PlaneOrder): Promise<DecodedOrder> {
    const [decoded, files] = await this.#unchanged(() => this.#decode(order));
    return { ...decoded, files, seen: order.marksAll ? encodeMarks(this.#files.takeSeen()) : null };
  }

  async #decode(order: PlaneOrder): Promise<Omit<DecodedOrder, "files" | "seen">> {
    const first = this.#first;
    this.#first = null;
    const { channels, working: allowed, buffers } = order;
    const plan = await this.#plan(order, first);
    const warnings: Warning[] = [];
    const reference = order.reference
      ? first?.reference ?? await planReference(this.acquisition.reference, warnings)
      : null;
    const working = workingOf([...plan ? [plan] : [], ...reference ? [reference.plan] : []]);
    const rows = plan ? plan.filled ?? { start: 0, end: plan.rows } : { start: 0, end: 0 };
    if (working.bytes > allowed.bytes) {
      return { planes: null, rows, referencePlanes: null, warnings, working };
    }
    const samples = (rows.end - rows.start) * (plan?.columns ?? 0);
    const planes = channels.map(() => allocatePlane(samples, buffers, !plan?.overwrites));
    await plan?.decode(planes);
    const referencePlanes = reference && await decodeReference(reference, warnings);
    return { planes, rows, referencePlanes, warnings: limitTexts(warnings), working };
  }

  /** The plan of an order, reusing that of the description if possible; `null` if there are no channels. */
  async #plan(
    { channels, position, rows }: PlaneOrder,
    first: FirstPlanes | null,
  ): Promise<PlanePlan | null> {
    if (channels.length === 0) return null;
    const isWhole = rows === null || first !== null && rows.start === 0 && rows.end === first.plan.rows;
    if (
      first !== null && isWhole && isSameJson(channels, first.channels) &&
      isSameJson(position, first.position)
    ) {
      return first.plan;
    }
    return await this.acquisition.plan(channels, position, isWhole ? undefined : rows);
  }

  /** Decodes consecutive planes of a channel. @throws {PlaneNotFound | AcquisitionChanged | DecodeFailed | Stopped} */
  async run(order: RunOrder): Promise<DecodedRun> {
    const { decodeRun } = await import("./decode_run.ts");
    const [decoded, files] = await this.#unchanged(() =>
      decodeRun(this.acquisition, order, this.#files.stop)
    );
    const { failure } = decoded;
    const named = failure === null ? null : toWire(withName(this.#source.request.path, failure));
    return { ...decoded, failure: named, files };
  }

  // Each of these throws {AcquisitionChanged | DecodeFailed | Stopped}.

  /** Decodes and packs planes. */
  async pack(order: PackOrder): Promise<PackedPlanes> {
    const { packPlanes } = await import("../archive/content/archive_planes.ts");
    return (await this.#unchanged(() => packPlanes(this.acquisition, order, this.#files.stop)))[0];
  }

  /** Checks members of this recording by documents v1 and, if they have no faults, plans all planes. */
  async checkMembers(recording: ArchivedRecording, members: readonly MemberOrder[]): Promise<CheckedMembers> {
    const { checkMembers } = await import("../archive/content/member_documents.ts");
    const { stop } = this.#files;
    const described = await this.#describedFor(recording);
    const [checked] = await this.#unchanged(async () => {
      this.#requireSame(recording);
      const checked = checkMembers(described, members, stop);
      if (recording.images === "none" || checked.faults.length > 0) return checked;
      const { surveyPlanes } = await import("../archive/content/archive_planes.ts");
      const channels = described.channels.map(({ index }) => index);
      await surveyPlanes(this.acquisition, channels, checked.layout.packed, stop);
      return checked;
    });
    return { ...checked, seen: encodeMarks(this.#files.takeSeen()) };
  }

  /** Writes documents of a member. Those at its end are written only if none of its files has changed since its open. */
  async write(order: WriteOrder): Promise<WrittenFiles> {
    const { writeFiles } = await import("../archive/content/member_documents.ts");
    const described = await this.#describedFor(order.recording);
    const write = () => {
      if (order.part !== "reference") this.#requireSame(order.recording);
      return writeFiles(described, order);
    };
    return (await this.#unchanged(write))[0];
  }

  #describedFor(recording: ArchivedRecording): Promise<DescribedRecording> {
    const describe = async () => {
      const { describeRecording } = await import("../archive/content/member_documents.ts");
      const { summary } = await this.describe();
      const { axes, fileSize, sceneCount } = summary;
      if (!isSameJson({ axes, fileSize, sceneCount }, recording.shape)) throw changedFile(summary.path);
      return describeRecording(summary, recording, this.acquisition.content?.() ?? null);
    };
    return this.#recording ??= describe();
  }

  /** Compares all files of an archived recording with their marks. */
  #requireSame({ seen }: ArchivedRecording): void {
    for (const encoded of seen) requireEncodedMarks(encoded, this.#files.stop);
  }

  /** The metadata documents of the file. */
  async documents(): Promise<readonly MetadataDocument[]> {
    const { collectDocuments } = await import("../../readers/io/document_list.ts");
    return (await this.#unchanged(() => collectDocuments(this.acquisition)))[0];
  }

  /**
   * Does some work between two checks of the marks. Returns its result, and the marks of up to {@linkcode MAX_REPORTED} files that
   * only this work read.
   */
  async #unchanged<T>(work: () => T | Promise<T>): Promise<[T, ReadonlyMap<string, string>]> {
    const { marks } = this.#source;
    this.#files.takeUsed();
    this.#files.takeSeen();
    try {
      requireMarks(marks);
      const result = await this.#files.listingAhead(async () => await work());
      const files = new Map([...this.#files.takeUsed()].filter(([path]) => !marks.has(path)));
      requireMarks(marks);
      requireMarks(files);
      return [result, new Map(files.entries().take(MAX_REPORTED))];
    } catch (error) {
      throw explainFailure(error, this.#source, this.#files);
    }
  }

  /** Closes the files until the next read. */
  rest(): void {
    this.#files.rest();
  }

  close(): void {
    this.#files.close();
  }
}

const isSameJson = (a: object, b: object) => JSON.stringify(a) === JSON.stringify(b);

const countFloatBytes = (plan: PlanePlan) => 4 * plan.rows * plan.columns;

function summarizeReference({ image, plan }: PlannedReference): AcquisitionSummary["reference"] {
  const { plan: _plan, ...metadata } = image;
  return { ...metadata, rows: plan.rows, columns: plan.columns };
}

const planReference = (image: Reference | null, warnings: Warning[]) =>
  unlessUnreadable(warnings, async () => {
    if (image === null) return null;
    const plan = await image.plan();
    warnings.push(...plan.warnings);
    return { image, plan };
  });

const decodeReference = ({ image, plan }: PlannedReference, warnings: Warning[]) =>
  unlessUnreadable(warnings, async () => {
    const planes = image.channels.map(() => allocatePlane(plan.rows * plan.columns, []));
    await plan.decode(planes);
    return planes;
  });

/** The result of some work on the reference image; if the image cannot be read, warns and returns `null`. */
async function unlessUnreadable<T>(warnings: Warning[], work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!isLoss(error) && !(error instanceof PlaneNotFound)) throw error;
    const text = `The reference image cannot be decoded: ${error.message}`;
    warnings.push(warning("reference_unreadable", text));
    return null;
  }
}

/** {@linkcode AcquisitionChanged} if a file changed or is gone; else the error, with the name of the file. */
function explainFailure(error: unknown, { request, marks }: AcquisitionSource, files: FileAccess): unknown {
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

/** Package that Deno could not fetch for an import, which it does only when the code that needs it is loaded; `null` for other errors. */
function findMissingPackage(error: unknown): string | null {
  const isImport = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
  return isImport ? /npm package '([^']+)'/.exec(error.message)?.[1] ?? null : null;
}

/** Adds the name of the file to errors about it. */
function withName(path: string, error: unknown): unknown {
  const name = quoted(basename(path));
  if (error instanceof PlaneNotFound) {
    return new PlaneNotFound(`${name} does not hold this plane: ${error.message}`, { cause: error });
  }
  const isFull = error instanceof RangeError && error.message.includes("rray buffer allocation failed");
  const missing = findMissingPackage(error);
  if (!isFull && missing === null && !isLoss(error)) return error;
  const reason = isFull
    ? "the machine has too little memory for it"
    : missing === null
    ? (error as Error).message
    : `it needs ${quoted(missing)}, which was not fetched yet; open it once with internet access`;
  return new DecodeFailed(`Cannot read ${name}: ${reason}`, { cause: error });
}
