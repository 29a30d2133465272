/** The smallest reader of docs/developers/add-a-format.md, compiled and used. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../binary/server_process.ts";
import { run } from "../child_process.ts";
import { DecodeFailed, PlaneNotFound } from "../../readers/errors.ts";
import { FileAccess } from "../../readers/io/file_access.ts";
import type { FileFormat } from "../../readers/format.ts";
import { temporaryFolder } from "../temporary_files.ts";

const PAGE = Deno.readTextFileSync(join(ROOT, "docs/developers/add-a-format.md"));
const [FORMAT, CODE] = [...PAGE.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code!) as [string, string];

/** A file of `planes` declared planes of 2 rows and 3 columns, whose samples count from 0, cut to `bytes`. */
function greyFile(planes: number, bytes: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(24 + 12 * planes));
  new Uint8Array(view.buffer).set(new TextEncoder().encode("GREY"));
  for (const [i, value] of [3, 2, planes].entries()) view.setUint32(4 + 4 * i, value, true);
  view.setFloat64(16, 0.25, true);
  for (let i = 0; i < 6 * planes; i += 1) view.setUint16(24 + 2 * i, i, true);
  return new Uint8Array(view.buffer, 0, bytes);
}

Deno.test("the smallest reader compiles, reads planes, and refuses what the file does not hold", async () => {
  using folder = temporaryFolder();
  for (const [name, code] of [["format.ts", FORMAT], ["mod.ts", CODE]] as const) {
    Deno.writeTextFileSync(
      folder.at(name),
      code.replaceAll('from "../', `from "${pathToFileURL(ROOT)}readers/`),
    );
  }
  const declaration = folder.at("format.ts");
  const config = ["--config", join(ROOT, "deno.json")];
  const { success, stderr } = await run(Deno.execPath(), {
    args: ["check", "--quiet", ...config, declaration],
  });
  assert(success, new TextDecoder().decode(stderr));
  const { GREY }: { GREY: FileFormat } = await import(pathToFileURL(declaration).href);
  assert(GREY.recognises(greyFile(1, 36)) && !GREY.recognises(new Uint8Array(64)));
  const { scenes } = await GREY.load();

  using files = new FileAccess();
  const opened = async (name: string, content: Uint8Array) => {
    Deno.writeFileSync(folder.at(name), content);
    return await (await scenes({ path: folder.at(name), files })).open(0);
  };
  // Two complete planes of three, and 5 bytes of the last.
  const acquisition = await opened("cut.grey", greyFile(3, 24 + 2 * 12 + 5));
  assert.deepEqual(acquisition.axes.map(({ name, size, step, unit }) => [name, size, step, unit]), [
    ["T", 3, 1, "Pixels"],
    ["Y", 2, 0.25, "um"],
    ["X", 3, 0.25, "um"],
  ]);
  assert.deepEqual(acquisition.warnings.map(({ code }) => code), ["planes_missing"]);
  const at = (t: number) => ({ t, z: 0, l: 0 });
  const plane = new Float32Array(6);
  await (await acquisition.plan([0], at(1))).decode([plane]);
  assert.deepEqual([...plane], [6, 7, 8, 9, 10, 11]);
  const row = new Float32Array(3);
  await (await acquisition.plan([0], at(0), { start: 1, end: 2 })).decode([row]);
  assert.deepEqual([...row], [3, 4, 5]);
  await assert.rejects(acquisition.plan([0], at(2)), PlaneNotFound);
  await assert.rejects(opened("short.grey", greyFile(1, 24 + 11)), DecodeFailed);
  await assert.rejects(opened("head.grey", greyFile(1, 20)), DecodeFailed);
});
