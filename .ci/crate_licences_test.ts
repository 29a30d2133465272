import assert from "node:assert/strict";
import { tarGz, textEntry } from "./archive.ts";
import { crateLicence, licenceIn } from "./crate_licences.ts";

/** A manifest as cargo writes it into a crate. */
const manifestOf = (licence: string) =>
  `[package]\nedition = "2021"\nname = "ash"\n${licence}\n\n[package.metadata.docs]\nlicense = "none of it"\n`;

Deno.test("the licence of a manifest is that of its package, with OR for the slash of older ones", () => {
  const rows: [string, string | undefined][] = [
    ['license = "MIT"', "MIT"],
    ['license = "MIT/Apache-2.0"', "MIT OR Apache-2.0"],
    ['license = "MIT / Apache-2.0"', "MIT OR Apache-2.0"],
    ['license = "(MIT OR Apache-2.0) AND Unicode-3.0"', "(MIT OR Apache-2.0) AND Unicode-3.0"],
    ['license-file = "LICENSE"', undefined],
  ];
  for (const [line, licence] of rows) assert.equal(licenceIn(manifestOf(line)), licence, line);
  assert.equal(licenceIn('[package]\nlicense = "ISC"\n'), "ISC");
  assert.equal(licenceIn('[dependencies.a]\nlicense = "ISC"\n'), undefined);
});

Deno.test("the licence of a crate is read from its source, which is asked for once", async () => {
  const crate = tarGz([
    textEntry("ash-0.38.0+1.3.281/src/lib.rs", "x".repeat(513)),
    textEntry("ash-0.38.0+1.3.281/Cargo.toml", manifestOf('license = "MIT OR Apache-2.0"')),
  ], 0);
  const asked: string[] = [];
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    return pathname.startsWith("/ash/") ? new Response(crate.slice()) : new Response(null, { status: 404 });
  });
  const sources = `http://127.0.0.1:${server.addr.port}`;
  assert.equal(await crateLicence({ name: "ash", version: "0.38.0+1.3.281" }, sources), "MIT OR Apache-2.0");
  assert.deepEqual(asked, ["/ash/ash-0.38.0%2B1.3.281.crate"]);
  await assert.rejects(crateLicence({ name: "ash", version: "1.0.0" }, sources), /has no Cargo.toml/);
  await assert.rejects(crateLicence({ name: "none", version: "1.0.0" }, sources), /is answered by 404/);
});
