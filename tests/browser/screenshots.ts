/**
 * Takes the pictures of the viewer that the documentation shows, into `docs/images/`: the example line scan and a drawn
 * section of tissue, in light and dark, on a desktop and on a phone; a scan of Prairie View on a desktop; the page of
 * `examples/web/`.
 *
 * usage: deno run -A --lock=deno.lock --frozen tests/browser/screenshots.ts
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writePlainStore } from "../fixtures/plain_store.ts";
import { chooseInExample, openExample } from "./example_page.ts";
import { startChromium, StubbedServer, Viewer } from "./browser.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const IMAGES = join(ROOT, "docs", "images");

const [ROWS, COLUMNS] = [420, 560];

/** Red, green and blue of a drawn stained section: pale tissue with pores, fibres and dark nuclei. */
function tissue(): Uint16Array<ArrayBuffer>[] {
  let state = 11;
  const random = () => (state = (state * 1664525 + 1013904223) >>> 0) / 2 ** 32;
  const spots = (count: number, least: number, most: number) =>
    Array.from({ length: count }, () => ({
      row: random() * ROWS,
      column: random() * COLUMNS,
      radius: least + random() * (most - least),
      stretch: 0.7 + 0.6 * random(),
    }));
  const pores = spots(14, 18, 44);
  const nuclei = spots(340, 3.5, 6.5);
  const planes = [0, 1, 2].map(() => new Uint16Array(ROWS * COLUMNS));
  for (let row = 0; row < ROWS; row += 1) {
    for (let column = 0; column < COLUMNS; column += 1) {
      const cover = (places: typeof pores, edge: number) =>
        places.reduce((most, { row: r, column: c, radius, stretch }) => {
          const distance = Math.hypot((row - r) * stretch, column - c);
          return Math.max(most, 1 / (1 + Math.exp((distance - radius) / edge)));
        }, 0);
      const pore = cover(pores, 1.5);
      const nucleus = cover(nuclei, 0.8) * (1 - pore);
      const fibre = 0.5 + 0.5 * Math.sin(row / 9 + 3 * Math.sin(column / 60) + column / 40);
      const color = [225 - 25 * fibre, 140 - 50 * fibre, 180 - 30 * fibre];
      [246, 242, 246].forEach((bright, c) => {
        const solid = color[c]! + ([88, 52, 130][c]! - color[c]!) * nucleus;
        planes[c]![row * COLUMNS + column] = solid + (bright - solid) * pore;
      });
    }
  }
  return planes;
}

await Deno.mkdir(IMAGES, { recursive: true });
await using server = await StubbedServer.start();
const browser = await startChromium();
const store = join(server.folder, "tissue_section.ome.zarr");
const calibration = { step: 0.5, unit: "micrometer" };
await writePlainStore(store, {
  planes: tissue(),
  rows: ROWS,
  columns: COLUMNS,
  y: calibration,
  x: calibration,
  names: ["Red", "Green", "Blue"],
});
const pictures = { "line-scan": join(ROOT, "examples", "line_scan.oir"), rgb: join(store, "zarr.json") };
for (const [name, path] of Object.entries(pictures)) {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [width, height] of [[1280, 800], [390, 844]] as const) {
      await using viewer = await Viewer.load(browser, server, { viewport: { width, height }, colorScheme });
      await viewer.open(path);
      const plot = await viewer.box("#source .plot");
      await viewer.page.mouse.move(plot.x + plot.width * 0.415, plot.y + plot.height * 0.47);
      await viewer.settle();
      await viewer.page.screenshot({ path: join(IMAGES, `${name}-${colorScheme}-${width}x${height}.png`) });
    }
  }
}
const scan = "LineScan-03142018-1454-2042";
await using viewer = await Viewer.load(browser, server, { viewport: { width: 1280, height: 800 } });
await viewer.open(join(ROOT, "tests", "fixtures", "prairie", scan, `${scan}.xml`));
const middle = await viewer.place("source", [40, 33], 20, 16);
await viewer.page.mouse.move(middle.x, middle.y);
await viewer.settle();
await viewer.page.screenshot({ path: join(IMAGES, "prairie-light-1280x800.png") });
const example = await openExample(browser, server);
await chooseInExample(example, server, join(ROOT, "examples", "line_scan.oir"));
await example.screenshot({ path: join(IMAGES, "use-from-web.png") });
await browser.close();
