/** Paths of the files of a member in an archive. They are numbered, never made from ids. */

/** Paths of the files of a member; `null` for those that it lacks. */
export interface MemberPaths {
  readonly image: string;
  readonly referenceImage: string | null;
  /** The document of the reference image. */
  readonly reference: string | null;
  readonly acqimage: string;
  readonly analyses: string | null;
  /** Path of a table by its number, from 1. */
  table(number: number): string;
}

/** Paths of the files of the member with this number, from 1. */
export const pathsOf = ({ number, hasReference, hasAnalyses }: {
  readonly number: number;
  readonly hasReference: boolean;
  readonly hasAnalyses: boolean;
}): MemberPaths => ({
  image: `images/${number}.ome.zarr`,
  referenceImage: hasReference ? `reference/${number}.ome.zarr` : null,
  reference: hasReference ? `reference/${number}.json` : null,
  acqimage: `acqimage/${number}.json`,
  analyses: hasAnalyses ? `analyses/${number}.json` : null,
  table: (table) => `tables/${number}-${table}.csv`,
});
