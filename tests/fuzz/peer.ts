/** An independent reader in a process of its own, `peer_FORMAT.py`, asked about one file after the other. */
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { FuzzedFormat } from "./seeds.ts";

export interface PlaneDigest {
  readonly rows: number;
  readonly columns: number;
  /** SHA-256 of the little-endian float32 samples with one kind of NaN, in hexadecimal digits. */
  readonly sha256: string;
  /** Name of the channel, `null` where the reader knows none. */
  readonly name: string | null;
}

export type Reading = { readonly planes: readonly PlaneDigest[] } | { readonly refused: string };

export type PeerReading = Reading & {
  /** Planes in the order in which they lie in the file, `null` for a damaged one; where the file is refused, or on request. */
  readonly pages?: readonly (PlaneDigest | null)[];
  /** Offset and bytes of all samples, on request, if the peer of the format knows them. */
  readonly samples?: readonly (readonly [offset: number, bytes: number])[];
};

/** What a peer is asked beside the planes at index 0. */
export interface PeerQuestion {
  /** The planes as they lie in the file. */
  readonly pages?: boolean;
  /** Where samples lie. */
  readonly samples?: boolean;
  /** Nothing beside index 0 is to be read, where the peer can do so. */
  readonly first?: boolean;
}

/** The script of a format, which need not exist. */
export const peerScript = (format: FuzzedFormat) =>
  fileURLToPath(new URL(`./peer_${format}.py`, import.meta.url));

export const linesOf = (output: ReadableStream): AsyncIterable<string> =>
  createInterface({ input: Readable.fromWeb(output as never) });

/** The process, started when it is first asked and again after it ended. */
export class Peer {
  readonly #python: string;
  readonly #script: string;
  #child: Deno.ChildProcess | null = null;
  #input: WritableStreamDefaultWriter<Uint8Array> | null = null;
  #answers: AsyncIterator<string> | null = null;

  constructor(python: string, format: FuzzedFormat) {
    this.#python = python;
    this.#script = peerScript(format);
  }

  /** Reads index 0 of every channel; `null` when the process ended, as it does after three seconds with one file. */
  async ask(path: string, question: PeerQuestion = {}): Promise<PeerReading | null> {
    if (this.#child === null) this.#start();
    try {
      await this.#input!.write(new TextEncoder().encode(JSON.stringify({ path, ...question }) + "\n"));
      const { value } = await this.#answers!.next();
      if (value !== undefined) return JSON.parse(value);
    } catch (error) {
      if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
    }
    await this.close();
    return null;
  }

  async close(): Promise<void> {
    if (this.#child === null) return;
    await this.#input!.close().catch(() => {});
    await this.#answers!.return?.();
    await this.#child.status;
    this.#child = null;
  }

  #start(): void {
    this.#child = new Deno.Command(this.#python, {
      args: [this.#script],
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#answers = linesOf(this.#child.stdout)[Symbol.asyncIterator]();
  }
}
