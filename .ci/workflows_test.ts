import assert from "node:assert/strict";
import { output, programTest } from "../tests/programs.ts";
import { ROOT } from "./packages/release.ts";

const FOLDER = `${ROOT}.github/workflows`;
const workflows = [...Deno.readDirSync(FOLDER)].map(({ name }) => ({
  name,
  text: Deno.readTextFileSync(`${FOLDER}/${name}`),
}));

Deno.test("pins each action to one commit, with its version beside it", () => {
  const pins = new Map<string, string>();
  for (const { name, text } of workflows) {
    for (const [line, action, pin] of text.matchAll(/^.*\buses: ([^@\s]+)@(.+)$/gm)) {
      assert.match(pin!, /^[0-9a-f]{40} # v\d+\.\d+\.\d+$/, `${name}: ${line}`);
      assert.equal(pins.get(action!) ?? pin, pin, `${name}: ${line}`);
      pins.set(action!, pin!);
    }
  }
  assert(pins.has("actions/checkout"));
});

Deno.test("no checkout persists its token", () => {
  for (const { name, text } of workflows) {
    const checkouts = text.match(/uses: actions\/checkout@.*\n.*/g) ?? [];
    for (const checkout of checkouts) assert.match(checkout, /\n +with:$/, name);
    const dropped = text.match(/with:\n +persist-credentials: false$/gm) ?? [];
    assert.equal(dropped.length, checkouts.length, name);
  }
});

Deno.test("no step of Node keeps a cache, which another workflow could fill", () => {
  for (const { name, text } of workflows) {
    const steps = text.match(/uses: actions\/setup-node@/g) ?? [];
    assert.equal(text.match(/package-manager-cache: false$/gm)?.length ?? 0, steps.length, name);
  }
});

Deno.test("the scripts that workflows run exist", () => {
  for (const { name, text } of workflows) {
    for (const [path] of text.matchAll(/(?:\.ci|tests)\/[\w./]+/g)) {
      assert(Deno.statSync(ROOT + path), `${name}: ${path}`);
    }
  }
});

programTest(["actionlint"], {
  name: "actionlint finds no fault in the workflows",
  fn: async ([actionlint]) => assert.equal(await output(actionlint!, [], { cwd: ROOT }), ""),
});

programTest(["zizmor"], {
  name: "zizmor finds no danger in the workflows",
  fn: async ([zizmor]) => void await output(zizmor!, ["--offline", "--quiet", "."], { cwd: ROOT }),
});
