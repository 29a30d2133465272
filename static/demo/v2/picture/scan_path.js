/**
 * Maps columns of a line scan to positions on its path over the reference image and back. Columns are spread evenly by
 * length over the path, or one per point when their numbers are equal.
 * Coordinates are pixels of the reference plane: x counts columns, y counts rows.
 */

/** @import { Point } from "../../../client/v2/acq-client.d.ts" */

/** Position of each point along the path, 0 to 1. @param {readonly Point[]} points @param {number} columns of the line scan */
function pathFractions(points, columns) {
  if (points.length === columns) return points.map((_, i) => i / Math.max(1, columns - 1));
  const lengths = [0];
  for (let i = 1; i < points.length; i += 1) {
    lengths.push(lengths[i - 1] + Math.hypot(points[i].x - points[i - 1].x, points[i].y - points[i - 1].y));
  }
  const whole = lengths[lengths.length - 1] || 1;
  return lengths.map((length) => length / whole);
}

/** Position of a column of the line scan on a path of at least one point. @type {(points: readonly Point[], columns: number, column: number) => Point} */
export function placeOfColumn(points, columns, column) {
  const fractions = pathFractions(points, columns);
  const wanted = column / Math.max(1, columns - 1);
  const next = fractions.findIndex((fraction) => fraction >= wanted);
  if (next <= 0) return points[next === 0 ? 0 : points.length - 1];
  const [a, b] = [points[next - 1], points[next]];
  const part = (wanted - fractions[next - 1]) / (fractions[next] - fractions[next - 1]);
  return { x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part };
}

/** Column of the line scan nearest to a position of the reference image, and its distance in reference pixels. @param {readonly Point[]} points at least one @param {number} columns @param {Point} place */
export function columnNear(points, columns, place) {
  const fractions = pathFractions(points, columns);
  let best = { fraction: 0, distance: Math.hypot(place.x - points[0].x, place.y - points[0].y) };
  for (let i = 1; i < points.length; i += 1) {
    const [a, b] = [points[i - 1], points[i]];
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const square = dx * dx + dy * dy;
    const along = square > 0 ? ((place.x - a.x) * dx + (place.y - a.y) * dy) / square : 0;
    const part = Math.min(1, Math.max(0, along));
    const distance = Math.hypot(place.x - a.x - part * dx, place.y - a.y - part * dy);
    if (distance < best.distance) {
      best = { fraction: fractions[i - 1] + part * (fractions[i] - fractions[i - 1]), distance };
    }
  }
  return { column: Math.round(best.fraction * (columns - 1)), distance: best.distance };
}
