/**
 * Many clients at once on one server: they open, fetch, leave in the middle, stall and delete, while files change
 * under them and time runs fast. Every byte is checked; at the end nothing may be left over.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { z } from "zod";
import { ErrorBody, type ErrorCode, type OpenRequest, OpenResponse } from "../../schemas/http.ts";
import { Harness } from "../contract/harness.ts";
import { ramp } from "../fixtures/plain_store.ts";
import { Random } from "../fuzz/random.ts";
import {
  badFiles,
  type KnownAcquisition,
  knownAcquisitions,
  type KnownStack,
  knownStack,
  tiffFile,
} from "./acquisitions.ts";
import { fixtureImages, type KnownImage, writtenSeries } from "./fixture_images.ts";

/** What to run. */
export interface SoakOrder {
  readonly seed: number;
  readonly clients: number;
  /** Ends after so many steps of all clients together. */
  readonly steps?: number;
  /** Ends after so many seconds. */
  readonly seconds?: number;
}

/** What came of it. */
export interface SoakOutcome {
  /** What happened, by name. */
  readonly counts: Readonly<Record<string, number>>;
  /** Milliseconds until a plane of a position was there, in the order of asking. */
  readonly latencies: readonly { readonly at: number; readonly took: number }[];
}

type Opened = z.infer<typeof OpenResponse>;

/** A body of `POST /api/v2/open`. */
type OpenBody = z.input<typeof OpenRequest>;

/** Codes that load and passing time may cause; all others must be asked for. */
const UNDER_LOAD: readonly ErrorCode[] = [
  "session_memory_exceeded",
  "too_many_opens",
  "load_timeout",
  "session_not_found",
];

/** Connections that never read. */
const MAX_STALLED = 6;

/** Runs clients until the steps or the time are used up, then checks what is left. */
export async function soak(
  { seed, clients, steps = 1e9, seconds = Infinity }: SoakOrder,
): Promise<SoakOutcome> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "acq_soak_" }));
  try {
    const known = await knownAcquisitions(folder);
    const run = new Soak({
      known,
      bad: await badFiles(folder),
      changing: await changingFile(folder),
      stack: await knownStack(folder, 40),
      images: [...fixtureImages(), await writtenSeries(folder)],
    });
    await run.all(seed, clients, steps, performance.now() + seconds * 1000);
    return run;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

interface ChangingFile {
  readonly path: string;
  readonly versions: readonly { readonly bytes: Uint8Array; readonly plane: Float32Array<ArrayBuffer> }[];
}

/** A file that is replaced, cut and removed while it is read; a load must see one whole version or fail. */
async function changingFile(folder: string): Promise<ChangingFile> {
  const versions = [3, 4000].map((base) => {
    const samples = ramp(400, 300, base);
    return { bytes: tiffFile(samples, 300), plane: Float32Array.from(samples) };
  });
  const path = join(folder, "changing.tif");
  await Deno.writeFile(path, versions[0]!.bytes);
  return { path, versions };
}

/** What there is to open. */
interface Files {
  readonly known: readonly KnownAcquisition[];
  /** Codes of files that cannot be opened, by path. */
  readonly bad: ReadonlyMap<string, string>;
  readonly changing: ChangingFile;
  readonly stack: KnownStack;
  readonly images: readonly KnownImage[];
}

class Soak {
  readonly counts: Record<string, number> = {};
  readonly latencies: { at: number; took: number }[] = [];
  readonly #known: readonly KnownAcquisition[];
  readonly #bad: ReadonlyMap<string, string>;
  readonly #changing: ChangingFile;
  readonly #stack: KnownStack;
  readonly #images: readonly KnownImage[];
  /** Room for about ten of the large acquisition, so that it runs out now and then. */
  readonly #server = new Harness({ workers: 2, ttlSeconds: 60, maxSessionMemory: 150 << 20 });
  readonly #stalled: Deno.Conn[] = [];
  #looks = 0;
  #base = "";
  #port = 0;
  #stepsLeft = 0;
  #deadline = 0;
  #left: string[] = [];

  constructor({ known, bad, changing, stack, images }: Files) {
    this.#known = known;
    this.#bad = bad;
    this.#changing = changing;
    this.#stack = stack;
    this.#images = images;
  }

  async all(seed: number, clients: number, steps: number, deadline: number): Promise<void> {
    await using server = this.#server;
    this.#stepsLeft = steps;
    this.#deadline = deadline;
    {
      await using socket = await server.listen();
      this.#base = socket.base;
      this.#port = socket.port;
      let changes = true;
      // A minute passes within about three seconds.
      const time = setInterval(() => server.clock.move(200), 10);
      const vandal = (async () => {
        for (let n = 0; changes; n += 1) await this.#change(new Random(seed, -1 - n));
      })();
      try {
        await Promise.all(Array.from({ length: clients }, (_, i) => this.#client(new Random(seed, i))));
      } finally {
        changes = false;
        await vandal;
        clearInterval(time);
        for (const connection of this.#stalled) connection.close();
      }
      await this.#checkEnd();
    }
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  async #client(random: Random): Promise<void> {
    while (this.#stepsLeft > 0 && performance.now() < this.#deadline) {
      this.#stepsLeft -= 1;
      const step = random.below(16);
      if (step === 0) await this.#openBad(random);
      else if (step === 1) await this.#openChanging();
      else if (step === 2) await this.#leaveDuringOpen(random);
      else if (step === 3) await this.#stall(random);
      else if (step <= 5) await this.#stepThrough(random);
      else if (step <= 9) await this.#lookAround(random);
      else await this.#visit(random);
    }
  }

  #post(body: OpenBody, signal?: AbortSignal): Promise<Response> {
    return fetch(`${this.#base}/api/v2/open`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  }

  /** The opened acquisition; `null` when it failed with one of `codes` or because of the load. */
  async #open(body: OpenBody, codes: readonly string[] = []): Promise<Opened | null> {
    const response = await this.#post(body);
    const answer = await response.json();
    if (response.ok) return OpenResponse.parse(answer);
    this.#refused(answer, codes);
    return null;
  }

  #refused(body: unknown, codes: readonly string[] = []): void {
    const { error, message } = ErrorBody.parse(body);
    assert.ok([...UNDER_LOAD, ...codes].includes(error), `${error}: ${message}`);
    this.#count(error);
  }

  async #openBad(random: Random): Promise<void> {
    const [path, code] = random.of([...this.#bad]);
    assert.equal(await this.#open({ path }, [code]), null, path);
  }

  async #openChanging(): Promise<void> {
    const opened = await this.#open({ path: this.#changing.path }, ["decode_failed", "path_not_found"]);
    if (opened === null) return this.#count("changing file refused");
    const plane = await this.#fetch(opened.channels[0]!.dataUrl);
    if (plane !== null) {
      const whole = this.#changing.versions.some((version) => isPlane(plane, version.plane));
      assert.ok(whole, "a plane of a changing file is of no version");
      this.#count("changing file read");
    }
    await this.#delete(opened.sessionId);
  }

  async #leaveDuringOpen(random: Random): Promise<void> {
    const leaving = new AbortController();
    const answer = this.#post({ path: random.of(this.#known).path }, leaving.signal);
    const wait = new Promise((resolve) => setTimeout(resolve, random.below(12)));
    await Promise.race([wait, answer.catch(() => {})]);
    leaving.abort();
    await answer.then(
      (response) => response.body?.cancel().catch(() => {}),
      () => this.#count("left during open"),
    );
  }

  async #stall(random: Random): Promise<void> {
    if (this.#stalled.length >= MAX_STALLED) return;
    const acquisition = this.#known.at(-2)!;
    const opened = await this.#open({ path: acquisition.path, channelIndices: [random.below(3)] });
    if (opened === null) return;
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: this.#port });
    this.#stalled.push(connection);
    const request = `GET ${opened.channels[0]!.dataUrl} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    await connection.write(new TextEncoder().encode(request));
    this.#count("stalled");
  }

  /** Steps along `Z`, with a jump now and then; leaves or deletes in the middle. */
  async #stepThrough(random: Random): Promise<void> {
    const { path, planes } = this.#stack;
    const opened = await this.#open({ path });
    if (opened === null) return;
    const { dataUrl } = opened.channels[0]!;
    let z = random.below(planes.length);
    for (let steps = random.below(25); steps > 0; steps -= 1) {
      z = random.oneIn(8) ? random.below(planes.length) : (z + 1) % planes.length;
      const wanted = { dataUrl: `${dataUrl}?z=${z}`, samples: planes[z]! };
      if (random.oneIn(12)) await this.#leaveMidPlane(wanted.dataUrl);
      else if (random.oneIn(6)) await this.#fetchRange(random, wanted);
      else if (random.oneIn(20)) return await this.#deleteWhileFetching(opened.sessionId, wanted);
      else {
        const plane = await this.#fetch(wanted.dataUrl);
        if (plane === null) continue;
        assert.ok(isPlane(plane, wanted.samples), wanted.dataUrl);
        this.#count("positions");
      }
    }
    if (random.oneIn(4)) this.#left.push(opened.sessionId);
    else await this.#delete(opened.sessionId);
  }

  /** Planes of some positions of a scene of any format. */
  async #lookAround(random: Random): Promise<void> {
    const formats = [...new Set(this.#images.map((image) => image.format))];
    // One after the other, so that a short run has them all.
    const format = formats[this.#looks++ % formats.length]!;
    const { path, scene, planes } = random.of(this.#images.filter((image) => image.format === format));
    const opened = await this.#open({ path, scene });
    if (opened === null) return;
    for (let looks = 1 + random.below(6); looks > 0; looks -= 1) {
      const { t, z, l, channel, sha256 } = random.of(planes);
      const at = performance.now();
      const bytes = await this.#fetch(`${opened.channels[channel]!.dataUrl}?t=${t}&z=${z}&l=${l}`);
      this.latencies.push({ at, took: performance.now() - at });
      if (bytes === null) continue;
      const hash = createHash("sha256").update(bytes).digest("hex");
      assert.equal(
        hash.slice(0, sha256.length),
        sha256,
        `${path}: S=${scene} T=${t} Z=${z} L=${l} C=${channel}`,
      );
      this.#count(`positions of ${format}`);
    }
    await this.#delete(opened.sessionId);
  }

  /** What a client does with an acquisition. */
  async #visit(random: Random): Promise<void> {
    const acquisition = random.of(this.#known);
    const all = acquisition.planes.map((_, i) => i);
    const some = random.oneIn(2) ? null : all.filter(() => random.oneIn(2)).reverse();
    const channelIndices = some && some.length > 0 ? some : null;
    const opened = await this.#open({ path: acquisition.path, channelIndices });
    if (opened === null) return;
    this.#count("opened");
    const loaded = opened.channels.map(({ index, dataUrl }) => ({
      dataUrl,
      samples: acquisition.planes[index]!,
    }));
    const reference = opened.reference?.channels.map(({ index, dataUrl }) => ({
      dataUrl,
      samples: acquisition.referencePlanes[index]!,
    })) ?? [];
    const wanted = random.of([...loaded, ...reference]);
    switch (random.below(6)) {
      case 0:
        await this.#fetchRange(random, wanted);
        break;
      case 1:
        await this.#leaveMidPlane(wanted.dataUrl);
        break;
      case 2:
        await this.#deleteWhileFetching(opened.sessionId, wanted);
        return;
      case 3:
        // Ends by its time to live.
        this.#left.push(opened.sessionId);
        return;
      default:
        for (const { dataUrl, samples } of [...loaded, ...reference]) {
          const plane = await this.#fetch(dataUrl);
          if (plane === null) continue;
          assert.ok(isPlane(plane, samples), dataUrl);
          this.#count("planes");
        }
    }
    await this.#delete(opened.sessionId);
  }

  /** Bytes of a plane; `null` when its session has expired or the response was cut. */
  async #fetch(dataUrl: string, headers: Record<string, string> = {}): Promise<Uint8Array | null> {
    const response = await fetch(this.#base + dataUrl, { headers });
    if (!response.ok) {
      this.#refused(await response.json());
      return null;
    }
    try {
      const bytes = new Uint8Array(await response.arrayBuffer());
      assert.equal(bytes.length, Number(response.headers.get("content-length")));
      return bytes;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      this.#count("responses cut");
      return null;
    }
  }

  async #fetchRange(
    random: Random,
    { dataUrl, samples }: { dataUrl: string; samples: Float32Array<ArrayBuffer> },
  ) {
    const start = random.below(samples.byteLength);
    const end = start + random.below(samples.byteLength - start);
    const bytes = await this.#fetch(dataUrl, { range: `bytes=${start}-${end}` });
    if (bytes === null) return;
    assert.equal(bytes.length, end - start + 1);
    assert.ok(sameBytes(bytes, samples, start), `${dataUrl} from ${start}`);
    this.#count("ranges");
  }

  async #leaveMidPlane(dataUrl: string): Promise<void> {
    const leaving = new AbortController();
    const response = await fetch(this.#base + dataUrl, { signal: leaving.signal });
    await response.body!.getReader().read().catch(() => {});
    leaving.abort();
    this.#count("left mid-plane");
  }

  async #deleteWhileFetching(
    sessionId: string,
    { dataUrl, samples }: { dataUrl: string; samples: Float32Array<ArrayBuffer> },
  ): Promise<void> {
    const fetched = this.#fetch(dataUrl);
    await this.#delete(sessionId);
    const plane = await fetched;
    if (plane === null) return;
    assert.ok(isPlane(plane, samples), dataUrl);
    this.#count("planes of deleted sessions");
  }

  async #delete(sessionId: string): Promise<void> {
    const response = await fetch(`${this.#base}/api/v2/sessions/${sessionId}`, { method: "DELETE" });
    const body = await response.json();
    if (!response.ok) this.#refused(body);
  }

  /** Replaces, cuts or removes the changing file; never written in place, so that a reader sees one whole version. */
  async #change(random: Random): Promise<void> {
    const { path, versions } = this.#changing;
    const { bytes } = random.of(versions);
    const change = random.below(4);
    if (change === 0) await Deno.truncate(path, random.below(bytes.length)).catch(() => {});
    else if (change === 1) await Deno.remove(path).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 3));
    await Deno.writeFile(`${path}.new`, bytes);
    await Deno.rename(`${path}.new`, path);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }

  async #checkEnd(): Promise<void> {
    const { clock, store, budget, pool, positions } = this.#server;
    const quiet = () =>
      pool.counts.busy + pool.counts.lost + pool.counts.waiting === 0 &&
      positions.counts.running + positions.counts.waiting === 0;
    for (let i = 0; i < 1000 && !quiet(); i += 1) await new Promise((resolve) => setTimeout(resolve, 10));
    // Everything that was left expires now; what is being sent keeps its memory until it is cut.
    clock.move(60_000);
    assert.equal(store.size, 0, "sessions left");
    for (const id of this.#left) assert.throws(() => store.get(id), { tag: "SessionNotFound" });
    for (let i = 0; i < 1000 && budget.used > 0; i += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    assert.equal(budget.used, 0, "bytes still reserved");
    assert.deepEqual(positions.counts, { waiting: 0, running: 0, cached: 0 });
    assert.deepEqual({ ...pool.counts, idle: 0 }, { idle: 0, busy: 0, lost: 0, waiting: 0 });
    const samples = await this.#open({ path: this.#known[0]!.path });
    assert.ok(samples, "an open after the load");
    await this.#delete(samples.sessionId);
    await this.#server.completeAll();
    // Workers and kept memory have rested then; no other timer is due before.
    clock.move(15_000);
    for (let i = 0; i < 100 && clock.waiting > 0; i += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    assert.equal(clock.waiting, 0, "timers left");
  }
}

function sameBytes(bytes: Uint8Array, samples: Float32Array<ArrayBuffer>, start: number): boolean {
  return Buffer.compare(bytes, new Uint8Array(samples.buffer, start, bytes.length)) === 0;
}

const isPlane = (bytes: Uint8Array, samples: Float32Array<ArrayBuffer>) =>
  bytes.length === samples.byteLength && sameBytes(bytes, samples, 0);
