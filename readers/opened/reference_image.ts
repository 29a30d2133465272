/** The reference image of an acquisition. If it cannot be decoded, a warning replaces it. */
import { isLoss, PlaneNotFound } from "../errors.ts";
import type { PlanePlan, Reference } from "../reader.ts";
import { newPlane } from "../samples/to_float32.ts";
import { type Warning, warning } from "../warning.ts";

/** A reference image with its plan. */
export interface PlannedReference {
  readonly image: Reference;
  /** Plan for all its channels. */
  readonly plan: PlanePlan;
}

/** Plans a reference image. Adds its warnings; if it cannot be planned, warns and returns `null`. */
export function planReference(
  image: Reference | null,
  warnings: Warning[],
): Promise<PlannedReference | null> {
  return orWarning(warnings, async () => {
    if (image === null) return null;
    const plan = await image.plan();
    warnings.push(...plan.warnings);
    return { image, plan };
  });
}

/** Decodes a reference image; if that fails, adds a warning with the reason. */
export function decodeReference(
  { image, plan }: PlannedReference,
  warnings: Warning[],
): Promise<Float32Array<ArrayBuffer>[] | null> {
  return orWarning(warnings, async () => {
    const planes = image.channels.map(() => newPlane(plan.rows * plan.columns, []));
    await plan.decode(planes);
    return planes;
  });
}

async function orWarning<T>(warnings: Warning[], work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!isLoss(error) && !(error instanceof PlaneNotFound)) throw error;
    warnings.push(
      warning("reference_unreadable", `The reference image cannot be decoded: ${error.message}`),
    );
    return null;
  }
}
