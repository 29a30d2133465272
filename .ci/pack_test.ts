import assert from "node:assert/strict";
import { join } from "node:path";
import { appBundle, icns, pictureOf } from "./packages/app_bundle.ts";
import { platformOf, ROOT } from "./packages/release.ts";
import { pack } from "./pack.ts";
import { temporaryFolder } from "../tests/temporary_files.ts";

Deno.test("an archive is packed twice with the same bytes", () => {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  const program = join(folder, "acq-server");
  Deno.writeTextFileSync(program, "a stand-in");
  for (const name of ["linux-x86_64", "windows-x86_64"]) {
    const once = pack(platformOf(name), program);
    // A program that was written later is packed the same way.
    Deno.writeTextFileSync(program, "a stand-in", { mode: 0o600 });
    Deno.utimeSync(program, 1, 1);
    assert.deepEqual(pack(platformOf(name), program), once, name);
  }
});

Deno.test("the icon of macOS holds the largest picture of the icon of Windows", () => {
  const picture = pictureOf(Deno.readFileSync(ROOT + ".ci/icon.ico"));
  // PNG: eight bytes of signature, then length and type of the first chunk, then width and height.
  const view = new DataView(picture.buffer, picture.byteOffset, picture.byteLength);
  assert.deepEqual([view.getUint32(16), view.getUint32(20)], [256, 256]);
  const icon = icns(picture);
  const text = (from: number) => new TextDecoder().decode(icon.subarray(from, from + 4));
  assert.deepEqual([text(0), text(8)], ["icns", "ic08"]);
  const length = (at: number) => new DataView(icon.buffer, icon.byteOffset).getUint32(at);
  assert.deepEqual([length(4), length(12)], [picture.length + 16, picture.length + 8]);
  assert.throws(() => pictureOf(new Uint8Array([0, 0, 1, 0, 0, 0])), /The icon has no PNG/);
});

Deno.test("the application names its executable and its icon", () => {
  const bundle = appBundle(new TextEncoder().encode("a stand-in"));
  const contents = "acq-server.app/Contents/";
  const paths = bundle.map(({ path }) => path);
  const plist = new TextDecoder().decode(bundle.find(({ path }) => path.endsWith("Info.plist"))!.bytes);
  const value = (key: string) => new RegExp(`<key>${key}</key><string>([^<]+)</string>`).exec(plist)?.[1];
  assert(paths.includes(`${contents}MacOS/${value("CFBundleExecutable")}`));
  assert(paths.includes(`${contents}Resources/${value("CFBundleIconFile")}.icns`));
  assert.equal(bundle.find(({ kind }) => kind === "executable")?.path, `${contents}MacOS/acq-server`);
});
