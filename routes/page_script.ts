/** Scripts of pages: TypeScript without its types. Spaces take their place, so that positions in the source stay. */
// An executable serves stripped files, and its runtime may lack the function.
import * as module from "node:module";
import { makeMark } from "../readers/io/paths.ts";

/** A source that gives no script; the message says what is wrong in which line. */
export class ScriptFault extends Error {}

/**
 * A source without its types. Lines end where the code on them ends, so that interfaces leave empty lines.
 *
 * @throws {SyntaxError} without a position, unless the syntax is that of TypeScript and not only types
 */
export function withoutTypes(source: string): string {
  const lines = source.split("\n");
  return module.stripTypeScriptTypes(source, { mode: "strip" }).split("\n")
    // White space at the end of a line of the source may be text.
    .map((line, i) => lines[i]?.trimEnd() === lines[i] ? line.trimEnd() : line).join("\n");
}

/** Scripts by address, with the mark of the file that they were made of. */
const scripts = new Map<string, { readonly mark: string; readonly bytes: Uint8Array<ArrayBuffer> }>();

/**
 * The script of a file.
 *
 * @param name of the file in messages
 * @throws {ScriptFault} the file has a syntax error, or syntax that is not only types, such as an enum
 * @throws {Deno.errors.NotFound} there is no file
 */
export async function stripScript(file: URL, name: string): Promise<Uint8Array<ArrayBuffer>> {
  const mark = makeMark(await Deno.stat(file));
  const known = scripts.get(file.href);
  if (known?.mark === mark) return known.bytes;
  const source = await Deno.readTextFile(file);
  let script: string;
  try {
    script = withoutTypes(source);
  } catch (cause) {
    throw new ScriptFault(await findFault(source, name, cause as Error), { cause });
  }
  const bytes = new TextEncoder().encode(script);
  scripts.set(file.href, { mark, bytes });
  return bytes;
}

/** What is wrong in a source, and where. */
async function findFault(source: string, name: string, { message }: Error): Promise<string> {
  // Errors of syntax come without a position. The loader of modules finds it, and runs nothing that it cannot parse.
  const words: string = message.includes("InvalidSyntax")
    ? await import(`data:application/typescript,${encodeURIComponent(source)}`).catch((error) =>
      error.message
    )
    : message;
  const [what = words] = words.replace("SyntaxError: ", "").split(/\n| at file:/);
  const [, line] = /:(\d+):\d+$/.exec(words) ?? [];
  return `"${name}"${line === undefined ? "" : `, line ${line}`}: ${what}`;
}
