/** The documentation page: works under its policy and asks nobody but the server. */
import assert from "node:assert/strict";
import { hasChromium, startChromium, StubbedServer } from "./browser.ts";

Deno.test({
  name: "docs: the contract is shown without any other host and without an error",
  ignore: !hasChromium(),
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using server = await StubbedServer.start();
    const browser = await startChromium();
    try {
      const page = await browser.newPage();
      const faults: string[] = [];
      page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
      page.on("pageerror", (error) => faults.push(String(error)));
      page.on("request", (request) => {
        if (!/^(data:|blob:)/.test(request.url()) && !request.url().startsWith(server.baseUrl)) {
          faults.push(request.url());
        }
      });
      await page.goto(`${server.baseUrl}/docs`);
      await page.getByText("/api/v2/pick-and-open").first().waitFor();
      assert.equal(await page.locator(".errors-wrapper").count(), 0);
      // A request made from the page itself.
      await page.locator("#operations-service-health .opblock-summary-control").click();
      await page.locator("#operations-service-health .execute").click();
      await page.getByText('"server_version"').first().waitFor();
      assert.deepEqual(faults, []);
    } finally {
      await browser.close();
    }
  },
});
