/**
 * Links to a view: `#path=/data/scan.oir&scene=1&t=3&z=2`, and for an image that is treated as a line scan
 * `&line-scan=rows,0.002,0.5,0.000002` with seconds per line, micrometres and seconds per pixel. Any site can lead a
 * browser to a link, so a link only fills a field; the user opens it. The tab keeps its view for a reload.
 */
import { readKept, writeKept } from "../controls/kept.ts";
import type { TypedScan } from "../../../measure/typed_scan.ts";

/** What a link names; indices count from 0. */
export type LinkedView = {
  path: string;
  scene: number;
  position: { t: number; z: number; l: number };
  typed?: TypedScan | undefined;
};

/** Increase the number with every change of `LinkedView`. */
const VIEW = "acq-server view 2";

/**
 * Reads the view from the fragment of an address.
 *
 * @param hash with or without its `#`
 * @returns null if it names no path
 */
export function parseViewLink(hash: string): LinkedView | null {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  const path = query.get("path") ?? "";
  if (path.trim() === "") return null;
  const index = (name: string) => {
    const text = query.get(name) ?? "";
    return /^\d{1,9}$/.test(text) ? Number(text) : 0;
  };
  const typed = parseTyped(query.get("line-scan") ?? "", query.get("text-file") ?? "");
  return {
    path,
    scene: index("scene"),
    position: { t: index("t"), z: index("z"), l: index("l") },
    ...typed && { typed },
  };
}

/** @returns null if invalid */
function parseTyped(text: string, textFile: string): TypedScan | null {
  const [time, ...numbers] = text.split(",");
  const [secondsPerLine = NaN, micrometresPerPixel = NaN, secondsPerPixel = 0] = numbers.map(Number);
  const isGood = secondsPerLine > 0 && micrometresPerPixel > 0 && secondsPerPixel >= 0;
  if (!(time === "rows" || time === "columns") || !isGood) return null;
  return {
    time,
    secondsPerLine,
    micrometresPerPixel,
    ...secondsPerPixel > 0 && { secondsPerPixel },
    ...textFile !== "" && { textFile },
  };
}

/** The shortest link to a view, with its `#`. */
export function makeViewLink({ path, scene, position, typed }: LinkedView): string {
  const query = new URLSearchParams({ path });
  for (const [name, index] of Object.entries({ scene, ...position })) {
    if (index > 0) query.set(name, String(index));
  }
  if (typed !== undefined) {
    const { time, secondsPerLine, micrometresPerPixel, secondsPerPixel, textFile } = typed;
    const numbers = [secondsPerLine, micrometresPerPixel, ...secondsPerPixel ? [secondsPerPixel] : []];
    query.set("line-scan", [time, ...numbers].join(","));
    if (textFile !== undefined) query.set("text-file", textFile);
  }
  // Slashes and colons need no escape in a fragment, and people read the path.
  return `#${String(query).replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%2C", ",")}`;
}

/** The view that this tab opened. */
export function readKeptView(): LinkedView | null {
  const view = readKept(VIEW, "sessionStorage") as LinkedView | null;
  return typeof view?.path === "string" ? view : null;
}

/** Keeps the view of this tab; null forgets it. */
export const keepView = (view: LinkedView | null): void => writeKept(VIEW, view, "sessionStorage");
