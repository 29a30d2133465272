import assert from "node:assert/strict";
import { ByteSection, DecodedBytes } from "../io/byte_source.ts";
import { ByteWindow } from "./byte_window.ts";

/** Notes the offset and length of each read. */
class NotedSource extends ByteSection {
  readonly reads: [offset: number, length: number][] = [];

  override readInto(offset: number, target: Uint8Array, what: string): void {
    this.reads.push([offset, target.length]);
    super.readInto(offset, target, what);
  }
}

Deno.test("a window begins with 512 bytes after a jump and doubles up to 65536 while reads go on", () => {
  const bytes = Uint8Array.from({ length: 1 << 18 }, (_, i) => i % 251);
  const file = new NotedSource(new DecodedBytes(bytes, "the file"), 0, bytes.length, "the file");
  const window = new ByteWindow(file);
  const at = (offset: number, length: number, ...reads: [offset: number, length: number][]) => {
    file.reads.length = 0;
    const view = window.view(offset, length, "a structure");
    assert.deepEqual([view.getUint8(0), view.byteLength], [offset % 251, length]);
    assert.deepEqual(file.reads, reads, `${offset} + ${length}`);
  };
  at(0, 8, [0, 512]);
  at(504, 8);
  // Right after the window, and across its end.
  at(512, 8, [512, 1024]);
  at(1530, 10, [1530, 2048]);
  // Back, shortly after the end, and further after it than the window is long.
  at(0, 8, [0, 512]);
  at(512, 8, [512, 1024]);
  at(1537, 8, [1537, 2048]);
  at(5634, 8, [5634, 512]);
  // A long structure is read whole.
  at(100_000, 40_000, [100_000, 40_000]);
  at(140_000, 8, [140_000, 65_536]);
  at(205_536, 8, [205_536, bytes.length - 205_536]);
});
