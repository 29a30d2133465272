import { deepEqual } from "node:assert/strict";
import { uniqueIds } from "./judge.ts";
import { DocumentProblems, type Problem } from "./problem.ts";

Deno.test("an id that an earlier item has is a problem; what is no id, or empty, is none of these", () => {
  const problems: Problem[] = [];
  const ids = ["a", 7, "", "a", 7, "", undefined, undefined, "b"];
  uniqueIds(ids.map((id, i) => [i, { id }]), ["members"], new DocumentProblems("c.json", problems));
  deepEqual(problems, [
    { file: "c.json", pointer: "/members/3/id", message: `the id "a" is that of item 0 already` },
  ]);
});
