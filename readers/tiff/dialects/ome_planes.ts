/** What contradicts itself in the directories that OME-XML names for the planes of an image. */
import { type Warning, warning } from "../../warning.ts";
import type { PlaneLookup } from "./ome_lookup.ts";
import type { OmeSet } from "./ome_set.ts";
import type { TiffData } from "./ome_xml.ts";
import type { Opened } from "../opened.ts";
import type { StackSizes } from "../stack.ts";

/** The planes that the document declares and the directories that it names for them. */
export interface NamedDirectories {
  /** Length of each axis. */
  readonly sizes: StackSizes;
  /** In the terms of `sizes`. */
  readonly lookup: PlaneLookup;
  /** True where the document counts samples as channels, so that several planes may share a directory. */
  readonly folded: boolean;
  /** True where the image is the document's only one. */
  readonly alone: boolean;
}

/**
 * Warnings of planes that no directory is named for, that several are, or whose directory the opened file lacks.
 */
export function directoryWarnings(
  { path, tiff }: Opened,
  set: OmeSet,
  named: NamedDirectories,
): Warning[] {
  const { sizes, lookup, folded, alone } = named;
  const { data } = lookup;
  const planes = sizes.T * sizes.C * sizes.Z;
  const warnings: Warning[] = [];
  const ranges = data.map(({ first, count }) => ({ first, end: Math.min(first + count, planes) }));
  const { covered, twice } = cover(ranges.toSorted((a, b) => a.first - b.first));
  if (data.length > 0 && covered < planes) {
    warnings.push(
      warning(
        "planes_missing",
        `OME-XML names directories for ${covered} of the ${planes} planes that it declares`,
      ),
    );
  }
  // Without counts of their own, the later ones go on where the others end.
  const counted = data.every((one) => one.counted || one.count < planes);
  const last = data.find((one) => one.counted && one.first + one.count > planes);
  if (!folded && counted && twice) {
    warnings.push(warning("metadata_disagree", "OME-XML names two directories for one plane"));
  }
  if (!folded && last) {
    warnings.push(
      warning(
        "metadata_disagree",
        `OME-XML names directories for planes up to ${last.first + last.count}, but declares ${planes}`,
      ),
    );
  }
  const places = data.map((one) => set.startOf(one));
  if (!folded && counted && sharesDirectory(data, places)) {
    warnings.push(warning("metadata_disagree", "OME-XML names one directory for two planes"));
  }
  const inFile = (one: TiffData) => set.startOf(one)?.path === path;
  // One without a count stands for those planes alone that no later one names.
  const ends = [
    ...data.filter((one) => one.counted || one.count < planes).map((one) => ({
      one,
      end: Math.min(one.first + one.count, planes),
    })),
    ...lookup.ranges().map(({ data: one, end }) => ({ one, end })),
  ];
  const needed = data.length === 0 ? planes : ends.filter(({ one }) => inFile(one))
    .reduce((most, { one, end }) => Math.max(most, one.directory + end - one.first), 0);
  const present = tiff.countUpTo(needed + 1);
  if (present < needed) {
    const reason = tiff.brokenTail === null ? "" : `: ${tiff.brokenTail}`;
    warnings.push(
      warning(
        "planes_missing",
        `OME-XML names ${needed} directories of this file, which has ${present}${reason}`,
      ),
    );
  } else if (
    alone && present > needed && data.every((one) => !one.counted && one.count === planes && inFile(one))
  ) {
    warnings.push(
      warning(
        "content_left_out",
        `The file has more directories than the ${needed} planes that OME-XML declares`,
      ),
    );
  }
  return warnings;
}

/** How many planes the ranges cover, which begin in ascending order, and whether two cover the same. */
function cover(ranges: readonly { readonly first: number; readonly end: number }[]) {
  let covered = 0;
  let end = 0;
  let twice = false;
  for (const range of ranges) {
    if (range.first < end && range.end > range.first) twice = true;
    covered += Math.max(0, range.end - Math.max(range.first, end));
    end = Math.max(end, range.end);
  }
  return { covered, twice };
}

/** Whether two of the places, each the start of a range of directories, have a directory in common. */
function sharesDirectory(
  data: readonly TiffData[],
  places: readonly ({ readonly path: string; readonly directory: number } | null)[],
): boolean {
  const byPath = new Map<string, { first: number; end: number }[]>();
  places.forEach((place, i) => {
    if (place === null) return;
    const ranges = byPath.get(place.path) ?? [];
    ranges.push({ first: place.directory, end: place.directory + (data[i]?.count ?? 1) });
    byPath.set(place.path, ranges);
  });
  return [...byPath.values()].some((ranges) => cover(ranges.sort((a, b) => a.first - b.first)).twice);
}
