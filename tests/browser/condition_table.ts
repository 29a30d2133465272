/**
 * Writes the table of recordings as laboratories make them of docs/measure-accuracy.md.
 *
 * usage: deno run -A tests/browser/condition_table.ts [SEEDS] [LINES] [KIND] [METHOD]
 */
import { measuredKind, shareText } from "./measured_conditions.ts";
import { CONDITIONS } from "./streak_conditions.ts";

const [seeds = "10", lines = "4000", only = "", method = "agreeing"] = Deno.args;
const percent = (part: number, digits = 1) =>
  Number.isFinite(part) ? `${(100 * part).toFixed(digits)} %` : "–";
const row = (texts: readonly string[]) => console.log(`| ${texts.join(" | ")} |`);

row([
  "recording",
  "windows (ms)",
  "off",
  "95 % within",
  "covered",
  "indicative",
  "stated / actual",
  "gross",
  "rest: off by",
  "both found",
  "verdicts",
]);
row(Array.from({ length: 11 }, () => "---:"));
for (const [name, kind] of Object.entries(CONDITIONS)) {
  if (!name.includes(only)) continue;
  const all = Array.from({ length: Number(seeds) }, (_, i) => i + 1);
  const start = performance.now();
  const found = measuredKind(kind, all, Number(lines), { method, chosen: "automatically" });
  const worst = Math.max(...found.rests.map(Math.abs));
  row([
    name,
    [...new Set(found.lengths)].toSorted((a, b) => a - b).join(", "),
    percent(found.bias, 2),
    percent(found.most),
    percent(found.covered),
    percent(found.indicative),
    Number.isFinite(found.stated) ? found.stated.toFixed(1) : "–",
    shareText(found.gross, found.windows),
    found.rests.length === 0 ? "–" : percent(worst),
    percent(found.both),
    Object.entries(found.verdicts).map(([verdict, count]) => `${verdict} ${count}`).join(", "),
  ]);
  console.error(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
}
