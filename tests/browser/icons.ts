/**
 * Draws the icon of the page in the sizes of macOS, into `.ci/icon.icns`, which the application has.
 *
 * usage: deno run -A tests/browser/icons.ts
 */
import { Buffer } from "node:buffer";
import { ROOT } from "../binary/server_process.ts";
import { startChromium } from "./browser.ts";

/** Kinds of pictures of an icon of macOS, all PNG, with their sides in pixels; the second of a side is for fine screens. */
const KINDS = {
  ic11: 32,
  ic12: 64,
  ic07: 128,
  ic13: 256,
  ic08: 256,
  ic14: 512,
  ic09: 512,
  ic10: 1024,
} as const;

/** Four letters, the length of the whole, and the content. */
function chunk(kind: string, content: Uint8Array): Uint8Array {
  const head = Buffer.alloc(8);
  head.write(kind);
  head.writeUInt32BE(8 + content.length, 4);
  return Buffer.concat([head, content]);
}

const svg = Deno.readTextFileSync(`${ROOT}static/demo/v2/icon.svg`);
const browser = await startChromium();
const page = await browser.newPage();
const pictures: Uint8Array[] = [];
for (const [kind, side] of Object.entries(KINDS)) {
  await page.setViewportSize({ width: side, height: side });
  await page.setContent(
    `<style>* { margin: 0 } svg { display: block; width: 100vw; height: 100vh }</style>${svg}`,
  );
  pictures.push(chunk(kind, await page.screenshot({ omitBackground: true })));
}
await browser.close();
Deno.writeFileSync(`${ROOT}.ci/icon.icns`, chunk("icns", Buffer.concat(pictures)));
