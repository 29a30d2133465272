/** The plan for some samples of one plane: its strips and tiles, checked against the file, and how to decode them. */
import type { Codec } from "../codecs/segment.ts";
import { DecodeFailed } from "../errors.ts";
import { NO_WORKING_MEMORY, type RowRange, type WorkingMemory } from "../reader.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import type { Warning } from "../warning.ts";
import { CompressedSegments } from "./compressed_segments.ts";
import { codecOf } from "./compression.ts";
import { type PageLayout, UNCOMPRESSED } from "./page.ts";
import { readRaw } from "./raw_segments.ts";
import type { Wanted } from "./samples.ts";
import { SegmentTable } from "./segment_table.ts";
import type { PlaneSource } from "./stack.ts";
import { TAG, tagName } from "./tags.ts";

/** A wanted sample of a plane, and the index of the float32 plane that it fills. */
export interface WantedSample {
  /** Which sample of a pixel. */
  readonly sample: number;
  /** Index of the plane that it fills. */
  readonly target: number;
}

/** One source and how its wanted samples are decoded. */
export interface SourcePlan {
  /** True where strips or tiles have a codec. */
  readonly compressed: boolean;
  /** What is doubtful about the page. */
  readonly warnings: readonly Warning[];
  /** What the codec takes beside the planes. */
  readonly working: WorkingMemory;
  /** Fills the planes that are wanted. @throws {DecodeFailed | Stopped} */
  decode(planes: readonly Float32Array[]): Promise<void>;
}

/**
 * Checks every strip or tile of the wanted samples and rows.
 *
 * @param rows those that the planes are filled with; all by default
 * @throws {DecodeFailed} one lies outside the file, or is too short for what it declares
 */
export async function planSource(
  source: PlaneSource,
  wanted: readonly WantedSample[],
  stop: StopFlag,
  rows?: RowRange,
): Promise<SourcePlan> {
  const { page, run } = source;
  const targets = (planes: readonly Float32Array[]): Wanted[] =>
    wanted.map(({ sample, target }) => ({ sample, plane: planes[target]! }));
  if (page.compression === UNCOMPRESSED) {
    const table = new SegmentTable(source, null, rows);
    table.check(wanted, null);
    return {
      compressed: false,
      warnings: [...page.warnings, ...run === null ? table.surplus() : []],
      working: NO_WORKING_MEMORY,
      decode: (planes) => Promise.resolve(readRaw(table, targets(planes), stop)),
    };
  }
  if (run !== null) {
    throw new DecodeFailed(
      `${tagName(TAG.Compression)} is ${page.compression} in a run of planes with one directory`,
    );
  }
  const codec = source.strips?.codec ?? await codecOf(page.compression);
  requireWidths(page, codec);
  const table = new SegmentTable(source, codec, rows);
  table.check(wanted, codec);
  const segments = new CompressedSegments(table, codec);
  const bytes = codec.workingBytes(segments.largest(wanted));
  return {
    compressed: true,
    warnings: page.warnings,
    working: { bytes, endsWithWorker: codec.endsWithWorker ?? false },
    decode: (planes) => segments.decode(targets(planes), stop),
  };
}

/** @throws {DecodeFailed} samples of widths that a codec of samples does not give */
function requireWidths({ bits }: PageLayout, codec: Codec): void {
  if (!codec.image || bits.every((width) => width === bits[0] && width !== 1)) return;
  throw new DecodeFailed(
    `${tagName(TAG.BitsPerSample)} is ${bits.join(", ")}; samples of ${codec.title} have one width above 1`,
  );
}
