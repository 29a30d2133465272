/** A short seeded run of everything that `deno task stress fuzz` does. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { fuzz } from "./fuzz_process.ts";
import { fuzzHttp } from "./http_requests.ts";
import { FUZZED_FORMATS } from "./seeds.ts";

for (const format of FUZZED_FORMATS) {
  Deno.test(`changed files of ${format} give planes of the right size or a tagged error`, async () => {
    const { cases, outcomes, findings } = await fuzz({ format, seed: 1, cases: 120 });
    deepEqual(findings, []);
    equal(cases, 120);
    // A run that only ever sees one outcome tests nothing.
    ok(outcomes.planes > 0 && outcomes.refused > 0, JSON.stringify(outcomes));
  });
}

Deno.test("random requests get documented answers or an error envelope", async () => {
  const { outcomes, findings } = await fuzzHttp({ seed: 1, cases: 800 });
  deepEqual(findings, []);
  for (const status of ["200", "403", "404", "405", "415", "422"]) ok(outcomes[status], `never ${status}`);
});
