/**
 * Takes the pictures of the viewer that the documentation shows, into `docs/images/`: the example line scan, a scan of
 * Prairie View and the page of `examples/web/`.
 *
 * usage: deno run -A --lock=deno.lock --frozen tests/browser/screenshots.ts
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chooseInExample, openExample } from "./example_page.ts";
import { startChromium, StubbedServer, Viewer } from "./browser.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const IMAGES = join(ROOT, "docs", "images");
const LINE_SCAN = join(ROOT, "examples", "line_scan.oir");
const PRAIRIE = "LineScan-03142018-1454-2042";

await Deno.mkdir(IMAGES, { recursive: true });
await using server = await StubbedServer.start();
const browser = await startChromium();
await using viewer = await Viewer.load(browser, server, { viewport: { width: 1280, height: 800 } });

await viewer.open(LINE_SCAN);
const plot = await viewer.box("#source .plot");
await viewer.page.mouse.move(plot.x + plot.width * 0.415, plot.y + plot.height * 0.47);
await viewer.settle();
await viewer.page.screenshot({ path: join(IMAGES, "line-scan.png") });

await viewer.open(join(ROOT, "tests", "fixtures", "prairie", PRAIRIE, `${PRAIRIE}.xml`));
const middle = await viewer.place("source", [40, 33], 20, 16);
await viewer.page.mouse.move(middle.x, middle.y);
await viewer.settle();
await viewer.page.screenshot({ path: join(IMAGES, "prairie.png") });

const example = await openExample(browser, server);
await chooseInExample(example, server, LINE_SCAN);
await example.screenshot({ path: join(IMAGES, "use-from-web.png") });
await browser.close();
