import assert from "node:assert/strict";
import { arrowTo, linkPanes } from "../../static/demo/v2/picture/linked_cursor.js";

/** A pane of 100 x 100 CSS pixels that shows ten pixels of its picture, from (0, 0). */
function pane() {
  return {
    overlay: () => [] as unknown[],
    plot: { width: 100, height: 100 },
    view: { x0: 0, y0: 0, x1: 10, y1: 10 },
    zoom: 10,
    toScreen: (x: number, y: number): [number, number] => [10 * x, 10 * y],
    drawMarks: () => {},
  };
}

function linked() {
  const panes = { source: pane(), reference: pane() };
  // deno-lint-ignore no-explicit-any
  const links = linkPanes(panes as any);
  // A line along the reference's row 2, from column 0 to 8, read in 9 columns.
  links.begin([{ x: 0, y: 2 }, { x: 8, y: 2 }], 9);
  return { panes, links };
}

Deno.test("a column of the line scan is linked to its place on the path", () => {
  const { panes, links } = linked();
  links.follow("source", { x: 0, y: 3 });
  assert.equal(links.text("source"), "reference row 2, column 3");
  assert.equal(links.text("reference"), "");
  const marks = panes.reference.overlay() as { ring?: number[] }[];
  // Row 2 and column 3 at the centres of their pixels.
  assert.deepEqual(marks.at(-1)!.ring!.slice(0, 2), [25, 35]);
  links.follow("source", null);
  assert.equal(links.text("source"), "");
});

Deno.test("only places near the path are linked to a column", () => {
  const { panes, links } = linked();
  links.follow("reference", { x: 2, y: 5 });
  assert.equal(links.text("reference"), "line scan column 5");
  const [mark] = panes.source.overlay() as { points: number[][] }[];
  assert.equal(mark!.points[0]![1], 55);
  // Four pixels away are 40 CSS pixels.
  links.follow("reference", { x: 6, y: 5 });
  assert.equal(links.text("reference"), "");
  assert.deepEqual(panes.source.overlay(), []);
});

Deno.test("a mark out of view becomes an arrow that points to it", () => {
  const [arrow, label] = arrowTo([50, 400], { width: 100, height: 100 }, "column 40") as unknown as [
    { points: number[][] },
    { text: string; at: number[] },
  ];
  // 12 from the lower edge; the tip is the lowest point, the wings lie left and right of it.
  assert.deepEqual(arrow.points.map((point) => point.map(Math.round)), [[44, 82], [50, 94], [56, 82]]);
  assert.equal(label.text, "column 40");
});
