/**
 * An acquisition that a worker keeps open, so that one more plane costs one read and one conversion and no new parse. Its
 * files may rest meanwhile; what tells where the planes lie stays.
 */
import { basename } from "node:path";
import { chooseFormat, openChosen } from "./choose_format.ts";
import {
  AcquisitionChanged,
  PathNotAllowed,
  PathNotFound,
  quoted,
  Stopped,
  UnsupportedFormat,
} from "./errors.ts";
import { requireMarks } from "./file_mark.ts";
import { type LoadRequest, withName } from "./load.ts";
import { MAX_DOCUMENT_BYTES } from "./limits.ts";
import { newPlane } from "./new_plane.ts";
import { FileAccess } from "./random_access.ts";
import {
  type Acquisition,
  type MetadataDocument,
  NO_WORKING_MEMORY,
  type Position,
  type RowRange,
  type WorkingMemory,
} from "./reader.ts";
import { StopFlag } from "./stop_flag.ts";

/** Where an acquisition is and what its files were when its session began. */
export interface KeptSource {
  /** The load of the session, with its scene. */
  readonly request: LoadRequest;
  /** By resolved path, the marks of the files that the open read. */
  readonly marks: ReadonlyMap<string, string>;
}

/** One plane, whole or some of its rows. */
export interface PlaneOrder {
  /** Channel index. */
  readonly channel: number;
  /** Within the acquisition. */
  readonly position: Position;
  /** Wanted rows; `null` for the whole plane. */
  readonly rows: RowRange | null;
  /** False when it is judged and not decoded. */
  readonly decode: boolean;
  /** Bytes that the decoder may take beside the plane; when it needs more, nothing is decoded. */
  readonly working: number;
  /** Memory of released planes that may be used again. */
  readonly buffers: ArrayBuffer[];
}

/** What became of a {@linkcode PlaneOrder}. */
export interface KeptPlane {
  /** `columns` float32 samples for each of `rows`, row-major; `null` where nothing was decoded. */
  readonly samples: Float32Array<ArrayBuffer> | null;
  /** The rows that were decoded: the wanted ones or more. */
  readonly rows: RowRange;
  /** What decoding takes beside the plane. */
  readonly working: WorkingMemory;
  /** By resolved path, the marks of the files that the plane comes from or that it lacks, but for those that the open read. */
  readonly files: ReadonlyMap<string, string>;
}

/** What an acquisition keeps at least: its metadata. */
const LEAST_INDEX_BYTES = 64 << 10;

/** One acquisition of one session. */
export class KeptAcquisition {
  readonly #source: KeptSource;
  readonly #stop: StopFlag;
  readonly #files: FileAccess;
  readonly #acquisition: Acquisition;

  private constructor(
    source: KeptSource,
    opened: { stop: StopFlag; files: FileAccess; acquisition: Acquisition },
  ) {
    this.#source = source;
    this.#stop = opened.stop;
    this.#files = opened.files;
    this.#acquisition = opened.acquisition;
  }

  /**
   * Opens it once more.
   *
   * @param shared memory of the stop flag
   * @throws {AcquisitionChanged} its files are not those that the session was opened with
   * @throws {ReaderError}
   */
  static async open(source: KeptSource, shared: SharedArrayBuffer): Promise<KeptAcquisition> {
    const { path, roots, allowedExtensions, scene } = source.request;
    requireMarks(source.marks);
    const stop = new StopFlag(shared);
    const files = new FileAccess(roots, stop);
    try {
      const chosen = chooseFormat(path, allowedExtensions, files);
      const { acquisition } = await openChosen(chosen, files, scene);
      return new KeptAcquisition(source, { stop, files, acquisition });
    } catch (error) {
      files.close();
      throw reasonOf(error, source, files);
    }
  }

  /**
   * Judges a plane and decodes it.
   *
   * @param shared memory of the stop flag of this work
   * @throws {PlaneNotFound | AcquisitionChanged | DecodeFailed | Stopped}
   */
  async plane(order: PlaneOrder, shared: SharedArrayBuffer): Promise<KeptPlane> {
    this.#stop.follow(shared);
    this.#files.takeUsed();
    requireMarks(this.#source.marks);
    try {
      return await this.#planAndDecode(order);
    } catch (error) {
      throw reasonOf(error, this.#source, this.#files);
    }
  }

  async #planAndDecode(
    { channel, position, rows, decode, working, buffers }: PlaneOrder,
  ): Promise<KeptPlane> {
    const acquisition = this.#acquisition;
    const plan = await acquisition.plan([channel], position, rows ?? undefined);
    const needed = plan.working ?? NO_WORKING_MEMORY;
    const filled = plan.filled ?? { start: 0, end: plan.rows };
    let samples: Float32Array<ArrayBuffer> | null = null;
    if (decode && needed.bytes <= working) {
      samples = newPlane((filled.end - filled.start) * plan.columns, buffers, !plan.overwrites);
      await plan.decode([samples]);
    }
    const { marks } = this.#source;
    requireMarks(marks);
    const files = new Map([...this.#files.takeUsed()].filter(([path]) => !marks.has(path)));
    requireMarks(files);
    return { samples, rows: filled, working: needed, files };
  }

  /** Bytes that it takes while it is kept, about. */
  get indexBytes(): number {
    return LEAST_INDEX_BYTES + (this.#acquisition.indexBytes ?? 0);
  }

  /**
   * The metadata documents of the file.
   *
   * @throws {AcquisitionChanged | DecodeFailed | Stopped}
   */
  documents(shared: SharedArrayBuffer): readonly MetadataDocument[] {
    this.#stop.follow(shared);
    requireMarks(this.#source.marks);
    try {
      const documents = this.#acquisition.documents(MAX_DOCUMENT_BYTES);
      requireMarks(this.#source.marks);
      return documents;
    } catch (error) {
      throw reasonOf(error, this.#source, this.#files);
    }
  }

  /** Gives the descriptors of its files back. */
  rest(): void {
    this.#files.rest();
  }

  /** Closes its files for good. */
  close(): void {
    this.#files.close();
  }
}

/** Why nothing can be had: what is damaged now may have been written to just now, what is no file any more was one before. */
function reasonOf(error: unknown, { request, marks }: KeptSource, files: FileAccess): unknown {
  if (error instanceof Stopped) return error;
  try {
    requireMarks(marks);
    requireMarks(files.takeUsed());
  } catch (change) {
    return change;
  }
  if (
    error instanceof PathNotFound || error instanceof PathNotAllowed || error instanceof UnsupportedFormat
  ) {
    const whole = quoted(basename(request.path));
    return new AcquisitionChanged(
      `A file of ${whole} is not there any more; open it again: ${error.message}`,
      {
        cause: error,
      },
    );
  }
  return withName(request.path, error);
}
