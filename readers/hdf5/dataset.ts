/** What a dataset of an HDF5 file has. */
import type { SampleType } from "../reader.ts";
import type { Filter } from "./library.ts";

/** Samples in a file. */
export interface Dataset {
  readonly path: string;
  readonly shape: readonly number[];
  /** `null` for text, compounds and other elements that are no samples. */
  readonly sampleType: SampleType | null;
  /** Byte order of stored samples; the library gives little-endian ones. */
  readonly littleEndian: boolean;
  /** Bytes of an element. */
  readonly width: number;
  /** Shape of a chunk; `null` unless it is stored in chunks. */
  readonly chunks: readonly number[] | null;
  readonly filters: readonly Filter[];
}
