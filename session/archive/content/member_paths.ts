/** Paths of the files of a member in an archive. They are numbered, never made from ids. */

/** Paths of the files of a member; `null` for those that it lacks. Only some members have analyses. */
export interface MemberPaths {
  readonly image: string;
  readonly referenceImage: string | null;
  /** The document of the reference image. */
  readonly reference: string | null;
  readonly acqimage: string;
  readonly analyses: string;
  /** Path of a table by its number, from 1. */
  table(number: number): string;
}

/** Paths of the files of the member with this number, from 1. */
export const makeMemberPaths = ({ number, hasReference }: {
  readonly number: number;
  readonly hasReference: boolean;
}): MemberPaths => ({
  image: `images/${number}.ome.zarr`,
  referenceImage: hasReference ? `reference/${number}.ome.zarr` : null,
  reference: hasReference ? `reference/${number}.json` : null,
  acqimage: `acqimage/${number}.json`,
  analyses: `analyses/${number}.json`,
  table: (table) => `tables/${number}-${table}.csv`,
});
