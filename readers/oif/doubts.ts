/** Where the settings and the stored planes do not agree. */
import type { PageLayout } from "../tiff/page.ts";
import { type Warning, warning } from "../warning.ts";
import { type MainSettings, plannedSize } from "./main_settings.ts";
import type { PlaneGrid } from "./plane_grid.ts";
import { IMAGE } from "./plane_settings.ts";
import type { Settings } from "./settings.ts";

/** Warnings of planes that were planned and are not stored, and the other way round. */
export function countDoubts(main: MainSettings, grid: PlaneGrid): Warning[] {
  const { sizes, stored } = grid;
  const letters = ["T", "L", "Z", "C"] as const;
  const planned = letters.map((letter) => plannedSize(main, letter));
  const intended = letters.reduce((count, letter, i) => count * Math.max(sizes[letter], planned[i] ?? 1), 1);
  const beyond = letters.find((letter, i) => main.order !== "" && sizes[letter] > (planned[i] ?? 1));
  const warnings = beyond === undefined ? [] : [
    warning(
      "metadata_disagree",
      `Along ${beyond} there are planes up to ${sizes[beyond]}; the settings plan ${
        plannedSize(main, beyond)
      }`,
    ),
  ];
  if (stored < intended) {
    warnings.push(
      warning(
        "planes_missing",
        `${stored} of ${intended} planes are stored: the acquisition was interrupted or files are missing`,
      ),
    );
  }
  return warnings;
}

/** Warnings of settings that state another size than planes have. */
export function sizeDoubts(main: MainSettings, plane: Settings | null, page: PageLayout): Warning[] {
  const { width, height, bits } = page;
  const warnings: Warning[] = [];
  const depth = plane?.number(IMAGE, "ImageDepth") ?? null;
  if (depth !== null && depth * 8 !== bits[0]) {
    warnings.push(
      warning(
        "metadata_disagree",
        `The settings beside the first plane state ${depth} bytes a sample; it has ${bits[0]} bits`,
      ),
    );
  }
  const [columns, rows] = [
    plane?.number(IMAGE, "ImageWidth") ?? null,
    plane?.number(IMAGE, "ImageHeight") ?? null,
  ];
  if ((columns !== null && columns !== width) || (rows !== null && rows !== height)) {
    warnings.push(
      warning(
        "metadata_disagree",
        `The settings beside the first plane state ${columns} x ${rows} pixels; it has ${width} x ${height}`,
      ),
    );
  }
  const across = main.axes.get("X")?.size ?? 1;
  if (across > 1 && across !== width) {
    warnings.push(
      warning("metadata_disagree", `The settings plan ${across} columns; the planes have ${width}`),
    );
  }
  const down = main.axes.get(main.rows)?.size ?? 1;
  if (main.rows !== "T" && down > 1 && down !== height) {
    warnings.push(warning("metadata_disagree", `The settings plan ${down} rows; the planes have ${height}`));
  }
  return warnings;
}

/** Warnings of what the rows of a plane are, where they are none of a frame. */
export function rowDoubts(main: MainSettings, fewest: number, most: number): Warning[] {
  if (main.order === "") {
    return [warning("axes_assumed", "The settings do not name the axes: rows are taken as those of frames")];
  }
  if (main.rows === "Y") return [];
  if (main.rows !== "T") {
    return [
      warning(
        "axis_replaced",
        `The planes have no axis Y: their rows are the axis ${main.rows} and are served as Y`,
      ),
    ];
  }
  const lines = main.axes.get("T")?.size ?? 1;
  if (fewest < most) {
    return [
      warning(
        "lines_missing",
        `The line scan was interrupted: ${fewest} lines are stored in all channels, ${most} in one of them`,
      ),
    ];
  }
  if (lines <= 1 || lines === most) return [];
  return lines > most
    ? [warning("lines_missing", `The line scan was interrupted: ${most} of ${lines} lines are stored`)]
    : [warning("metadata_disagree", `${most} lines are stored; the settings plan ${lines}`)];
}
