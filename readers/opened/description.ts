/** The description of an opened acquisition, and the plan of its first planes. */
import { basename } from "node:path";
import type { ChosenFormat, OpenedScene } from "../choose_format.ts";
import { isLoss } from "../errors.ts";
import { fingerprintOf } from "../io/fingerprint.ts";
import { MAX_LISTED_SCENES } from "../io/limits.ts";
import { FileAccess } from "../io/random_access.ts";
import { bounded } from "../metadata/description.ts";
import { timeDoubts } from "../metadata/time_stamps.ts";
import type { PlanePlan, Position } from "../reader.ts";
import { lossWarning, type Warning } from "../warning.ts";
import type { AcquisitionSummary, OpenRequest } from "./orders.ts";
import { type PlannedReference, planReference } from "./reference_image.ts";
import { openingOf, wantedChannels } from "../metadata/selection.ts";

/** The first planes: planned with the description, decoded with the first order. */
export interface FirstPlanes {
  readonly channels: readonly number[];
  /** The first position at which every channel has a plane. */
  readonly position: Position;
  /** Plan for these channels. */
  readonly plan: PlanePlan;
  readonly reference: PlannedReference | null;
}

/**
 * Describes a scene and plans its first planes.
 *
 * @param files the stop flag also stops the fingerprint
 * @throws {ReaderError}
 */
export async function describeScene(
  { format, path }: ChosenFormat,
  { acquisition, scene, scenes }: OpenedScene,
  { channelIndices, roots }: OpenRequest,
  files: FileAccess,
): Promise<{ readonly summary: AcquisitionSummary; readonly first: FirstPlanes }> {
  const {
    plan: _plan,
    documents: _documents,
    files: _files,
    holds: _holds,
    reference: _reference,
    ...metadata
  } = acquisition;
  const entries = scenes.entries(MAX_LISTED_SCENES);
  const wanted = wantedChannels(basename(path), acquisition.channels, channelIndices);
  const opening = openingOf(acquisition, wanted, channelIndices !== null);
  const { loaded, position } = opening;
  const channels = loaded.map(({ index }) => index);
  const plan = await acquisition.plan(channels, position);
  const warnings = [
    ...scenes.warnings,
    ...acquisition.warnings,
    ...timeDoubts(acquisition),
    ...opening.warnings,
    ...plan.warnings,
  ];
  const reference = await planReference(acquisition.reference, warnings);
  const paths = acquisition.files?.() ?? [path];
  // Separate, so that reading the fingerprint marks no file.
  const own = new FileAccess(roots, files.stop);
  const fingerprint = fingerprintOrNull(paths, acquisition.fileSize, own, warnings);
  return {
    summary: {
      ...bounded(metadata),
      path,
      fingerprint,
      format: scenes.format ?? format.name,
      rows: plan.rows,
      columns: plan.columns,
      scene,
      sceneCount: scenes.count,
      scenes: bounded(entries),
      loaded: bounded(loaded),
      position,
      reference: reference && bounded(summaryOf(reference)),
      warnings: bounded(warnings),
    },
    first: { channels, position, plan, reference },
  };
}

function summaryOf({ image, plan }: PlannedReference): AcquisitionSummary["reference"] {
  const { plan: _plan, ...metadata } = image;
  return { ...metadata, rows: plan.rows, columns: plan.columns };
}

/** The fingerprint. Closes `files`. If a file cannot be read, warns and returns `null`. */
function fingerprintOrNull(
  paths: readonly string[],
  size: number | null,
  files: FileAccess,
  warnings: Warning[],
): string | null {
  try {
    return fingerprintOf(paths, size, files);
  } catch (error) {
    if (!isLoss(error)) throw error;
    warnings.push(lossWarning(error, "file_damaged", "The content for the fingerprint"));
    return null;
  } finally {
    files.close();
  }
}
