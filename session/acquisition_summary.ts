/** What the server knows about an opened acquisition: its location, and everything but its samples. */
import type { TimedAcquisition } from "../readers/metadata/time_stamps.ts";
import type { Channel, Position, Reference, SceneEntry } from "../readers/reader.ts";
import type { Warning } from "../readers/warning.ts";

/** How to open an acquisition. */
export interface OpenRequest {
  /** Resolved absolute path of an existing file or directory. */
  readonly path: string;
  /** Resolved directories that may be read; `null` for no limit. */
  readonly roots: readonly string[] | null;
  /** Wanted channels in the order of the answer, distinct and not negative; `null` for all. */
  readonly channelIndices: readonly number[] | null;
  readonly allowedExtensions: readonly string[];
  /** Index of the wanted scene; `null` for the scene that the file belongs to. */
  readonly scene: number | null;
  /** True if no collection document above the path may be read, since a page of another site asks. */
  readonly staysInFolder?: boolean;
  /** True if symbolic links may not lead out of the folder of the path: a page of another site asks, or every open is by dialog. */
  readonly keepsLinks?: boolean;
}

/** Location of an acquisition. */
export interface AcquisitionSource {
  readonly request: OpenRequest;
  /** Marks of the files that the first open read, by resolved path; empty before that open. */
  readonly marks: ReadonlyMap<string, string>;
}

/** An acquisition without its samples; can be cloned between threads. */
export interface AcquisitionSummary
  extends
    Omit<TimedAcquisition, "plan" | "documents" | "content" | "files" | "holds" | "reference" | "warnings"> {
  /** Path of the file, or of the directory of the store. */
  readonly path: string;
  /** Identifies the content (`fingerprint.ts`); `null` if a file cannot be read. */
  readonly fingerprint: string | null;
  readonly format: string;
  readonly rows: number;
  readonly columns: number;
  readonly scene: number;
  readonly sceneCount: number;
  /** The first `MAX_LISTED_SCENES` scenes. */
  readonly scenes: readonly SceneEntry[];
  readonly loaded: readonly Channel[];
  readonly position: Position;
  /** Reference image with the shape of its planes, or `null`. */
  readonly reference: (Omit<Reference, "plan"> & { readonly rows: number; readonly columns: number }) | null;
  readonly warnings: readonly Warning[];
}
