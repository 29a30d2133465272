/** The files of an archive, in order, and their ZIP stream. */
import type {
  ArchivedRecording,
  ChunkLayout,
  Contrast,
  WriteOrder,
  WrittenFiles,
  WrittenPart,
  WrittenPlane,
} from "./content/archive_orders.ts";
import { computeChunkIndices, listWrittenPositions } from "./content/image_layout.ts";
import { makeMemberPaths } from "./content/member_paths.ts";
import type { PackedPlanes, PackOrder } from "./content/archive_orders.ts";
import type { AcquisitionSource, AcquisitionSummary } from "../acquisition_summary.ts";
import { DecodeFailed, isLoss, quoted } from "../../readers/errors.ts";
import type { Channel, Position, WorkingMemory } from "../../readers/reader.ts";
import { streamZipParts, type ZipMember } from "../../static/measure/zip.ts";

/** A recording of an archive. Several members may have the same one. */
export interface ExportedRecording {
  readonly summary: AcquisitionSummary;
  readonly source: AcquisitionSource;
  readonly working: WorkingMemory;
  readonly archived: ArchivedRecording;
  /** Written channels in ascending order. */
  readonly channels: readonly Channel[];
  readonly layout: ChunkLayout;
  readonly reference: ChunkLayout | null;
  /** The only written T and Z; `null` if all are written. */
  readonly opened: Position | null;
}

/** A member of an archive. Only workers read its order. */
export interface ExportedMember {
  readonly recording: ExportedRecording;
  /** Number of the member, from 1, used in the paths of its files. */
  readonly number: number;
  readonly id: string;
  readonly name: string;
  readonly hasAnalyses: boolean;
  readonly json: Uint8Array<SharedArrayBuffer>;
}

/** What an archive contains. */
export interface Archive {
  readonly id: string;
  readonly name: string;
  /** False if the archive holds only documents and tables. */
  readonly hasImages: boolean;
  readonly members: readonly ExportedMember[];
  /** Number of recordings that were ordered and could not be read. */
  readonly leftOut: number;
  /** What it lacks or changes. */
  readonly warnings: readonly string[];
  readonly version: string;
}

/** What workers do for an archive. */
export interface Packer {
  /** Decodes and packs planes of a recording; `release` gives their memory back. */
  pack(recording: ExportedRecording, order: Omit<PackOrder, "working">): Promise<Packed>;
  /** Writes documents of a member. */
  write(
    member: ExportedMember,
    part: WrittenPart,
    known: Partial<Pick<WriteOrder, "missing" | "contrasts">>,
  ): Promise<WrittenFiles>;
  /** Counts documents as memory; the returned function ends that. @throws {SessionMemoryExceeded} */
  hold(bytes: number): () => void;
}

/** Planes that were packed together. */
export interface Packed {
  /** Chunks of each plane; `null` for a plane that the recording lacks. */
  readonly planes: NonNullable<PackedPlanes["planes"]>;
  readonly contrasts: PackedPlanes["contrasts"];
  release(): void;
}

/** Largest group of planes, in bytes, that is decoded together: channels may share their stored bytes. */
const MAX_TOGETHER_BYTES = 64 << 20;

/**
 * The archive as a ZIP file. If the stream fails, the file lacks its directory, so readers reject it. `written` gets the number
 * of planes that are in the archive.
 */
export function streamZip(
  archive: Archive,
  packer: Packer,
  written: (planes: number) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const now = new Date();
  return ReadableStream.from(streamZipParts(walkArchive(archive, packer, written, now), now));
}

async function* walkArchive(
  archive: Archive,
  packer: Packer,
  written: (planes: number) => void,
  now: Date,
): AsyncGenerator<ZipMember> {
  const { hasImages, members } = archive;
  const show = (member: ExportedMember) =>
    nameMemberInFailures(archive, member, packShownPlanes(member.recording, packer));
  // The first planes come before the first byte, so that their failure is an answer and no cut archive.
  let first = hasImages && members[0] ? await show(members[0]) : null;
  try {
    if (hasImages) {
      const text = `${JSON.stringify(writeCollection(archive, now), null, 2)}\n`;
      yield* writeDocuments(packer, [{ path: "collection.json", content: new TextEncoder().encode(text) }]);
    }
    let planes = 0;
    const count = () => written(planes += 1);
    for (const member of members) {
      const shown = first ?? (hasImages ? await show(member) : null);
      first = null;
      const entries = walkMember(member, packer, shown, count);
      try {
        let next = await nameMemberInFailures(archive, member, entries.next());
        for (; !next.done; next = await nameMemberInFailures(archive, member, entries.next())) {
          yield next.value;
        }
      } finally {
        await entries.return();
      }
    }
  } finally {
    if (first?.first) drop(first.first);
  }
}

/** Names the member in a failure of its files, if the archive has several. */
async function nameMemberInFailures<T>(
  archive: Archive,
  { name }: ExportedMember,
  work: Promise<T>,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (archive.members.length < 2 || !isLoss(error)) throw error;
    throw new DecodeFailed(`${quoted(name)} cannot be archived: ${error.message}`, { cause: error });
  }
}

/** Files of a member. @param shown its first planes; `null` without images @param count called for each plane */
async function* walkMember(
  member: ExportedMember,
  packer: Packer,
  shown: ShownPlanes | null,
  count: () => void,
): AsyncGenerator<ZipMember, void> {
  const missing: WrittenPlane[] = [];
  const { recording } = member;
  const { image, referenceImage } = nameMemberPaths(member);
  if (shown !== null) {
    try {
      yield* writeDocuments(packer, await packer.write(member, "image", { contrasts: shown.contrasts }));
      for await (const plane of packPlanesInOrder(recording, packer, shown)) {
        if (plane.chunks === null) missing.push(plane.indices);
        else yield* nameChunks(image, plane.indices, plane.chunks);
        count();
      }
    } finally {
      if (shown.first !== null) drop(shown.first);
    }
  }
  if (shown !== null && referenceImage !== null) {
    const { packed: layout } = recording.reference!;
    const channels = recording.summary.reference!.channels.map(({ index }) => index);
    const packed = await packer.pack(recording, { channels, position: null, layout, contrast: true });
    try {
      const { contrasts } = packed;
      yield* writeDocuments(packer, await packer.write(member, "reference", { contrasts }));
      for (const [c, parts] of packed.planes.entries()) yield* nameChunks(referenceImage, { c }, parts ?? []);
    } finally {
      packed.release();
    }
  }
  yield* writeDocuments(packer, await packer.write(member, "documents", { missing }));
}

/** Documents, which count as memory until all are sent. */
function* writeDocuments(packer: Packer, files: WrittenFiles): Generator<ZipMember> {
  const release = packer.hold(files.reduce((sum, { content }) => sum + content.length, 0));
  try {
    for (const { path, content } of files) yield { name: path, bytes: content };
  } finally {
    release();
  }
}

function* nameChunks(
  folder: string,
  indices: WrittenPlane,
  parts: readonly Uint8Array<ArrayBuffer>[],
): Generator<ZipMember> {
  for (const [row, bytes] of parts.entries()) {
    yield { name: `${folder}/0/c/${[...Object.values(indices), row, 0].join("/")}`, bytes };
  }
}

const nameMemberPaths = ({ number, recording }: ExportedMember) =>
  makeMemberPaths({ number, hasReference: recording.reference !== null });

function writeCollection({ id, name, members, version }: Archive, now: Date) {
  return {
    format: "store-ome-zarr-collection",
    version: 1,
    id,
    name,
    created: now.toISOString(),
    producer: { name: "acq-server", version },
    members: members.map((member) => {
      const { image, referenceImage, reference, acqimage, analyses } = nameMemberPaths(member);
      return {
        id: member.id,
        name: member.name,
        ome_zarr: image,
        resources: { acqimage, ...member.hasAnalyses && { analyses } },
        ...reference !== null && { reference_image: { ome_zarr: referenceImage, metadata: reference } },
      };
    }),
  };
}

interface PlacedPlane {
  readonly indices: WrittenPlane;
  readonly chunks: readonly Uint8Array<ArrayBuffer>[] | null;
}

/** Planes that are decoded together. */
interface PlaneGroup {
  readonly position: Position;
  /** Indices among the written channels. */
  readonly group: readonly number[];
}

/** The contrast of each channel, and the first group of planes if it was packed for that; whoever takes it clears it. */
interface ShownPlanes {
  readonly contrasts: readonly (Contrast | null)[];
  first: Packed | null;
}

/** Packs the planes that the opened recording shows, for its contrast, and keeps those that are written first. */
async function packShownPlanes(recording: ExportedRecording, packer: Packer): Promise<ShownPlanes> {
  const { position: shown } = recording.summary;
  const groups = [...listGroupsAt(recording, shown)];
  const contrasts: (Contrast | null)[] = [];
  const written = listPlaneGroups(recording).next().value!.position;
  const isFirst = (["t", "z", "l"] as const).every((axis) => written[axis] === shown[axis]);
  // The first group comes last, since it may fill the memory of all archives.
  for (const { position, group } of groups.toReversed()) {
    const packed = await packOf(recording, packer, { position, group }, true);
    contrasts.unshift(...packed.contrasts);
    if (group === groups[0]!.group && isFirst) return { contrasts, first: packed };
    drop(packed);
  }
  return { contrasts, first: null };
}

function packOf(
  recording: ExportedRecording,
  packer: Packer,
  { position, group }: PlaneGroup,
  contrast = false,
): Promise<Packed> {
  const { channels, layout: { packed: layout } } = recording;
  return packer.pack(recording, {
    channels: group.map((i) => channels[i]!.index),
    position,
    layout,
    contrast,
  });
}

/** The planes of a recording. The next planes are decoded while the current ones are sent. */
async function* packPlanesInOrder(
  recording: ExportedRecording,
  packer: Packer,
  shown: ShownPlanes,
): AsyncGenerator<PlacedPlane> {
  const { layout } = recording;
  const begin = (next: IteratorResult<PlaneGroup, void>) => {
    if (next.done) return null;
    const { position, group } = next.value;
    const packed = shown.first ? Promise.resolve(shown.first) : packOf(recording, packer, next.value);
    shown.first = null;
    // The failure is reported when the group's turn comes.
    packed.catch(() => {});
    return { position, group, packed };
  };
  const groups = listPlaneGroups(recording);
  let current = begin(groups.next());
  try {
    while (current !== null) {
      const { position, group, packed } = current;
      const ready = await packed;
      current = begin(groups.next());
      let isSent = false;
      try {
        for (const [n, chunks] of ready.planes.entries()) {
          yield { indices: computeChunkIndices(layout, position, group[n]!), chunks };
        }
        isSent = true;
      } finally {
        if (isSent) ready.release();
        else drop(ready);
      }
    }
  } finally {
    void current?.packed.then(drop, () => {});
  }
}

/** Frees the planes of an archive that was cut off. The garbage collector would keep them until the server has other work. */
function drop({ planes, release }: Packed): void {
  for (const { buffer } of planes.flatMap((chunks) => chunks ?? [])) buffer.transfer(0);
  release();
}

function* listPlaneGroups(recording: ExportedRecording): Generator<PlaneGroup, void> {
  for (const position of listWrittenPositions(recording.summary.axes, recording.opened)) {
    yield* listGroupsAt(recording, position);
  }
}

function* listGroupsAt(
  { layout, channels }: ExportedRecording,
  position: Position,
): Generator<PlaneGroup, void> {
  const planeBytes = 4 * layout.packed.rows * layout.packed.columns;
  const size = Math.max(1, Math.floor(MAX_TOGETHER_BYTES / planeBytes));
  const indices = [...channels.keys()];
  for (let i = 0; i < indices.length; i += size) yield { position, group: indices.slice(i, i + size) };
}
