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

/** Warnings about rows that are not those of a frame. @param stored rows of the channel that has most */
export function rowDoubts(main: MainSettings, stored: number): Warning[] {
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
  const lines = plannedLines(main);
  return lines > 1 && lines < stored
    ? [warning("metadata_disagree", `${stored} lines are stored; the settings plan ${lines}`)]
    : [];
}

/** Lines that a line scan was to have. */
export const plannedLines = ({ axes }: MainSettings): number => axes.get("T")?.size ?? 1;
