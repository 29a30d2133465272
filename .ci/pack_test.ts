import assert from "node:assert/strict";
import { join } from "node:path";
import { appBundle } from "./packages/app_bundle.ts";
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

Deno.test("the icon of macOS has a picture of each size", () => {
  const icon = Deno.readFileSync(ROOT + ".ci/icon.icns");
  const view = new DataView(icon.buffer);
  const letters = (at: number) => new TextDecoder().decode(icon.subarray(at, at + 4));
  assert.deepEqual([letters(0), view.getUint32(4)], ["icns", icon.length]);
  const sides = new Set<number>();
  for (let at = 8; at < icon.length; at += view.getUint32(at + 4)) {
    // PNG: eight bytes of signature, then length and type of the first chunk, then width and height.
    assert.equal(letters(at + 9).slice(0, 3), "PNG", letters(at));
    const [width, height] = [view.getUint32(at + 24), view.getUint32(at + 28)];
    assert.equal(width, height, letters(at));
    sides.add(width);
  }
  assert.deepEqual([...sides], [32, 64, 128, 256, 512, 1024]);
});

Deno.test("the application names its executable and its icon", () => {
  const bundle = appBundle(new TextEncoder().encode("a stand-in"));
  const contents = "acq-server.app/Contents/";
  const paths = bundle.map(({ path }) => path);
  const plist = new TextDecoder().decode(bundle.find(({ path }) => path.endsWith("Info.plist"))!.bytes);
  const value = (key: string) => new RegExp(`<key>${key}</key><string>([^<]+)</string>`).exec(plist)?.[1];
  assert(paths.includes(`${contents}MacOS/${value("CFBundleExecutable")}`));
  assert(paths.includes(`${contents}Resources/${value("CFBundleIconFile")}.icns`));
  assert.equal(value("LSMinimumSystemVersion"), "12.0");
  assert.equal(bundle.find(({ kind }) => kind === "executable")?.path, `${contents}MacOS/acq-server`);
});
