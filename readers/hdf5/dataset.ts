/** Datasets of an HDF5 file: shape, type and storage. */
import { DecodeFailed } from "../errors.ts";
import type { SampleType } from "../reader.ts";
import { type Datatype, findSampleType, readDataspace, readDatatype } from "./datatype.ts";
import { DamagedStructure } from "./fields.ts";
import { findMessage } from "./group.ts";
import { type DatasetLayout, fillIn, type Filter, readDatasetLayout, readFilters } from "./layout.ts";
import { MESSAGE, type ObjectHeader } from "./object_header.ts";
import type { Objects } from "./objects.ts";

/** Elements in a file. */
export interface Dataset {
  readonly path: string;
  /** Address of its header. */
  readonly address: number;
  readonly shape: readonly number[];
  /** Sizes up to which it may grow. */
  readonly limits: readonly number[];
  readonly type: Datatype;
  /** `null` for text, compounds, unusual floats and other elements that are not samples. */
  readonly sampleType: SampleType | null;
  /** Bytes of an element. */
  readonly width: number;
  readonly layout: DatasetLayout;
  /** Shape of a chunk; `null` unless it is stored in chunks. */
  readonly chunks: readonly number[] | null;
  readonly filters: readonly Filter[];
  /** An element that was never written, as stored; `null` for zeros. */
  readonly fill: Uint8Array | null;
}

/** Most bytes of a dataset, up to which a number counts exactly. */
const MAX_BYTES = Number.MAX_SAFE_INTEGER;

/** Whether a header is that of a dataset. */
export const isDataset = (header: ObjectHeader): boolean => findMessage(header, MESSAGE.layout) !== null;

/** Checks that the layout of a dataset that cannot grow has as many bytes as its elements. @throws {DamagedStructure} */
function requireStatedBytes(path: string, layout: DatasetLayout, bytes: number): void {
  const stated = layout.kind === "compact"
    ? layout.bytes.length
    : layout.kind === "contiguous"
    ? layout.bytes
    : null;
  if (stated === null || stated === bytes) return;
  throw new DamagedStructure(`${path} is damaged: it states ${stated} bytes of elements that need ${bytes}`);
}

/** Reads the dataset that a header describes. @throws {DecodeFailed} */
export function readDataset(objects: Objects, header: ObjectHeader, path: string): Dataset {
  const fieldsOf = (type: number) => {
    const message = findMessage(header, type);
    return message && objects.fields(message, path);
  };
  const required = (type: number, what: string) => {
    const fields = fieldsOf(type);
    if (fields === null) throw new DamagedStructure(`${path} is damaged: it has no ${what}`);
    return fields;
  };
  const type = readDatatype(required(MESSAGE.datatype, "type"));
  const space = readDataspace(required(MESSAGE.dataspace, "sizes"));
  const layout = readDatasetLayout(required(MESSAGE.layout, "layout"));
  if (layout.kind === "virtual") {
    throw new DecodeFailed(`${path} is a view of other datasets, which are not read`);
  }
  if (findMessage(header, MESSAGE.externalFiles) !== null) {
    throw new DecodeFailed(`${path} has its samples in other files, which are not read`);
  }
  const filters = fieldsOf(MESSAGE.filters);
  const [fill, oldFill] = [fieldsOf(MESSAGE.fill), fieldsOf(MESSAGE.oldFill)];
  const value = fill === null ? oldFill && oldFill.take(oldFill.u32()).slice() : fillIn(fill);
  const shape = space.shape ?? [0];
  const bytes = shape.reduce((product, length) => product * length, type.size);
  if (bytes > MAX_BYTES) throw new DamagedStructure(`${path} is damaged: it has ${bytes} bytes`);
  const isChunked = layout.kind === "chunked";
  if (isChunked && (layout.chunk.length !== shape.length || layout.width !== type.size)) {
    throw new DamagedStructure(
      `${path} is damaged: its chunks have ${layout.chunk.length} axes and elements of ${layout.width} bytes`,
    );
  }
  if (value !== null && value.length > 0 && value.length !== type.size) {
    throw new DamagedStructure(
      `${path} is damaged: the value of what was never written has ${value.length} bytes`,
    );
  }
  if (filters !== null && !isChunked) {
    throw new DamagedStructure(`${path} is damaged: it has filters without chunks`);
  }
  requireStatedBytes(path, layout, bytes);
  const at = layout.kind === "contiguous"
    ? layout.address
    : layout.kind === "chunked"
    ? layout.index.address
    : null;
  if (at !== null && bytes > 0) objects.blocks.claimData(at, header.address, path);
  return {
    path,
    address: header.address,
    shape,
    limits: space.shape === null ? [0] : space.limits,
    type,
    sampleType: findSampleType(type),
    width: type.size,
    layout,
    chunks: isChunked ? layout.chunk : null,
    filters: filters === null ? [] : readFilters(filters),
    fill: value !== null && value.length > 0 ? value : null,
  };
}
