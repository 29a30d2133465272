/** The samples that lie beside the checkout, as questions to a client and what it must give. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../binary/server_process.ts";

const DATA = join(ROOT, "..", "shared", "data");

/** Whether they exist; prints a line if they do not. */
export const hasSharedSamples: boolean = existsSync(DATA);
if (!hasSharedSamples) console.log("Skipped: the samples beside the checkout are missing");

export interface Question {
  readonly path: string;
  readonly scene?: number;
  /** `t`, `z` and `l`. */
  readonly at?: Readonly<Record<string, number>>;
}

export interface Planes {
  /** SHA-256 of each as little-endian float32. */
  readonly sha256: readonly string[];
  readonly mean: readonly (number | null)[];
  readonly reference: { readonly sha256: readonly string[] } | null;
}

interface Channel {
  readonly mean: number;
  readonly sha256_f32le: string;
}

interface Expected {
  readonly file: string;
  readonly channels: readonly Channel[];
  readonly reference?: { readonly channels: readonly Channel[] } | null;
  readonly expected_reference?: { readonly channels: readonly Channel[] } | null;
  readonly more_planes?: readonly { at: Record<string, number>; channels: readonly Channel[] }[];
  readonly more_scenes?: readonly { scene: number; channels: readonly Channel[] }[];
  /** Of a lossy coding: its decoders differ by up to so much. */
  readonly tolerance?: string;
  /** Codes of errors, one of which the open must answer. */
  readonly expect_error?: readonly string[] | string;
}

export interface SampleCase {
  readonly question: Question;
  readonly channels: readonly Channel[];
  readonly reference: readonly Channel[] | null;
  /** How far means may lie apart; 0 where the bytes are the same. */
  readonly within: number;
}

/** All files of the samples at the positions and in the scenes of which values are known. */
export function sharedCases(): SampleCase[] {
  const all: Expected[] = JSON.parse(Deno.readTextFileSync(join(DATA, "expected.json")));
  assert(all.length > 100, `${all.length} entries`);
  const shortfalls = Deno.readTextFileSync(join(ROOT, ".ci", "expected_failures.txt")).split("\n");
  const known = all.filter(({ file, expect_error: refused }) =>
    refused === undefined && !shortfalls.some((line) => line.startsWith(`${file} `))
  );
  return known.flatMap((entry) => {
    const path = join(DATA, entry.file);
    const within = entry.tolerance === undefined ? 0 : Number(/<= (\d+)/.exec(entry.tolerance)![1]);
    const { channels } = entry.expected_reference ?? entry.reference ?? { channels: null };
    const lower = (at: Record<string, number>) =>
      Object.fromEntries(Object.entries(at).map(([axis, index]) => [axis.toLowerCase(), index]));
    const more = (question: Question, channels: readonly Channel[]) => ({
      question,
      channels,
      reference: null,
      within,
    });
    return [
      { question: { path }, channels: entry.channels, reference: channels, within },
      ...(entry.more_planes ?? []).map(({ at, channels }) => more({ path, at: lower(at) }, channels)),
      ...(entry.more_scenes ?? []).map(({ scene, channels }) => more({ path, scene }, channels)),
    ];
  });
}

export function checkPlanes({ question, channels, reference, within }: SampleCase, given: Planes): void {
  const what = JSON.stringify(question);
  const hashes = (channels: readonly Channel[]) => channels.map(({ sha256_f32le }) => sha256_f32le);
  if (within === 0) assert.deepEqual(given.sha256, hashes(channels), what);
  assert.equal(given.mean.length, channels.length, what);
  if (within > 0) {
    given.mean.forEach((mean, i) =>
      assert(Math.abs(mean! - channels[i]!.mean) <= within, `${what}: ${mean}`)
    );
  }
  if (reference !== null) assert.deepEqual(given.reference?.sha256, hashes(reference), what);
}
