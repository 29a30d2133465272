/** Scripts of pages: TypeScript without its types. Spaces take their place, so that positions in the source stay. */
import { stripTypeScriptTypes } from "node:module";
import { fileMark } from "../readers/io/paths.ts";

/** A source that gives no script; the message says what is wrong in which line. */
export class ScriptFault extends Error {}

/** Scripts by address, with the mark of the file that they were made of. */
const scripts = new Map<string, { readonly mark: string; readonly bytes: Uint8Array<ArrayBuffer> }>();

/**
 * The script of a file.
 *
 * @param name of the file in messages
 * @throws {ScriptFault} the file has a syntax error, or syntax that is not only types, such as an enum
 * @throws {Deno.errors.NotFound} there is no file
 */
export async function pageScript(file: URL, name: string): Promise<Uint8Array<ArrayBuffer>> {
  const mark = fileMark(await Deno.stat(file));
  const known = scripts.get(file.href);
  if (known?.mark === mark) return known.bytes;
  const source = await Deno.readTextFile(file);
  let script: string;
  try {
    script = stripTypeScriptTypes(source, { mode: "strip" });
  } catch (cause) {
    throw new ScriptFault(await faultIn(source, name, cause as Error), { cause });
  }
  const bytes = new TextEncoder().encode(script);
  scripts.set(file.href, { mark, bytes });
  return bytes;
}

/** What is wrong in a source, and where. */
async function faultIn(source: string, name: string, { message }: Error): Promise<string> {
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
