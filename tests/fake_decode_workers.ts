/** Loads by scripted decode workers, which read no file. */
import assert from "node:assert/strict";
import { DecodePool } from "../session/decode_pool.ts";
import { MemoryBudget } from "../session/memory_budget.ts";
import { loadAcquisition } from "../session/opener.ts";
import { PlaneMemory } from "../session/plane_memory.ts";
import type { LoadedAcquisition } from "../session/store.ts";
import { HandClock } from "./contract/harness.ts";
import { pause, until } from "./deadline.ts";

/**
 * Decode workers that behave as the last name in the path of the acquisition says; they speak the protocol of `session/worker/orders.ts`. Each
 * sample is 1000 times its channel plus its row. They keep nothing open.
 */
const SCRIPT = `
const wait = new Int32Array(new SharedArrayBuffer(4));
const id = Math.random();
const paths = new Map();
const post = (message, buffers = []) => self.postMessage({ ...message, indexBytes: null }, buffers);
const fail = (tag, message) => post({ type: "failed", error: { tag, message, stack: "" } });
const isHeavy = (path) => path.startsWith("divide");
const columnsOf = (path) => path === "divide rows" ? 42_000 : isHeavy(path) ? 14_000 : 1;
const open = ({ stop }, path) => {
  const flag = new Int32Array(stop);
  switch (path) {
    case "spin": while (Atomics.load(flag, 0) === 0) Atomics.wait(wait, 0, 0, 5);
      return fail("shutting_down", "stopped");
    case "deaf": Atomics.wait(wait, 0, 0, 300);
      return fail("shutting_down", "stopped");
    case "never": return;
    case "late": while (Atomics.load(flag, 0) === 0) Atomics.wait(wait, 0, 0, 5);
      Atomics.wait(wait, 0, 0, 1000);
      return fail("shutting_down", "stopped");
    case "throw": throw new Error("broken");
  }
  const bytes = path === "divide heavy" ? 4 << 20 : path.startsWith("wasm") || path === "decoder" ? 500 : 0;
  const channels = path === "divide rows" ? [4] : isHeavy(path) ? [4, 0, 2] : [1];
  const summary = {
    format: "FAKE", scene: 0, loaded: channels.map((index) => ({ index })), rows: 100, columns: columnsOf(path),
    position: { t: 0, z: 0, l: 0 }, reference: {}, warnings: [], worker: id, open: paths.size,
  };
  post({
    type: "answered",
    answer: {
      summary,
      bytes: isHeavy(path) ? 16 << 20 : 400,
      summaryBytes: 0,
      working: { bytes, endsWithWorker: path.startsWith("wasm") },
      division: isHeavy(path) ? { channels: 1, rows: path === "divide rows" ? 25 : 100 } : null,
      marks: new Map(),
    },
  });
};
const decode = ({ channels, rows: wanted, reference }, path) => {
  if (channels.length === 0) {
    if (path === "divide and never join") return;
    if (path.startsWith("divide and join late")) Atomics.wait(wait, 0, 0, 1500);
    if (path.endsWith("and fail to")) return fail("decode_failed", "no such file");
    if (path === "divide changed and hang") return fail("acquisition_changed", "changed");
  } else {
    if (path === "plan and throw" || path === "divide and throw" && !reference) throw new Error("broken");
    if (path.startsWith("divide and fail") && !reference) return fail("decode_failed", "bad strip");
    if (path.endsWith("and hang")) Atomics.wait(wait, 0, 0, 400);
    if (path === "divide and end late" && channels[0] === 2) Atomics.wait(wait, 0, 0, 3000);
  }
  const rows = wanted ?? { start: 0, end: 100 };
  const columns = columnsOf(path);
  const count = path === "divide unequal" && !reference ? 50 : rows.end - rows.start;
  const planes = channels.map((channel) => {
    const plane = new Float32Array(count * columns);
    for (let row = 0; row < count; row += 1) {
      plane.fill(1000 * channel + rows.start + row, row * columns, (row + 1) * columns);
    }
    return plane;
  });
  post({
    type: "answered",
    answer: {
      planes, rows, referencePlanes: null, warnings: [], working: { bytes: 0, endsWithWorker: false }, files: new Map(),
    },
  }, planes.map(({ buffer }) => buffer));
};
self.onmessage = ({ data }) => {
  if (data.type === "forget") {
    const path = paths.get(data.key);
    paths.delete(data.key);
    if (path === "plan and throw when closed") throw new Error("broken");
    return;
  }
  if (data.type === "rest") return;
  if (data.source) paths.set(data.key, data.source.request.path.split("/").at(-1));
  const path = paths.get(data.key);
  if (data.question.type === "open") open(data, path);
  else decode(data.question.order, path);
};`;

const startFake = () => new Worker(`data:text/javascript,${encodeURIComponent(SCRIPT)}`, { type: "module" });

/** A pool of such workers, with the clock and the budget of its loads. */
export function fakePool(workers: number, bytes = 1000) {
  const clock = new HandClock();
  const budget = new MemoryBudget(bytes);
  const pool = new DecodePool(clock, budget, startFake, workers);
  const resources = { pool, budget, memory: new PlaneMemory(new HandClock()) };
  const load = (path: string, signal = new AbortController().signal): Promise<LoadedAcquisition> => {
    const request = { path, roots: null, channelIndices: null, allowedExtensions: [], scene: null };
    return loadAcquisition(crypto.randomUUID(), { request, marks: new Map() }, resources, signal);
  };
  /** Stops a load after it has begun. */
  const stopped = async (path: string) => {
    const stop = new AbortController();
    const before = pool.counts.busy;
    const running = load(path, stop.signal);
    await until(() => pool.counts.busy > before);
    await settled();
    stop.abort(new Error("timed out"));
    await assert.rejects(running, /timed out/);
  };
  return { clock, budget, pool, load, stopped, [Symbol.dispose]: () => pool.close() };
}

/** What the first worker of a load reports; `open` counts the acquisitions that it knows. */
export const reportOf = ({ summary }: LoadedAcquisition) =>
  summary as unknown as { readonly worker: number; readonly open: number };

export const settled = () => pause(20);
