/** Compares the names and datasets of a small file before one of them is used. */
import { DecodeFailed } from "../errors.ts";
import { isDataset, readDataset } from "./dataset.ts";
import { openDatasetIndex } from "./elements.ts";
import { isGroupHeader } from "./group.ts";
import type { Objects } from "./objects.ts";

/** Most objects that are compared. */
const MAX_SURVEYED = 1000;

/**
 * Lists the groups of a small file and looks where its datasets begin, so that two names for one object, or two owners of one
 * structure, are known before any of them is used. What cannot be read is left to those who ask for it.
 */
export function surveyObjects(objects: Objects): void {
  const left = [objects.root];
  const seen = new Set(left);
  for (let address = left.pop(); address !== undefined && seen.size <= MAX_SURVEYED; address = left.pop()) {
    try {
      const header = objects.header(address);
      if (isDataset(header)) {
        openDatasetIndex(objects.blocks, readDataset(objects, header, `the dataset at ${address}`));
      }
      if (!isGroupHeader(header)) continue;
      for (const link of objects.links(address).values()) {
        if (link.kind !== "hard" || seen.has(link.address)) continue;
        seen.add(link.address);
        left.push(link.address);
      }
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
    }
  }
}
