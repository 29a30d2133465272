import assert from "node:assert/strict";
import {
  AS_PLOT,
  fromShown,
  mirrored,
  ORIENTATIONS,
  shownSize,
  toShown,
  turned,
  UPRIGHT,
  viewFromShown,
  viewToShown,
} from "../../static/demo/v2/picture/orientation.js";

// A plane of three rows and two columns; its picture, transposed, is three wide and two high.
//   a d
//   b e   ->   a b c
//   c f        d e f
const PICTURE = { width: 3, height: 2 };
const LETTERS = ["abc", "def"];

/** Turned on paper: the picture, then three more quarters to the right; the same of its mirror image. */
const BY_HAND = [
  "abc/def",
  "da/eb/fc",
  "fed/cba",
  "cf/be/ad",
  "cba/fed",
  "fc/eb/da",
  "def/abc",
  "ad/be/cf",
];

/** Picture in an orientation, line by line. */
function shown(orientation: typeof AS_PLOT): string {
  const { width, height } = shownSize(orientation!, PICTURE);
  const lines = Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => {
      const at = fromShown(orientation!, PICTURE, x + 0.5, y + 0.5);
      return LETTERS[Math.floor(at.y)]![Math.floor(at.x)];
    }).join(""));
  return lines.join("/");
}

Deno.test("turns and the mirror reach all orientations", () => {
  let orientation = ORIENTATIONS[0]!;
  const seen = [];
  for (const start of [orientation, mirrored(orientation)]) {
    orientation = start;
    for (let quarter = 0; quarter < 4; quarter += 1) {
      seen.push(shown(orientation));
      orientation = turned(orientation);
    }
    assert.deepEqual(orientation, start);
  }
  assert.deepEqual(seen, BY_HAND);
  assert.deepEqual(ORIENTATIONS.map(shown).sort(), BY_HAND.toSorted());
});

Deno.test("a plot begins at the lower left, an image at the upper left with row 0 on top", () => {
  assert.equal(shown(AS_PLOT), "def/abc");
  assert.equal(shown(UPRIGHT), "ad/be/cf");
});

Deno.test("places and views go to the screen and back in all orientations", () => {
  const view = { x0: 0.25, y0: 0.5, x1: 2, y1: 1.75 };
  for (const orientation of ORIENTATIONS) {
    const { x, y } = toShown(orientation, PICTURE, 2.25, 0.75);
    assert.deepEqual(fromShown(orientation, PICTURE, x, y), { x: 2.25, y: 0.75 });
    const part = viewToShown(orientation, PICTURE, view);
    const { width, height } = shownSize(orientation, PICTURE);
    assert(part.x0 >= 0 && part.x0 < part.x1 && part.x1 <= width);
    assert(part.y0 >= 0 && part.y0 < part.y1 && part.y1 <= height);
    assert.deepEqual(viewFromShown(orientation, PICTURE, part), view);
  }
});
