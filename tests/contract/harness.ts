/** A whole server without a socket: real readers and workers, a clock that the test moves, a dialog that it answers. */
import { join } from "node:path";
import assert from "node:assert/strict";
import type { z } from "zod";
import { listenOn } from "../../routes/listener.ts";
import { createApp } from "../../routes/mod.ts";
import { ErrorBody, OpenResponse } from "../../schemas/http.ts";
import type { ErrorCode } from "../../schemas/served.ts";
import type { Clock } from "../../session/clock.ts";
import type { StartWorker } from "../../session/decode_pool.ts";
import { DialogLimits } from "../../session/dialog/dialog_limits.ts";
import type { PickRequest } from "../../session/dialog/picker.ts";
import { ClientGone } from "../../session/errors.ts";
import { type SessionRules, Sessions } from "../../session/sessions.ts";
import { SUPPORTED_EXTENSIONS } from "../../readers/formats.ts";
import { ramp, writePlainStore } from "../fixtures/plain_store.ts";
import { PATIENCE, pause, within } from "../deadline.ts";

/** A clock that stands still until the test moves it. */
export class HandClock implements Clock {
  #now = 0;
  #timers = new Map<() => void, number>();

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, work: () => void): () => void {
    const timer = () => work();
    this.#timers.set(timer, this.#now + milliseconds);
    return () => void this.#timers.delete(timer);
  }

  /** Moves time on and runs the timers that are due, in their order. */
  move(milliseconds: number): void {
    const end = this.#now + milliseconds;
    while (true) {
      const [next] = [...this.#timers].filter(([, at]) => at <= end).sort((a, b) => a[1] - b[1]);
      if (!next) break;
      this.#timers.delete(next[0]);
      this.#now = Math.max(this.#now, next[1]);
      next[0]();
    }
    this.#now = end;
  }

  /** Timers that wait. */
  get waiting(): number {
    return this.#timers.size;
  }
}

const NO_LIMITS: SessionRules = {
  roots: null,
  allowedExtensions: SUPPORTED_EXTENSIONS,
  loadTimeoutSeconds: 120,
  sessionTtlSeconds: 600,
  maxSessionMemory: 2 ** 30,
};

/** A dialog that stays open until its client leaves, for {@linkcode HarnessOptions}. @throws {ClientGone} then */
export async function leftDialog(signal: AbortSignal): Promise<never> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  signal.addEventListener("abort", resolve);
  if (!signal.aborted) await promise;
  throw new ClientGone("The client went away while the dialog was open");
}

/** What a test can set. */
export interface HarnessOptions extends Partial<SessionRules> {
  readonly allowedOrigins?: readonly string[];
  readonly dialogOnly?: boolean;
  readonly startWorker?: StartWorker;
  readonly workers?: number;
  readonly dialogAvailable?: boolean;
  /** Answers the dialog. */
  readonly pick?: (request: PickRequest) => Promise<string | null>;
}

/** The sessions of a server, and requests to its app. */
export class Harness extends Sessions implements AsyncDisposable {
  readonly clock: HandClock;
  readonly logged: string[] = [];
  stopping = false;
  readonly #app: ReturnType<typeof createApp>;
  /** Settles `info.completed` of the requests that were made so far. */
  readonly #complete: (() => void)[] = [];

  constructor(options: HarnessOptions = {}) {
    const rules = { ...NO_LIMITS, ...options };
    const clock = new HandClock();
    super(clock, rules, options.startWorker, options.workers ?? 1);
    this.clock = clock;
    // Collecting garbage takes a timer of the machine.
    this.pool.rested = () => {};
    this.#app = createApp({
      version: "1.2.3",
      clock,
      log: { line: (level, message) => void this.logged.push(`${level} ${message}`) },
      store: this.store,
      opener: this.opener,
      exporter: this.exporter,
      positions: this.positions,
      picker: {
        pick: options.pick ?? (() => Promise.resolve(null)),
        isAvailable: () => options.dialogAvailable ?? true,
      },
      dialogLimits: new DialogLimits(() => clock.now()),
      allowedExtensions: rules.allowedExtensions,
      allowedOrigins: options.allowedOrigins ?? [],
      dialogOnly: options.dialogOnly ?? false,
      isStopping: () => this.stopping,
    });
  }

  /** A request whose answer counts as sent only when the test calls {@linkcode completeAll}. */
  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#complete.push(resolve);
    const headers = new Headers(init.headers);
    if (!headers.has("host")) headers.set("host", "127.0.0.1:8767");
    const answer = this.#app.request(path, { ...init, headers }, { info: { completed: promise } });
    return await within(PATIENCE, `the answer to ${init.method ?? "GET"} ${path}`, Promise.resolve(answer));
  }

  /** Lets every answer so far count as sent. */
  async completeAll(): Promise<void> {
    for (const resolve of this.#complete.splice(0)) resolve();
    await pause(0);
  }

  post(path: string, body: unknown, init: RequestInit = {}): Promise<Response> {
    const headers = { "content-type": "application/json", ...init.headers as Record<string, string> };
    return this.request(path, { ...init, method: "POST", headers, body: JSON.stringify(body) });
  }

  /** Opens a path and expects success. */
  async open(path: string, channelIndices?: readonly number[]): Promise<z.infer<typeof OpenResponse>> {
    const response = await this.post("/api/v2/open", { path, ...(channelIndices && { channelIndices }) });
    const body = await response.json();
    assert.equal(response.status, 200, [JSON.stringify(body), ...this.logged].join("\n"));
    return OpenResponse.parse(body);
  }

  /** Serves the same app over a real socket, with the real `info`. */
  listen(): { base: string; port: number } & AsyncDisposable {
    const { port, close } = listenOn("127.0.0.1", 0, (request, env) => this.#app.fetch(request, env));
    const end = () => within(PATIENCE, "the end of the server", close());
    return { base: `http://127.0.0.1:${port}`, port, [Symbol.asyncDispose]: end };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.completeAll();
    this.stopWork();
    this.close();
  }
}

/** Bytes that the description of an acquisition counts in each session that opens it. */
export async function describedBytes(path: string, channelIndices?: readonly number[]): Promise<number> {
  await using server = new Harness();
  return server.store.get((await server.open(path, channelIndices)).sessionId).summaryBytes;
}

/** Asserts that an answer is the envelope of one code, and gives its body. */
export async function expectError(
  answer: Response | Promise<Response>,
  status: number,
  code: ErrorCode,
): Promise<z.infer<typeof ErrorBody>> {
  const response = await answer;
  const text = await response.text();
  assert.equal(`${response.status} ${JSON.parse(text).error}`, `${status} ${code}`, text);
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.equal(response.headers.get("access-control-allow-origin"), "*");
  return ErrorBody.parse(JSON.parse(text));
}

/** A folder with a two-channel line scan store, removed at the end. */
export async function sampleFolder(): Promise<{ folder: string; image: string } & AsyncDisposable> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "acq_contract_" }));
  const image = join(folder, "scan.ome.zarr");
  await writePlainStore(image, {
    planes: [ramp(30, 20), ramp(30, 20, 1000)],
    rows: 30,
    columns: 20,
    y: { step: 2.5, unit: "millisecond" },
    x: { step: 0.25, unit: "micrometer" },
    names: ["Calcium", "Dextran"],
  });
  return { folder, image, [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}
