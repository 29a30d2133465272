/**
 * The link between a line scan and its reference: pointing along the space axis of the line scan marks the place on the scan
 * path, and pointing at the path marks the row of the line scan's picture. Also draws the path.
 */
import { columnNear, placeOfColumn } from "./scan_path.js";

const PATH_COLOR = "#ffd84d";
const LINK_COLOR = "#ff7a1a";

/** How near the path the pointer must be, in CSS pixels. */
const REACH = 16;

/**
 * Puts its marks over both panes.
 *
 * @param {{source: import("./pane.js").Pane, reference: import("./pane.js").Pane}} panes
 */
export function linkPanes({ source, reference }) {
  let points = [];
  let columns = 1;
  let isPathShown = true;
  /** The column that is marked, its place on the path and the pane that was pointed at. */
  let linked = null;

  source.overlay = () => {
    if (linked?.from !== "reference") return [];
    const y = source.toScreen(0, linked.column + 0.5)[1];
    return [{ points: [[0, y], [1e5, y]], color: LINK_COLOR, width: 2, halo: true }];
  };
  reference.overlay = () => {
    // Points are drawn swapped, like the plane, at the centres of their pixels.
    const screen = ({ x, y }) => reference.toScreen(y + 0.5, x + 0.5);
    const marks = [];
    if (isPathShown && points.length > 0) {
      const style = { color: PATH_COLOR, width: 2, halo: true };
      marks.push({ points: points.map(screen), ...style }, { ring: [...screen(points[0]), 4], ...style });
    }
    if (linked !== null) {
      marks.push({ ring: [...screen(linked.place), 6], color: LINK_COLOR, width: 3, halo: true });
    }
    return marks;
  };
  const draw = () => {
    source.drawMarks();
    reference.drawMarks();
  };

  return {
    /** Another acquisition: the path's points and the line scan's columns. */
    begin(newPoints, newColumns) {
      [points, columns, linked] = [newPoints, newColumns, null];
    },
    /** Shows or hides the path; the link stays. */
    showPath(isShown) {
      isPathShown = isShown;
      draw();
    },
    /** A pane's cursor is at this pixel of its picture, or nowhere. */
    follow(from, cursor) {
      if (points.length === 0) return;
      linked = null;
      if (cursor !== null && from === "source") {
        linked = { from, column: cursor.y, place: placeOfColumn(points, columns, cursor.y) };
      } else if (cursor !== null) {
        // The picture's x is the plane's row.
        const { column, distance } = columnNear(points, columns, { x: cursor.y, y: cursor.x });
        if (distance * reference.zoom <= REACH) {
          linked = { from, column, place: placeOfColumn(points, columns, column) };
        }
      }
      draw();
    },
  };
}
