/** Readers in Python that bench rows are compared with. */
import { fileURLToPath } from "node:url";
import { openHere } from "../tests/load_here.ts";

/** Python that has them: `--python=PROGRAM`, by default `python3`. */
export const PYTHON = Deno.args.find((argument) => argument.startsWith("--python="))?.slice(9) ?? "python3";

/** What a script of this folder prints, or `null` where Python or a package of the script is missing. */
export async function askPython(script: string, ...args: string[]): Promise<string | null> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  try {
    const { success, stdout } = await new Deno.Command(PYTHON, { args: [path, ...args], stderr: "null" })
      .output();
    return success ? new TextDecoder().decode(stdout) : null;
  } catch {
    return null;
  }
}

/**
 * The ratio of our time to that of another reader, where it is at hand.
 *
 * @param milliseconds ours
 * @param peer its name, its script (see `peer_timing.py`) and what is asked of it
 */
export async function ratioToPeer(
  milliseconds: number,
  { name, script, asked }: { readonly name: string; readonly script: string; readonly asked: object },
): Promise<Record<string, number>> {
  const theirs = await askPython(script, JSON.stringify(asked));
  return theirs === null ? {} : { [`to ${name}`]: milliseconds / Number(theirs) };
}

/** Opens a file and decodes channel 0 of its plane at a time point and a focus plane. */
export async function openPlane(
  path: string,
  at: { readonly t?: number; readonly z?: number },
): Promise<void> {
  await openHere(path, async (acquisition) => {
    const plan = await acquisition.plan([0], { t: 0, z: 0, l: 0, ...at });
    await plan.decode([new Float32Array(plan.rows * plan.columns)]);
  });
}
