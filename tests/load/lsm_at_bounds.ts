/** LSM files at the bounds of their parsers, as `files_at_bounds.ts` has them of other formats. */
import { MAX_CHANNELS } from "../../readers/io/limits.ts";
import { MAX_DIRECTORIES, MAX_SEGMENTS } from "../../readers/tiff/bounds.ts";
import { packed, type Written } from "../fixtures/lsm_parts.ts";

const RECORD_BYTES = 464;

/** A tag, its type, how many values, and the value or where the values are. */
type Entry = readonly [tag: number, type: number, count: number, value: number];

/** What a file holds. */
interface Bounds {
  readonly rows: number;
  readonly channels: number;
  readonly times: number;
  /** Parts by the place of their offset in the record. */
  readonly parts: ReadonlyMap<number, Uint8Array>;
  /** Strips of each channel. */
  readonly strips: number;
}

/** An LSM of one column and 8 bits: record, parts, a table for all values that are not single, pages behind one another. */
function lsm({ rows, channels, times, parts, strips }: Bounds): Uint8Array {
  const count = strips * channels;
  const partBytes = [...parts.values()].reduce((sum, part) => sum + part.length, 0);
  const tableAt = 8 + RECORD_BYTES + partBytes;
  const pagesAt = tableAt + 4 * count + 8 + (rows * channels);
  const fields = (page: number): readonly Entry[] => [
    [256, 4, 1, 1],
    [257, 4, 1, rows],
    [258, 3, 1, 8],
    [259, 3, 1, 1],
    [262, 3, 1, 1],
    [273, 4, count, count === 1 ? pagesAt - 8 : tableAt],
    [277, 3, 1, channels],
    [284, 3, 1, 2],
    page === 0 ? [34412, 1, RECORD_BYTES, 8] : [65_000, 4, 1, 0],
  ];
  const each = 2 + 12 * 9 + 4;
  const bytes = new Uint8Array(pagesAt + each * times);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x002a4949, true);
  view.setUint32(4, pagesAt, true);
  [0x0400494c, RECORD_BYTES, 1, rows, 1, channels, times].forEach((word, i) =>
    view.setUint32(8 + 4 * i, word, true)
  );
  view.setUint16(8 + 88, 3, true);
  let at = 8 + RECORD_BYTES;
  for (const [place, part] of parts) {
    view.setUint32(8 + place, at, true);
    bytes.set(part, at);
    at += part.length;
  }
  for (let i = 0; i < count; i += 1) view.setUint32(tableAt + 4 * i, tableAt + 4 * count + i, true);
  for (let page = 0; page < times; page += 1) {
    const start = pagesAt + each * page;
    view.setUint16(start, 9, true);
    fields(page).forEach(([tag, type, values, value], i) => {
      const entry = start + 2 + 12 * i;
      view.setUint16(entry, tag, true);
      view.setUint16(entry + 2, type, true);
      view.setUint32(entry + 4, values, true);
      view.setUint32(entry + 8, value, true);
    });
    view.setUint32(start + each - 4, page + 1 < times ? start + each : 0, true);
  }
  return bytes;
}

const SMALL: Bounds = { rows: 1, channels: 1, times: 1, parts: new Map(), strips: 1 };

const STAMPS = 1 << 20;

/** As many time stamps and entries that describe the scan as are read. */
function mostParts(): ReadonlyMap<number, Uint8Array> {
  const stamps = new Uint8Array(8 + 8 * STAMPS);
  stamps.set(packed(["i", stamps.length, STAMPS]));
  const entries = Array.from({ length: 99_998 }, (): Written => ["u", 1, 2, 0]);
  const scan = packed(["u", 0x1000_0000, 0, 0], ...entries, ["u", 0xffff_ffff, 0, 0]);
  return new Map([[132, stamps], [124, scan]]);
}

/** Files by name; that of what is beyond a bound begins with `more_`. */
export const lsmAtBounds = (): Readonly<Record<string, () => Uint8Array>> => ({
  "most_pages.lsm": () => lsm({ ...SMALL, times: MAX_DIRECTORIES }),
  "most_strips.lsm": () => lsm({ ...SMALL, rows: MAX_SEGMENTS, strips: MAX_SEGMENTS }),
  "most_channels.lsm": () => lsm({ ...SMALL, channels: MAX_CHANNELS }),
  "more_channels.lsm": () => lsm({ ...SMALL, channels: MAX_CHANNELS + 1 }),
  "most_parts.lsm": () => lsm({ ...SMALL, parts: mostParts() }),
});
