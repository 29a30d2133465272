/** Shape, type, chunk grid and codecs of a Zarr array, from `.zarray` or `zarr.json`. */
import { DecodeFailed } from "../errors.ts";
import { isJsonObject, type JsonObject } from "../metadata/json.ts";
import type { SampleType } from "../reader.ts";
import { findByteCodec } from "./byte_codecs.ts";
import {
  type CodecChain,
  type CodecMetadata,
  EXTENSION_FIELDS,
  readCodecChain,
  requireCodecList,
  requireKnown,
  requireSizes,
} from "./codec_chain.ts";
import { joinKey, type ZarrNode } from "./hierarchy.ts";
import { isSampleType } from "../samples/to_float32.ts";
import { fillValue, parseNumpyType } from "./sample_types.ts";

/** Largest number of axes; OME-Zarr has at most five. */
const MAX_RANK = 16;

/** The metadata of an array. */
export interface ArrayLayout {
  /** Path inside the store. */
  readonly path: string;
  readonly shape: readonly number[];
  /** Number of samples of a chunk along each axis. */
  readonly chunkShape: readonly number[];
  /** Type of the samples after all codecs. */
  readonly sampleType: SampleType;
  readonly chain: CodecChain;
  /** float32 value of samples in absent chunks; `null` if undefined. */
  readonly fill: number | null;
  readonly dimensionNames: readonly (string | null)[] | null;
  /** Returns the possible keys of the chunk at a grid position; the first existing key counts. */
  readonly chunkKeys: (position: readonly number[]) => string[];
}

/** Reads the metadata of an array. @throws {DecodeFailed} they are invalid or contain an unknown name */
export function readArrayLayout(node: ZarrNode, path: string): ArrayLayout {
  const what = `array "${path}"`;
  if (node.kind !== "array") throw new DecodeFailed(`"${path}" is a group, not an array`);
  const { fields } = node.metadata;
  const shape = fields["shape"];
  if (!Array.isArray(shape) || shape.length === 0 || shape.length > MAX_RANK) {
    throw new DecodeFailed(`${what} has the shape ${JSON.stringify(shape)?.slice(0, 100)}`);
  }
  const checked = requireSizes(shape, shape.length, `the shape of ${what}`);
  return node.zarrFormat === 3
    ? readVersion3(node, checked, path, what)
    : readVersion2(node, checked, path, what);
}

function readVersion3(node: ZarrNode, shape: number[], path: string, what: string): ArrayLayout {
  const { fields } = node.metadata;
  const written = fields["data_type"];
  // In Zarr 3.1 an object may hold the name, with a configuration for some types.
  const named = isJsonObject(written) && Object.keys(takeJsonObject(written["configuration"])).length === 0;
  const sampleType = named ? written["name"] : written;
  if (!isSampleType(sampleType)) {
    throw new DecodeFailed(`${what} has the unknown data type ${JSON.stringify(written)}`);
  }
  const grid = fields["chunk_grid"];
  if (!isJsonObject(grid) || grid["name"] !== "regular") {
    throw new DecodeFailed(`${what} has an irregular chunk grid: ${JSON.stringify(grid)?.slice(0, 100)}`);
  }
  const chunkShape = requireSizes(
    readOption(grid, "chunk_shape"),
    shape.length,
    `the chunk shape of ${what}`,
  );
  const transformers = fields["storage_transformers"];
  if (Array.isArray(transformers) && transformers.length > 0) {
    throw new DecodeFailed(`${what} uses storage transformers, which are not supported`);
  }
  for (const [name, value] of Object.entries(fields)) {
    // Zarr 3 core: readers must understand every field, unless the field says otherwise.
    if (!KNOWN_FIELDS.has(name) && !(isJsonObject(value) && value["must_understand"] === false)) {
      throw new DecodeFailed(`${what} has the unknown metadata field "${name}"`);
    }
  }
  return {
    path,
    shape,
    chunkShape,
    sampleType,
    chain: readCodecChain(requireCodecList(fields["codecs"], `"codecs" of ${what}`), {
      shape: chunkShape,
      sampleType,
      what,
    }),
    fill: fillValue(fields["fill_value"], sampleType, what),
    dimensionNames: listAxisNames(fields["dimension_names"]),
    chunkKeys: readChunkKeys(fields["chunk_key_encoding"], path, what),
  };
}

const KNOWN_FIELDS = new Set([
  "zarr_format",
  "node_type",
  "shape",
  "data_type",
  "chunk_grid",
  "chunk_key_encoding",
  "fill_value",
  "codecs",
  "attributes",
  "storage_transformers",
  "dimension_names",
  "consolidated_metadata",
]);

const listAxisNames = (names: unknown) =>
  Array.isArray(names) ? names.map((name) => typeof name === "string" ? name : null) : null;

const takeJsonObject = (value: unknown): JsonObject => isJsonObject(value) ? value : {};

function readOption(value: unknown, name: string): unknown {
  const configuration = isJsonObject(value) ? value["configuration"] : undefined;
  return isJsonObject(configuration) ? configuration[name] : undefined;
}

function readChunkKeys(encoding: unknown, path: string, what: string): ArrayLayout["chunkKeys"] {
  requireKnown(encoding, EXTENSION_FIELDS, `the chunk key encoding of ${what}`);
  if (isJsonObject(encoding)) {
    requireKnown(encoding["configuration"], ["separator"], `the chunk key encoding of ${what}`);
  }
  const name = isJsonObject(encoding) ? encoding["name"] : encoding;
  if (name !== "default" && name !== "v2") {
    throw new DecodeFailed(`${what} has the unknown chunk key encoding ${JSON.stringify(name)}`);
  }
  const separator = readOption(encoding, "separator") ?? (name === "default" ? "/" : ".");
  if (separator !== "/" && separator !== ".") {
    throw new DecodeFailed(`${what} separates chunk keys by ${JSON.stringify(separator)}`);
  }
  const prefix = name === "default" ? ["c"] : [];
  return (position) => [joinKey(path, [...prefix, ...position].join(separator))];
}

/** Required fields in Zarr 2 ("Metadata") that determine how samples are decoded. */
const REQUIRED_FIELDS = ["compressor", "filters", "order"];

function readVersion2(node: ZarrNode, shape: number[], path: string, what: string): ArrayLayout {
  const { fields } = node.metadata;
  const missing = REQUIRED_FIELDS.find((name) => fields[name] === undefined);
  if (missing !== undefined) throw new DecodeFailed(`${what} has no "${missing}" in its metadata`);
  const { type, endian } = parseNumpyType(fields["dtype"], what);
  const chunkShape = requireSizes(fields["chunks"], shape.length, `the chunk shape of ${what}`);
  const separator = fields["dimension_separator"];
  // Some writers nest chunks without declaring a separator.
  const separators = separator === undefined ? [".", "/"] : [".", "/"].filter((known) => known === separator);
  if (separators.length === 0) {
    throw new DecodeFailed(`${what} separates chunk keys by ${JSON.stringify(separator)}`);
  }
  const order = fields["order"];
  if (order !== "C" && order !== "F") {
    throw new DecodeFailed(`${what} has the order ${JSON.stringify(order)}`);
  }
  const codecs: CodecMetadata[] = [];
  if (order === "F") codecs.push({ name: "transpose", configuration: { order: "F" } });
  const filters = fields["filters"] ?? [];
  if (!Array.isArray(filters)) throw new DecodeFailed(`${what} has filters that are not a list`);
  const converted = filters.map((filter) => readVersion2Codec(filter, what));
  const isByteFilter = (codec: CodecMetadata) => findByteCodec(codec.name, codec.configuration, 1) !== null;
  const valueFilters = converted.filter((codec) => !isByteFilter(codec));
  codecs.push(...valueFilters);
  // The output of the last filter has a byte order of its own.
  const { astype, dtype } = valueFilters.at(-1)?.configuration ?? {};
  const storedEndian = typeof (astype ?? dtype) === "string"
    ? parseNumpyType(astype ?? dtype, what).endian
    : endian;
  codecs.push({ name: "bytes", configuration: { endian: storedEndian } });
  codecs.push(...converted.filter(isByteFilter));
  if (fields["compressor"] !== null) codecs.push(readVersion2Codec(fields["compressor"], what));
  return {
    path,
    shape,
    chunkShape,
    sampleType: type,
    chain: readCodecChain(codecs, { shape: chunkShape, sampleType: type, what }),
    fill: fillValue(fields["fill_value"], type, what),
    dimensionNames: listAxisNames(node.attributes["_ARRAY_DIMENSIONS"]),
    chunkKeys: (position) => separators.map((s) => joinKey(path, position.join(s))),
  };
}

function readVersion2Codec(value: unknown, what: string): CodecMetadata {
  const { id } = takeJsonObject(value);
  if (typeof id !== "string") throw new DecodeFailed(`${what} has a filter or compressor without a name`);
  // 4 is the default of numcodecs; in Zarr 3 the default is the width of a sample.
  const defaults = id === "shuffle" ? { elementsize: 4 } : {};
  return { name: id, configuration: { ...defaults, ...takeJsonObject(value) } };
}
