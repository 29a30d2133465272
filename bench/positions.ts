/**
 * Stepping through the planes of a stack, against reading and converting the same bytes in one process and GETs of as many bytes
 * from a bare server.
 */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { inflateSync } from "node:zlib";
import { writePlainStack } from "../tests/fixtures/plain_store.ts";
import { Client, getAll } from "./http_client.ts";
import type { BenchRow } from "./report.ts";
import { pageOf } from "./sample_files.ts";
import { type ServerProcess, startBareServer, startServer } from "./server_process.ts";
import { REST_MS, withFolder } from "./setting.ts";
import { type Field, picture, writePages } from "./tiff_pages.ts";
import { inTurns, timed } from "./timing.ts";

/** Stacks of square planes of uint16: how they are stored, the number of planes, their side. */
const STACKS = [
  ["raw", 1000, 512],
  ["deflate", 1000, 512],
  ["OME-Zarr, a chunk for each plane", 1000, 512],
  ["raw", 100, 2048],
] as const;

type Stack = (typeof STACKS)[number];

/** Reads the samples of one plane. */
type Read = (plane: number) => Uint8Array<ArrayBuffer>;

/** Writes a stack. Returns its path, and how the samples of its planes are read. */
async function write(folder: string, [kind, planes, side]: Stack): Promise<{ path: string; read: Read }> {
  if (kind !== "raw" && kind !== "deflate") {
    const path = join(folder, "stack.ome.zarr");
    const plane = new Uint16Array(picture(side, side).buffer);
    await writePlainStack(path, { planes: new Array(planes).fill(plane), rows: side, columns: side });
    return { path, read: (plane) => Deno.readFileSync(join(path, `0/c/${plane}/0/0`)) };
  }
  const path = join(folder, "stack.tif");
  const page = pageOf({ columns: side, rows: side, stripRows: side }, kind === "raw" ? "none" : kind);
  const offsets = writePages(path, new Array(planes).fill(page));
  const file = Deno.openSync(path);
  const buffer = new Uint8Array(page.channels[0]![0]!.length);
  const read = (plane: number) => {
    file.seekSync(offsets[plane]!, Deno.SeekMode.Start);
    for (let done = 0; done < buffer.length;) done += file.readSync(buffer.subarray(done)) ?? buffer.length;
    return kind === "raw" ? buffer : new Uint8Array(inflateSync(buffer));
  };
  return { path, read };
}

/** Reads all planes of a stack and converts them to float32. */
function convert(read: Read, [, planes, side]: Stack): void {
  for (let plane = 0; plane < planes; plane += 1) {
    const bytes = read(plane);
    const stored = new Uint16Array(bytes.buffer, bytes.byteOffset, side * side);
    const samples = new Float32Array(side * side);
    for (let i = 0; i < samples.length; i += 1) samples[i] = stored[i]!;
  }
}

/** Opens a stack. Its format decides along which axis the planes lie. */
async function open(server: ServerProcess, path: string) {
  const { header, channels: [channel], sessionId } = await server.open(path);
  const axis = header.dims[0].toLowerCase();
  return { sessionId, target: (planes: number | string): string => `${channel.dataUrl}?${axis}=${planes}` };
}

/** All planes of a stack in one response, against a bare response of as many bytes. */
const readRun = (stack: Stack, server: ServerProcess, barePort: number): Promise<BenchRow> =>
  withFolder(async (folder) => {
    const [kind, planes, side] = stack;
    const { path, read } = await write(folder, stack);
    const { converted, sent, served } = await inTurns(3, {
      converted: () => timed(() => convert(read, stack)),
      sent: () => timed(() => getAll(barePort, 1, [`/${4 * side * side * planes}`])),
      served: async () => {
        const { sessionId, target } = await open(server, path);
        const times = await timed(() => getAll(server.port, 1, [target(`0-${planes - 1}`)]));
        await server.remove({ sessionId });
        return times;
      },
    });
    return {
      group: `a run of ${planes} planes of ${side} x ${side}, each`,
      name: kind,
      milliseconds: served.least.clock / planes,
      ratios: {
        "to read + convert": served.least.clock / converted.least.clock,
        "to read + convert + bare GET": served.least.clock / (converted.least.clock + sent.least.clock),
      },
    };
  });

const stepping = (stack: Stack, server: ServerProcess, barePort: number): Promise<BenchRow[]> =>
  withFolder(async (folder) => {
    const [kind, planes, side] = stack;
    const { path, read } = await write(folder, stack);
    const numbers = Array.from({ length: planes }, (_, plane) => plane);
    const rows: BenchRow[] = [];
    for (const connections of [1, 4]) {
      const { converted, sent, served } = await inTurns(3, {
        converted: () => timed(() => convert(read, stack)),
        sent: () => timed(() => getAll(barePort, connections, numbers.map(() => `/${4 * side * side}`))),
        served: async () => {
          const { sessionId, target } = await open(server, path);
          const times = await timed(() => getAll(server.port, connections, numbers.map(target)));
          await server.remove({ sessionId });
          return times;
        },
      });
      const milliseconds = served.least.clock;
      rows.push({
        group: `stepping through ${planes} planes of ${side} x ${side}, each`,
        name: `${kind}, ${connections === 1 ? "one at a time" : "four at once"}`,
        milliseconds: milliseconds / planes,
        ratios: {
          "to read + convert + bare GET": milliseconds / (converted.least.clock + sent.least.clock),
          "of the throughput of bare GETs": sent.least.clock / milliseconds,
        },
      });
    }
    return rows;
  });

const [PAGES, SIDE] = [8000, 64];

/** Writes an OME-TIFF of focus planes. */
function writeOmeTiff(path: string): void {
  const sizes = `SizeX="${SIDE}" SizeY="${SIDE}" SizeZ="${PAGES}" SizeC="1" SizeT="1"`;
  const xml = '<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0">' +
    `<Pixels ID="Pixels:0" DimensionOrder="XYZCT" Type="uint16" ${sizes}><Channel ID="Channel:0:0"/>` +
    `<TiffData IFD="0" PlaneCount="${PAGES}"/></Pixels></Image></OME>\0`;
  const page = pageOf({ columns: SIDE, rows: SIDE });
  const fields: Field[] = [...page.fields!, [270, 2, [...new TextEncoder().encode(xml)]]];
  writePages(path, [{ ...page, fields }, ...new Array(PAGES - 1).fill(page)]);
}

/** A file of many pages: steps at both ends, the first other plane, and a plane after a rest. */
const jumping = (server: ServerProcess): Promise<BenchRow[]> =>
  withFolder(async (folder) => {
    const path = join(folder, "many.ome.tif");
    writeOmeTiff(path);
    const get = async (target: string) => {
      using client = await Client.connect(server.port);
      // Connecting is not a part of the step.
      await client.get("/api/v2/health");
      return await timed(() => client.get(target));
    };
    const kept = await open(server, path);
    // Seven planes apart, beyond what is read ahead.
    let plane = 11;
    const { early, late } = await inTurns(50, {
      early: () => get(kept.target(plane += 7)),
      late: () => get(kept.target(PAGES - 1000 + plane)),
    });
    const { other, rested } = await inTurns(5, {
      other: async () => {
        const { sessionId, target } = await open(server, path);
        const times = await get(target(PAGES / 2));
        await server.remove({ sessionId });
        return times;
      },
      rested: async () => {
        await pause(REST_MS);
        return await get(kept.target(plane += 7));
      },
    });
    const group = `an OME-TIFF of ${PAGES} pages of ${SIDE} x ${SIDE}, medians`;
    const row = (name: string, milliseconds: number): BenchRow => ({
      ...{ group, name, milliseconds },
      ratios: { "to a step near the start": milliseconds / early.median.clock },
    });
    return [
      row("a step near the start", early.median.clock),
      row("a step near the end", late.median.clock),
      row("the first other plane after opening", other.median.clock),
      row(`a step after ${REST_MS / 1000} s of rest`, rested.median.clock),
    ];
  });

/** Measures all stacks. */
export async function run(): Promise<BenchRow[]> {
  await using server = await startServer();
  await using bare = await startBareServer("bare node:http, writes of 4 MiB");
  const rows: BenchRow[] = [];
  for (const stack of STACKS) {
    rows.push(...await stepping(stack, server, bare.port), await readRun(stack, server, bare.port));
  }
  return [...rows, ...await jumping(server)];
}
