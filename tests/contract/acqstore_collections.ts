/** Collections in the layout of acqstore 0.2.0, and what acqstore reads back from them (`fixtures/acqstore/make.py`). */
import { join } from "node:path";
import { sha256 } from "../planes.ts";
import type { Harness } from "./harness.ts";

/** Folder of the collections. */
export const ACQSTORE = new URL("../fixtures/acqstore", import.meta.url).pathname;

interface ExpectedMember {
  /** Digests of the planes of all channels, as float32. */
  readonly planes: readonly string[];
  readonly reference: readonly string[] | null;
  readonly steps: readonly number[];
  readonly accepted: boolean;
  readonly rois: readonly unknown[];
  readonly experiment: unknown;
  readonly analyses: readonly {
    readonly name: string;
    readonly channel: number;
    readonly roi: number;
    readonly summary: unknown;
    readonly rows: number | null;
    readonly columns: readonly string[] | null;
  }[];
}

/** By collection and member. */
export const EXPECTED: Readonly<Record<string, Readonly<Record<string, ExpectedMember>>>> = JSON.parse(
  Deno.readTextFileSync(join(ACQSTORE, "expected.json")),
);

/** Digests of the planes of a session. */
export async function planesOf(
  server: Harness,
  { sessionId, channels }: {
    readonly sessionId: string;
    readonly channels: readonly { readonly index: number }[];
  },
  kind = "",
): Promise<string[]> {
  const planes: string[] = [];
  for (const { index } of channels) {
    const path = `/api/v2/sessions/${sessionId}/${kind}channels/${index}/data`;
    planes.push(sha256(new Float32Array(await (await server.request(path)).arrayBuffer())));
  }
  return planes;
}

/** Copies a collection into a folder. @returns the path of the copy */
export function copyOf(name: string, folder: string): string {
  const copy = (from: string, to: string) => {
    Deno.mkdirSync(to, { recursive: true });
    for (const entry of Deno.readDirSync(from)) {
      const [source, target] = [join(from, entry.name), join(to, entry.name)];
      if (entry.isDirectory) copy(source, target);
      else Deno.copyFileSync(source, target);
    }
  };
  const root = join(folder, `${name}.ome.zarr`);
  copy(join(ACQSTORE, `${name}.ome.zarr`), root);
  return root;
}
