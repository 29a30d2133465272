/**
 * Many clients at once on one server: they open, fetch, leave in the middle, stall and delete, while files change
 * under them and time runs fast. Every byte is checked; at the end nothing may be left over.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { z } from "zod";
import { ErrorBody, type OpenRequest, OpenResponse } from "../../schemas/http.ts";
import type { ErrorCode } from "../../schemas/served.ts";
import { Harness } from "../contract/harness.ts";
import { pause, until } from "../deadline.ts";
import { ramp } from "../fixtures/plain_store.ts";
import { Random } from "../fuzz/random.ts";
import { sha256 as hashOf } from "../planes.ts";
import {
  badFiles,
  fixtureImages,
  type KnownImage,
  type KnownPlane,
  LARGE,
  tiffFile,
  writtenImages,
} from "./known_images.ts";
import { temporaryFolder } from "../temporary_files.ts";

export interface SoakOrder {
  readonly seed: number;
  readonly clients: number;
  /** Ends after so many steps of all clients together. */
  readonly steps?: number;
  readonly seconds?: number;
}

type Opened = z.infer<typeof OpenResponse>;

type OpenBody = z.input<typeof OpenRequest>;

/** Codes that load and passing time may cause; all others must be asked for. */
const UNDER_LOAD: readonly ErrorCode[] = [
  "session_memory_exceeded",
  "too_many_opens",
  "load_timeout",
  "session_not_found",
];

const MAX_STALLED = 6;

/** Runs clients until the steps or the time are used up, then checks what is left; counts what happened by name. */
export async function soak(
  { seed, clients, steps = 1e9, seconds = Infinity }: SoakOrder,
): Promise<Readonly<Record<string, number>>> {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  const run = new Soak({
    bad: await badFiles(folder),
    changing: await changingFile(folder),
    images: [...fixtureImages(), ...await writtenImages(folder)],
  });
  await run.all(seed, clients, steps, performance.now() + seconds * 1000);
  return run.counts;
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

interface Files {
  /** Codes of files that cannot be opened, by path. */
  readonly bad: ReadonlyMap<string, string>;
  readonly changing: ChangingFile;
  readonly images: readonly KnownImage[];
}

type Wanted = Pick<KnownPlane, "sha256" | "samples"> & { readonly url: string };

class Soak {
  readonly counts: Record<string, number> = {};
  readonly #files: Files;
  /** Room for about ten of the large acquisition, so that it runs out now and then. */
  readonly #server = new Harness({ workers: 2, sessionTtlSeconds: 60, maxSessionMemory: 150 << 20 });
  readonly #stalled: Deno.Conn[] = [];
  #visits = 0;
  #base = "";
  #port = 0;
  #stepsLeft = 0;
  #deadline = 0;
  #left: string[] = [];

  constructor(files: Files) {
    this.#files = files;
  }

  async all(seed: number, clients: number, steps: number, deadline: number): Promise<void> {
    await using server = this.#server;
    this.#stepsLeft = steps;
    this.#deadline = deadline;
    {
      await using socket = server.listen();
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
    const [path, code] = random.of([...this.#files.bad]);
    assert.equal(await this.#open({ path }, [code]), null, path);
  }

  async #openChanging(): Promise<void> {
    const opened = await this.#open({ path: this.#files.changing.path }, ["decode_failed", "path_not_found"]);
    if (opened === null) return this.#count("changing file refused");
    const plane = await this.#fetch(opened.channels[0]!.dataUrl);
    if (plane !== null) {
      const whole = this.#files.changing.versions.some((version) => isPlane(plane, version.plane));
      assert.ok(whole, "a plane of a changing file is of no version");
      this.#count("changing file read");
    }
    await this.#delete(opened.sessionId);
  }

  async #leaveDuringOpen(random: Random): Promise<void> {
    const leaving = new AbortController();
    const answer = this.#post({ path: random.of(this.#files.images).path }, leaving.signal);
    await Promise.race([pause(random.below(12)), answer.catch(() => {})]);
    leaving.abort();
    await answer.then(
      (response) => response.body?.cancel().catch(() => {}),
      () => this.#count("left during open"),
    );
  }

  async #stall(random: Random): Promise<void> {
    if (this.#stalled.length >= MAX_STALLED) return;
    const { path } = this.#files.images.find(({ format }) => format === LARGE)!;
    const opened = await this.#open({ path, channelIndices: [random.below(3)] });
    if (opened === null) return;
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: this.#port });
    this.#stalled.push(connection);
    const request = `GET ${opened.channels[0]!.dataUrl} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    await connection.write(new TextEncoder().encode(request));
    this.#count("stalled");
  }

  /** What a client does with an acquisition: it steps through its planes, with a jump now and then. */
  async #visit(random: Random): Promise<void> {
    const formats = [...new Set(this.#files.images.map(({ format }) => format))];
    // One after the other, so that a short run has them all.
    const format = formats[this.#visits++ % formats.length]!;
    const image = random.of(this.#files.images.filter((image) => image.format === format));
    const all = [...new Set(image.planes.map(({ channel }) => channel))];
    const some = random.oneIn(2) ? [] : all.filter(() => random.oneIn(2)).reverse();
    const { path, scene } = image;
    const opened = await this.#open({ path, scene, channelIndices: some.length > 0 ? some : null });
    if (opened === null) return;
    this.#count("opened");
    const wanted = wantedOf(image, opened);
    let at = random.below(wanted.length);
    for (let looks = 1 + random.below(12); looks > 0; looks -= 1) {
      at = random.oneIn(8) ? random.below(wanted.length) : (at + 1) % wanted.length;
      const plane = wanted[at]!;
      if (random.oneIn(12)) await this.#leaveMidPlane(plane.url);
      else if (random.oneIn(20)) return await this.#deleteWhileFetching(opened.sessionId, plane);
      else if (plane.samples && random.oneIn(4)) await this.#fetchRange(random, plane.url, plane.samples);
      else await this.#fetchPlane(plane, `planes of ${format}`);
    }
    // Some end by their time to live.
    if (random.oneIn(4)) this.#left.push(opened.sessionId);
    else await this.#delete(opened.sessionId);
  }

  async #fetchPlane({ url, sha256 }: Wanted, what: string): Promise<void> {
    const bytes = await this.#fetch(url);
    if (bytes === null) return;
    assert.equal(hashOf(new Float32Array(bytes.buffer)).slice(0, sha256.length), sha256, url);
    this.#count(what);
  }

  /** Bytes of a plane; `null` when its session has expired or the response was cut. */
  async #fetch(
    dataUrl: string,
    headers: Record<string, string> = {},
  ): Promise<Uint8Array<ArrayBuffer> | null> {
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

  async #fetchRange(random: Random, url: string, samples: Float32Array<ArrayBuffer>) {
    const start = random.below(samples.byteLength);
    const end = start + random.below(samples.byteLength - start);
    const bytes = await this.#fetch(url, { range: `bytes=${start}-${end}` });
    if (bytes === null) return;
    assert.equal(bytes.length, end - start + 1);
    assert.ok(sameBytes(bytes, samples, start), `${url} from ${start}`);
    this.#count("ranges");
  }

  async #leaveMidPlane(dataUrl: string): Promise<void> {
    const leaving = new AbortController();
    const response = await fetch(this.#base + dataUrl, { signal: leaving.signal });
    await response.body!.getReader().read().catch(() => {});
    leaving.abort();
    this.#count("left mid-plane");
  }

  async #deleteWhileFetching(sessionId: string, plane: Wanted): Promise<void> {
    const fetched = this.#fetchPlane(plane, "planes of deleted sessions");
    await this.#delete(sessionId);
    await fetched;
  }

  async #delete(sessionId: string): Promise<void> {
    const response = await fetch(`${this.#base}/api/v2/sessions/${sessionId}`, { method: "DELETE" });
    const body = await response.json();
    if (!response.ok) this.#refused(body);
  }

  /** Replaces, cuts or removes the changing file; never written in place, so that a reader sees one whole version. */
  async #change(random: Random): Promise<void> {
    const { path, versions } = this.#files.changing;
    const { bytes } = random.of(versions);
    const change = random.below(4);
    if (change === 0) await Deno.truncate(path, random.below(bytes.length)).catch(() => {});
    else if (change === 1) await Deno.remove(path).catch(() => {});
    await pause(3);
    await Deno.writeFile(`${path}.new`, bytes);
    await Deno.rename(`${path}.new`, path);
    await pause(3);
  }

  async #checkEnd(): Promise<void> {
    const { clock, store, budget, pool, positions } = this.#server;
    const quiet = () =>
      pool.counts.busy + pool.counts.lost + pool.counts.waiting === 0 &&
      positions.counts.running + positions.counts.waiting === 0;
    await until(quiet, "the end of all decodes");
    // Everything that was left expires now; what is being sent keeps its memory until it is cut.
    clock.move(60_000);
    assert.equal(store.size, 0, "sessions left");
    for (const id of this.#left) assert.throws(() => store.get(id), { tag: "session_not_found" });
    await until(() => budget.used === 0, "the release of all memory");
    assert.deepEqual(positions.counts, { waiting: 0, running: 0, cached: 0 });
    assert.deepEqual({ ...pool.counts, idle: 0 }, { idle: 0, busy: 0, lost: 0, waiting: 0 });
    const samples = await this.#open({ path: this.#files.images.at(-1)!.path });
    assert.ok(samples, "an open after the load");
    await this.#delete(samples.sessionId);
    await this.#server.completeAll();
    // Workers and kept memory have rested then; no other timer is due before.
    clock.move(15_000);
    await until(() => clock.waiting === 0, "the end of all timers");
  }
}

/** All planes that an open has the addresses of. */
function wantedOf({ planes, references }: KnownImage, { channels, reference }: Opened): Wanted[] {
  return [
    ...planes.flatMap(({ channel, t, z, l, ...plane }) =>
      channels.filter(({ index }) => index === channel)
        .map(({ dataUrl }) => ({ ...plane, url: `${dataUrl}?t=${t}&z=${z}&l=${l}` }))
    ),
    ...references.map((samples, i) => ({
      url: reference!.channels[i]!.dataUrl,
      sha256: hashOf(samples),
      samples,
    })),
  ];
}

function sameBytes(bytes: Uint8Array, samples: Float32Array<ArrayBuffer>, start: number): boolean {
  return Buffer.compare(bytes, new Uint8Array(samples.buffer, start, bytes.length)) === 0;
}

const isPlane = (bytes: Uint8Array, samples: Float32Array<ArrayBuffer>) =>
  bytes.length === samples.byteLength && sameBytes(bytes, samples, 0);
