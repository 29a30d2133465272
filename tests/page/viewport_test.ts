import assert from "node:assert/strict";
import fc from "fast-check";
import {
  home,
  isHome,
  panBy,
  reveal,
  toPicture,
  toPlot,
  zoomAt,
  zoomTo,
} from "../../static/demo/v2/picture/viewport.js";

const picture = { width: 1000, height: 200 };
const whole = home(1000, 200);

Deno.test("zooming keeps the place under the pointer", () => {
  // Half the span about x = 250: a quarter lies left of it before and after.
  assert.deepEqual(zoomAt(whole, { x: 250, y: 100 }, 2, 2, picture), { x0: 125, x1: 625, y0: 50, y1: 150 });
});

Deno.test("zooming along one axis leaves the other", () => {
  assert.deepEqual(zoomAt(whole, { x: 0, y: 0 }, 4, 1, picture), { x0: 0, x1: 250, y0: 0, y1: 200 });
});

Deno.test("zooming ends at four pixels and at the whole picture", () => {
  const near = zoomAt(whole, { x: 500, y: 100 }, 1e9, 1e9, picture);
  assert.deepEqual([near.x1 - near.x0, near.y1 - near.y0], [4, 4]);
  assert(isHome(zoomAt(near, { x: 500, y: 100 }, 1e-9, 1e-9, picture), 1000, 200));
});

Deno.test("panning stops at the edge", () => {
  const part = { x0: 100, x1: 200, y0: 0, y1: 50 };
  assert.deepEqual(panBy(part, -500, 20, picture), { x0: 0, x1: 100, y0: 20, y1: 70 });
});

Deno.test("a box on a locked picture grows to the aspect of the view", () => {
  // 100 x 40 pixels: the view is 5 : 1, so 200 x 40 about the same middle (150, 60).
  const view = zoomTo(whole, { x: 200, y: 40 }, { x: 100, y: 80 }, picture, true);
  assert.deepEqual(view, { x0: 50, x1: 250, y0: 40, y1: 80 });
  const free = zoomTo(whole, { x: 200, y: 40 }, { x: 100, y: 80 }, picture, false);
  assert.deepEqual(free, { x0: 100, x1: 200, y0: 40, y1: 80 });
});

Deno.test("revealing moves no further than needed", () => {
  const part = { x0: 100, x1: 200, y0: 0, y1: 50 };
  assert.deepEqual(reveal(part, 200, 20, picture), { x0: 101, x1: 201, y0: 0, y1: 50 });
  assert.deepEqual(reveal(part, 150, 20, picture), part);
});

Deno.test("any sequence of gestures stays inside the picture", () => {
  const gesture = fc.record({
    fx: fc.double({ min: 0, max: 1, noNaN: true }),
    fy: fc.double({ min: 0, max: 1, noNaN: true }),
    factor: fc.double({ min: 0.1, max: 10, noNaN: true }),
    pan: fc.integer({ min: -2000, max: 2000 }),
  });
  fc.assert(
    fc.property(fc.array(gesture, { maxLength: 20 }), (gestures) => {
      let view = whole;
      for (const { fx, fy, factor, pan } of gestures) {
        view = panBy(zoomAt(view, toPicture(view, fx, fy), factor, 1 / factor, picture), pan, -pan, picture);
        assert(view.x0 >= 0 && view.x1 <= 1000 && view.y0 >= 0 && view.y1 <= 200);
        assert(view.x1 - view.x0 >= 4 - 1e-6 && view.y1 - view.y0 >= 4 - 1e-6);
        const back = toPlot(view, toPicture(view, fx, fy).x, toPicture(view, fx, fy).y);
        assert(Math.abs(back.fx - fx) < 1e-6 && Math.abs(back.fy - fy) < 1e-6);
      }
    }),
    { numRuns: 1000, seed: 6 },
  );
});
