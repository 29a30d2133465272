/** Loads by decode workers that do as they are told, and nothing of files. */
import { type DecodedAcquisition, loadAcquisition } from "../session/load_acquisition.ts";
import type { DecodePool } from "../session/decode_pool.ts";
import type { MemoryBudget } from "../session/memory_budget.ts";
import { PlaneMemory } from "../session/plane_memory.ts";
import { HandClock } from "./contract/harness.ts";
import { pause } from "./deadline.ts";

/** Decode workers that behave as the path of the load says; they speak the protocol of `readers/worker_protocol.ts`. */
const SCRIPT = `
const wait = new Int32Array(new SharedArrayBuffer(4));
const id = Math.random();
let job, working, stop, open = 0, prepared = [];
const fail = (tag, message) => self.postMessage({ type: "failed", error: { tag, message, stack: "" } });
const plan = (of) => self.postMessage({
  type: "planned",
  plan: { channels: [1], bytes: 400, planeBytes: 400, rows: 100, working, division: null, files: new Map(), ...of },
});
self.onmessage = ({ data }) => {
  if (data.type === "prepare") return void (prepared = data.formats);
  if (data.type === "close") {
    open -= 1;
    if (job.path === "plan and throw when closed") throw new Error("broken");
    return;
  }
  if (data.type === "plan") {
    open += 1;
    job = data.request;
    stop = new Int32Array(data.stop);
    working = { bytes: 0, endsWithWorker: false };
    const part = job.channelIndices !== null;
    switch (job.path) {
      case "wasm":
      case "wasm and hang": working = { bytes: 500, endsWithWorker: true };
      case "decoder": if (working.bytes === 0) working.bytes = 500;
      case "plan":
      case "plan and throw":
      case "plan and throw when closed":
      case "plan and hang": return plan({});
      case "spin": while (Atomics.load(stop, 0) === 0) Atomics.wait(wait, 0, 0, 5);
        return fail("Stopped", "stopped");
      case "deaf": Atomics.wait(wait, 0, 0, 300);
        return fail("Stopped", "stopped");
      case "never": return;
      case "late": Atomics.wait(wait, 0, 0, 600);
        return fail("Stopped", "stopped");
      case "throw": throw new Error("broken");
      default: {
        if (part && job.path === "divide and never join") return;
        if (part && job.path.startsWith("divide and join late")) Atomics.wait(wait, 0, 0, 300);
        if (part && job.path.endsWith("and fail to")) return fail("DecodeFailed", "no such file");
        if (job.path === "divide heavy") working.bytes = 4 << 20;
        const mark = part && job.path === "divide changed and hang" ? "2" : "1";
        const files = new Map([["/a", mark], [part ? "/part" : "/first", mark]]);
        const division = { channels: 1, rows: job.path === "divide rows" ? 25 : 100 };
        const channels = job.channelIndices ?? (job.path === "divide rows" ? [4] : [4, 0, 2]);
        return plan({ channels, bytes: 16 << 20, division, files });
      }
    }
  }
  const { path } = job;
  const { parts, reference } = data.share;
  if (path === "plan and throw" || path === "divide and throw" && !reference) throw new Error("broken");
  if (path.startsWith("divide and fail") && !reference) return fail("DecodeFailed", "bad strip");
  if (path.endsWith("and hang") && !(path.includes("and help") && reference)) Atomics.wait(wait, 0, 0, 400);
  const planes = parts.flatMap(({ channels, rows: { start, end } }) => {
    const length = path === "divide unequal" && !reference ? 50 : end - start;
    return channels.map((channel) => Float32Array.from({ length }, (_, i) => 1000 * channel + start + i));
  });
  const loaded = { summary: { format: "FAKE", reference, worker: id, open, prepared }, planes, referencePlanes: [] };
  self.postMessage({ type: "decoded", loaded }, planes.map((plane) => plane.buffer));
};`;

/** Starts such a worker. */
export const startFake = () =>
  new Worker(`data:text/javascript,${encodeURIComponent(SCRIPT)}`, { type: "module" });

/** A load by such workers. */
export function load(
  pool: DecodePool,
  path: string,
  budget: MemoryBudget,
  signal = new AbortController().signal,
): Promise<DecodedAcquisition> {
  const request = { path, roots: null, channelIndices: null, allowedExtensions: [], scene: null };
  return loadAcquisition(request, { pool, budget, memory: new PlaneMemory(new HandClock()) }, signal);
}

/**
 * What the first worker of a load says of itself; `open` counts the loads that it has not closed, `prepared` holds the formats that
 * it was told before them.
 */
export const reportOf = ({ summary }: DecodedAcquisition) =>
  summary as unknown as {
    readonly worker: number;
    readonly reference: boolean;
    readonly open: number;
    readonly prepared: readonly string[];
  };

/** Lets messages arrive. */
export const settled = () => pause(20);
