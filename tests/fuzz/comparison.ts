/** What a changed file may be read as, given what its undamaged form is read as and what an independent reader says. */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { PeerReading, PlaneDigest, Reading } from "./peer.ts";
import type { LoadedAcquisition } from "../load_here.ts";

export type OwnReading = Reading & { readonly warnings?: readonly string[] };

/** Our reading of an undamaged file, with the pages of the peer. */
export type UndamagedReading = OwnReading & Pick<PeerReading, "pages" | "samples">;

/** How both readers read the undamaged file with the samples of the changed one in place of its own. */
export interface Transplant {
  readonly ours: OwnReading;
  /** `null` for a peer that ended. */
  readonly peers: PeerReading | null;
}

export interface Comparison {
  /** Both outcomes, such as `other / refused`. */
  readonly outcome: string;
  /** Other samples than those of the undamaged file, without a warning, where the peer has these or refuses. */
  readonly finding?: string;
  /** Other samples, without a warning, and yet others from the peer. */
  readonly difference?: string;
}

export function readingOf({ summary, planes }: LoadedAcquisition): OwnReading {
  const { rows, columns, loaded, warnings } = summary;
  return {
    planes: planes.map((plane, i) => ({ rows, columns, sha256: hash(plane), name: loaded[i]!.name })),
    warnings: warnings.map(({ text }) => text),
  };
}

function hash(plane: Float32Array): string {
  const bytes = Buffer.alloc(plane.byteLength);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  for (const [i, value] of plane.entries()) view.setFloat32(4 * i, value, true);
  for (const [i, value] of plane.entries()) if (Number.isNaN(value)) view.setUint32(4 * i, 0x7fc00000, true);
  return createHash("sha256").update(bytes).digest("hex");
}

/** Names are not compared: they are not samples, and readers make up different ones. */
const samples = (planes: readonly PlaneDigest[]) =>
  planes.map(({ rows, columns, sha256 }) => `${rows} x ${columns} ${sha256.slice(0, 12)}`).join(", ");

/** Why the readings of an undamaged file cannot be compared, or `null`. */
export function incomparable(ours: OwnReading, peers: Reading | null): string | null {
  if ("refused" in ours) return `refused by ours: ${ours.refused}`;
  if (peers === null) return "the peer ended";
  if ("refused" in peers) return `refused by the peer: ${peers.refused}`;
  if (samples(ours.planes) === samples(peers.planes)) return null;
  return `ours has ${samples(ours.planes)}, the peer ${samples(peers.planes)}`;
}

/**
 * Compares the readings of a changed file.
 *
 * @param undamaged what both readers make of the file before the change
 * @param peers `null` for a peer that ended, whose verdict is unknown
 */
export function compare(
  undamaged: UndamagedReading,
  ours: OwnReading,
  peers: PeerReading | null,
): Comparison {
  if ("refused" in undamaged) throw new Error("A file that is refused undamaged compares with nothing");
  const original = samples(undamaged.planes);
  const outcomeOf = (reading: Reading) =>
    "refused" in reading ? "refused" : samples(reading.planes) === original ? "same" : "other";
  const warned = (ours.warnings ?? []).some((text) => !undamaged.warnings?.includes(text));
  const own = outcomeOf(ours);
  const other = peers === null ? "ended" : outcomeOf(peers);
  const outcome = `${own}${warned ? " with a warning" : ""} / ${other === "same" ? "original" : other}`;
  if ("refused" in ours || own === "same" || warned || peers === null) return { outcome };
  const served = `ours serves ${samples(ours.planes)} instead of ${original}`;
  if ("refused" in peers) {
    if (samePages(undamaged, ours.planes, peers.pages)) return { outcome: `${outcome}, its pages alike` };
    return { outcome, finding: `${served}; the peer refuses: ${peers.refused}` };
  }
  if (other === "same") return { outcome, finding: `${served}; the peer serves the original` };
  if (samples(peers.planes) === samples(ours.planes)) return { outcome: `${outcome} alike` };
  return { outcome, difference: `${served}; the peer serves ${samples(peers.planes)}` };
}

/** The undamaged file with the samples of the changed one, up to its end. */
export function transplant(
  undamaged: Uint8Array,
  changed: Uint8Array,
  places: NonNullable<PeerReading["samples"]>,
): Uint8Array {
  const made = Uint8Array.from(undamaged);
  for (const [offset, bytes] of places) made.set(changed.subarray(offset, offset + bytes), offset);
  return made;
}

/**
 * Judges a finding or a difference once more by what the samples alone make of it. Where the peer reads our planes from
 * the transplant, nothing but samples has changed; where each reader makes other planes of changed samples, they differ
 * about a damaged stream.
 */
export function compareTransplant(
  undamaged: UndamagedReading,
  ours: OwnReading,
  first: Comparison,
  { ours: own, peers }: Transplant,
): Comparison {
  if ("refused" in undamaged || "refused" in ours) return first;
  const { outcome, finding } = first;
  if (peers === null || "refused" in peers || samples(peers.planes) === samples(undamaged.planes)) {
    return first;
  }
  if (samples(peers.planes) === samples(ours.planes)) return { outcome: `${outcome}, its samples alike` };
  if (finding === undefined || "refused" in own || samples(own.planes) !== samples(ours.planes)) return first;
  return { outcome, difference: `${finding}, and serves ${samples(peers.planes)} from the samples alone` };
}

/** Whether each of our planes is still the page that it was: the change is in the samples of these pages. */
function samePages(
  undamaged: UndamagedReading,
  ours: readonly PlaneDigest[],
  pages: PeerReading["pages"],
): boolean {
  if ("refused" in undamaged || ours.length !== undamaged.planes.length) return false;
  return undamaged.planes.every((plane, i) =>
    undamaged.pages?.some((page, at) =>
      page?.sha256 === plane.sha256 && pages?.[at]?.sha256 === ours[i]?.sha256
    )
  );
}
