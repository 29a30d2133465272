/** The images of an acquisition: one for each place on the stage, by the letter `P` in the names of planes. */
import { type Warning, warning } from "../warning.ts";
import type { PlaneName } from "./plane_names.ts";

/** Letters that planes of one image are placed by. */
const PLACED = new Set(["C", "Z", "T", "L"]);

/** The letter of a place on the stage. */
const PLACE = "P";

/** Planes of the places, and what is left out. */
export interface Places {
  /** By the number of the place; one without a number where no name has the letter. */
  readonly places: readonly { readonly number: number | null; readonly planes: readonly PlaneName[] }[];
  /** Names axes of which one position is served. */
  readonly warnings: readonly Warning[];
}

/** Sorts planes by place. Of axes that are not served, such as angles, the first position is. */
export function placesOf(planes: readonly PlaneName[]): Places {
  const warnings: Warning[] = [];
  let kept = planes;
  const letters = new Set(planes.flatMap(({ numbers }) => [...numbers.keys()]));
  for (const letter of letters) {
    if (PLACED.has(letter) || letter === PLACE) continue;
    const numbers = new Set(kept.map((plane) => plane.numbers.get(letter) ?? 1));
    const first = [...numbers].reduce((least, number) => Math.min(least, number), Infinity);
    kept = kept.filter((plane) => (plane.numbers.get(letter) ?? 1) === first);
    if (numbers.size > 1) {
      warnings.push(
        warning(
          "axis_reduced",
          `Of ${numbers.size} positions along the axis "${letter}" the first is served`,
        ),
      );
    }
  }
  const byPlace = Map.groupBy(kept, ({ numbers }) => numbers.get(PLACE) ?? null);
  const places = [...byPlace].sort(([a], [b]) => (a ?? 0) - (b ?? 0));
  return { places: places.map(([number, planes]) => ({ number, planes })), warnings };
}
