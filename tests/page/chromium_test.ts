import assert from "node:assert/strict";
import { delimiter, join } from "node:path";
import { findChromium } from "../browser/chromium.ts";

Deno.test("the browser is what CHROME names, or the first known name in PATH", () => {
  const folder = Deno.makeTempDirSync({ prefix: "chromium_" });
  try {
    const [first, second] = [join(folder, "first"), join(folder, "second")];
    Deno.mkdirSync(first);
    Deno.mkdirSync(second);
    const PATH = ["relative", first, second].join(delimiter);
    assert.equal(findChromium({ PATH }), null);
    const [chrome, chromium] = [join(first, "google-chrome"), join(second, "chromium")];
    Deno.writeTextFileSync(chrome, "");
    assert.equal(findChromium({ PATH }), chrome);
    Deno.writeTextFileSync(chromium, "");
    assert.equal(findChromium({ PATH }), chromium, "Chromium comes before Chrome");
    assert.equal(findChromium({ PATH, CHROME: chrome }), chrome);
    assert.equal(
      findChromium({ PATH, CHROME: join(folder, "missing") }),
      null,
      "CHROME has no fallback",
    );
    assert.equal(findChromium({ PATH, CHROME: first }), null, "a folder is not a program");
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
