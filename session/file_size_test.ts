import assert from "node:assert/strict";
import { formatFileSize } from "./file_size.ts";

Deno.test("prints decimal sizes, with one decimal below 10", () => {
  const cases: [number, string][] = [
    [0, "0 bytes"],
    [814, "814 bytes"],
    [999, "999 bytes"],
    [1000, "1.0 KB"],
    [4096, "4.1 KB"],
    [9949, "9.9 KB"],
    [9951, "10 KB"],
    [870_702, "871 KB"],
    [999_499, "999 KB"],
    [999_500, "1.0 MB"],
    [4_800_000, "4.8 MB"],
    [17_000_000, "17 MB"],
    [2_288_496, "2.3 MB"],
    [5_000_000_000, "5.0 GB"],
    [2e15, "2000 TB"],
  ];
  for (const [bytes, text] of cases) assert.equal(formatFileSize(bytes), text);
});
