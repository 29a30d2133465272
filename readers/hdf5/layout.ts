/** Where the elements of a dataset are (sections IV.A.2.f, h, i and l). */
import type { Fields } from "./fields.ts";

/** How the chunks of a dataset are found. */
export type ChunkIndex =
  | { readonly kind: "tree"; readonly address: number | null }
  | {
    readonly kind: "single";
    readonly address: number | null;
    readonly bytes: number | null;
    readonly mask: number;
  }
  | { readonly kind: "implicit"; readonly address: number | null }
  | { readonly kind: "fixed" | "extensible" | "records"; readonly address: number | null };

/** Where elements are. */
export type DatasetLayout =
  | { readonly kind: "compact"; readonly bytes: Uint8Array }
  | { readonly kind: "contiguous"; readonly address: number | null; readonly bytes: number | null }
  | {
    readonly kind: "chunked";
    readonly chunk: readonly number[];
    /** Bytes of an element, as the layout states it. */
    readonly width: number;
    readonly index: ChunkIndex;
    /** Whether chunks that reach over an edge are stored without filters. */
    readonly plainEdges: boolean;
  }
  | { readonly kind: "virtual" };

/** A filter of chunks. */
export interface Filter {
  readonly id: number;
  readonly name: string;
  readonly cd_values: readonly number[];
}

/** Reads a layout. @throws {DamagedStructure} */
export function readDatasetLayout(fields: Fields): DatasetLayout {
  const version = fields.version(1, 2, 3, 4, 5);
  if (version < 3) return readOldLayout(fields);
  const kind = fields.u8();
  if (kind === 0) return { kind: "compact", bytes: fields.take(fields.u16()).slice() };
  if (kind === 1) return { kind: "contiguous", address: fields.address(), bytes: fields.length() };
  if (kind === 3 && version > 3) return { kind: "virtual" };
  if (kind !== 2) fields.fail(`it has a layout of kind ${kind}`);
  if (version > 3) return readIndexedLayout(fields);
  const axes = fields.u8();
  const address = fields.address();
  return makeChunkedLayout(fields, Array.from({ length: axes }, () => fields.u32()), {
    kind: "tree",
    address,
  });
}

function makeChunkedLayout(
  fields: Fields,
  lengths: readonly number[],
  index: ChunkIndex,
  plainEdges = false,
): DatasetLayout {
  if (lengths.length < 2 || lengths.some((length) => length === 0)) {
    fields.fail(`it has chunks of ${lengths.join(" x ")}`);
  }
  return { kind: "chunked", chunk: lengths.slice(0, -1), width: lengths.at(-1)!, index, plainEdges };
}

/** Layouts of versions 1 and 2, which state sizes of the dataset, too. */
function readOldLayout(fields: Fields): DatasetLayout {
  const [axes, kind] = [fields.u8(), fields.u8()];
  fields.skip(5);
  const address = kind === 0 ? null : fields.address();
  const lengths = Array.from({ length: axes }, () => fields.u32());
  if (kind === 0) return { kind: "compact", bytes: fields.take(fields.u32()).slice() };
  if (kind === 1) return { kind: "contiguous", address, bytes: null };
  if (kind !== 2) fields.fail(`it has a layout of kind ${kind}`);
  return makeChunkedLayout(fields, lengths, { kind: "tree", address });
}

function readIndexedLayout(fields: Fields): DatasetLayout {
  const [flags, axes, width] = [fields.u8(), fields.u8(), fields.u8()];
  if (width < 1 || width > 8) fields.fail(`its sizes of chunks have ${width} bytes`);
  const lengths = Array.from({ length: axes }, () => fields.uint(width));
  const kind = fields.u8();
  const plainEdges = (flags & 1) !== 0;
  if (kind === 1) {
    const isFiltered = (flags & 2) !== 0;
    const [bytes, mask] = isFiltered ? [fields.length(), fields.u32()] : [null, 0];
    return makeChunkedLayout(
      fields,
      lengths,
      { kind: "single", bytes, mask, address: fields.address() },
      plainEdges,
    );
  }
  if (kind === 2) {
    return makeChunkedLayout(fields, lengths, { kind: "implicit", address: fields.address() }, plainEdges);
  }
  const kinds = { 3: ["fixed", 1], 4: ["extensible", 5], 5: ["records", 6] } as const;
  const [named, skipped] = kinds[kind as 3] ?? fields.fail(`its chunks have an index of kind ${kind}`);
  fields.skip(skipped);
  return makeChunkedLayout(fields, lengths, { kind: named, address: fields.address() }, plainEdges);
}

/** Most filters (section IV.A.2.l), and most numbers and letters of one. */
const [MAX_FILTERS, MAX_VALUES] = [32, 4096];

/** Reads the filters. @throws {DamagedStructure} */
export function readFilters(fields: Fields): Filter[] {
  const version = fields.version(1, 2);
  const count = fields.u8();
  if (count > MAX_FILTERS) fields.fail(`it has ${count} filters`);
  fields.skip(version === 1 ? 6 : 0);
  return Array.from({ length: count }, () => {
    const id = fields.u16();
    const length = version === 1 || id >= 256 ? fields.u16() : 0;
    fields.skip(2);
    const values = fields.u16();
    if (length > MAX_VALUES || values > MAX_VALUES) fields.fail(`filter ${id} has ${values} values`);
    const bytes = fields.take(version === 1 ? length + 7 & ~7 : length);
    const end = bytes.indexOf(0);
    const name = new TextDecoder("latin1").decode(end < 0 ? bytes : bytes.subarray(0, end));
    const cd_values = Array.from({ length: values }, () => fields.u32());
    fields.skip(version === 1 && values % 2 === 1 ? 4 : 0);
    return { id, name, cd_values };
  });
}

/** Reads the value of elements that were never written; `null` for zeros. @throws {DamagedStructure} */
export function fillIn(fields: Fields): Uint8Array | null {
  const version = fields.version(1, 2, 3);
  if (version === 3) {
    const flags = fields.u8();
    return flags & 0x20 ? fields.take(fields.u32()).slice() : null;
  }
  fields.skip(2);
  const isDefined = fields.u8() !== 0;
  if (!isDefined && version === 2) return null;
  const size = fields.u32();
  // Undefined values have a size of -1 in old files.
  return size === 0 || size === 0xffffffff ? null : fields.take(size).slice();
}
