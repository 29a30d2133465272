/**
 * One plane of a LIF file, from opening to float32: to reading and converting as many bytes, and to liffile where a Python with it is at
 * hand (`--python=PROGRAM`, `python3` by default).
 */
import { join } from "node:path";
import { block, type DimensionOf, element, header, image, text } from "../tests/fixtures/lif_writer.ts";
import { besidePeer, openPlane } from "./python_peer.ts";
import { type BenchRow, best } from "./report.ts";

/** What is timed: a plane of an image, in a file with others. */
export interface LifShape {
  readonly columns: number;
  readonly rows: number;
  readonly planes: number;
  readonly channels: number;
  /** Images of the file. */
  readonly images: number;
  /** True where the channels lie next to each other in a pixel. */
  readonly interleaved?: boolean;
}

const ONE = { planes: 1, channels: 1, images: 1 };

/** What is measured. */
export const CASES: readonly { readonly name: string; readonly shape: LifShape; readonly z: number }[] = [
  {
    name: "a channel of 2 x 2048 x 2048, one of 20 planes",
    shape: { ...ONE, columns: 2048, rows: 2048, planes: 20, channels: 2 },
    z: 13,
  },
  { name: "a line scan of 100,000 x 256", shape: { ...ONE, columns: 256, rows: 100_000 }, z: 0 },
  {
    name: "red of 2048 x 2048 colour pixels",
    shape: { ...ONE, columns: 2048, rows: 2048, channels: 3, interleaved: true },
    z: 0,
  },
  {
    name: "a plane of 64 x 64 of 1,000 images",
    shape: { ...ONE, columns: 64, rows: 64, images: 1000 },
    z: 0,
  },
];

/** Bytes from one column, row, plane and channel to the next, of samples of 16 bits. */
function stepsOf({ columns, rows, channels, interleaved = false }: LifShape): number[] {
  const column = interleaved ? 2 * channels : 2;
  const row = columns * column;
  const channel = interleaved ? 2 : rows * row;
  return [column, row, interleaved ? rows * row : channels * channel, channel];
}

/** Writes such a file. */
export function write(path: string, shape: LifShape): void {
  const { columns, rows, planes, channels, images } = shape;
  const [column = 0, row = 0, plane = 0, channel = 0] = stepsOf(shape);
  const dimensions: DimensionOf[] = [[1, columns, column], [rows > 10_000 ? 4 : 2, rows, row]];
  if (planes > 1) dimensions.push([3, planes, plane]);
  const described = image(
    dimensions,
    Array.from({ length: channels }, (_, i) => ({
      ...{ Resolution: 16, BytesInc: i * channel },
      ChannelTag: shape.interleaved ? i + 1 : 0,
    })),
  );
  const elements = Array.from({ length: images }, (_, i) => element(`image ${i}`, described, `M${i}`));
  const samples = new Uint8Array(2 * columns * rows * planes * channels).map((_, i) => i % 251);
  using file = Deno.openSync(path, { write: true, create: true, truncate: true });
  const put = (bytes: Uint8Array) => {
    for (let done = 0; done < bytes.length;) done += file.writeSync(bytes.subarray(done));
  };
  put(text(header(element("file", "", "", elements.join("")))));
  for (let i = 0; i < images; i += 1) put(block(`M${i}`, samples));
}

/** Reads as many bytes and converts them once; of colour pixels every third sample. */
function floorOf(path: string, { columns, rows, channels, interleaved }: LifShape): Promise<number> {
  const step = interleaved ? channels : 1;
  Deno.writeFileSync(path, new Uint8Array(2 * step * columns * rows).fill(7));
  return best(5, () => {
    const words = new Uint16Array(Deno.readFileSync(path).buffer);
    const samples = new Float32Array(columns * rows);
    if (step === 1) samples.set(words);
    else for (let i = 0, at = 0; i < samples.length; i += 1, at += step) samples[i] = words[at]!;
  });
}

/** Runs all rows. */
export async function run(): Promise<BenchRow[]> {
  const folder = await Deno.makeTempDir();
  const rows: BenchRow[] = [];
  try {
    for (const { name, shape, z } of CASES) {
      const path = join(folder, "image.lif");
      write(path, shape);
      const floor = await floorOf(join(folder, "plane"), shape);
      const peer = { name: "liffile", script: "lif_peer.py", asked: { path, frame: z, channel: 0 } };
      const { milliseconds, ratios } = await besidePeer(5, () => openPlane(path, { z }), peer);
      rows.push({
        ...{ group: "LIF", name, milliseconds },
        ratios: { "to reading and converting": milliseconds / floor, ...ratios },
      });
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return rows;
}
