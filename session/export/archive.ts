/** The files of an archive, in order, and their ZIP stream. */
import type { PackedPlanes, PackOrder } from "../../readers/opened/orders.ts";
import type { Position } from "../../readers/reader.ts";
import { chunkIndices, type ImageLayout, writtenPositions } from "./image_layout.ts";
import { type ExportedMember, memberDocuments, pathsOf, type WrittenPlane } from "./member_documents.ts";
import { zarrDocuments } from "./zarr_documents.ts";

/** What an archive contains. */
export interface Archive {
  readonly id: string;
  readonly name: string;
  /** False if the archive holds only documents and tables. */
  readonly hasImages: boolean;
  readonly members: readonly ExportedMember[];
  readonly version: string;
}

/** Decodes and packs planes of a member; `release` gives their memory back. */
export type Packer = (member: ExportedMember, order: Omit<PackOrder, "working">) => Promise<Packed>;

/** Planes that were packed together. */
export interface Packed {
  /** Chunks of each plane; `null` for a plane that the recording lacks. */
  readonly planes: NonNullable<PackedPlanes["planes"]>;
  release(): void;
}

interface Entry {
  readonly name: string;
  readonly input: Uint8Array<ArrayBuffer> | AsyncIterable<Uint8Array<ArrayBuffer>>;
  readonly lastModified: Date;
}

/** Largest group of planes, in bytes, that is decoded together: channels may share their stored bytes. */
const MAX_TOGETHER_BYTES = 64 << 20;

/** Bytes between two pauses of the serving thread, which computes their checksum. */
const PIECE_BYTES = 256 << 10;

/**
 * The archive as a ZIP file. If the stream fails, the file lacks its directory, so readers reject it. `written` gets the number
 * of planes that are in the archive.
 */
export async function zipOf(
  archive: Archive,
  pack: Packer,
  written: (planes: number) => void,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { makeZip } = await import("client-zip");
  return makeZip(entriesOf(archive, pack, written)) as ReadableStream<Uint8Array<ArrayBuffer>>;
}

async function* entriesOf(
  archive: Archive,
  pack: Packer,
  written: (planes: number) => void,
): AsyncGenerator<Entry> {
  const { hasImages, members, version } = archive;
  const now = new Date();
  const encoder = new TextEncoder();
  const file = (name: string, input: Entry["input"]): Entry => ({ name, input, lastModified: now });
  const text = (name: string, content: unknown) =>
    file(
      name,
      pieces(encoder.encode(typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`)),
    );
  if (hasImages) yield text("collection.json", collectionDocument(archive, now));
  let planes = 0;
  for (const member of members) {
    const missing: WrittenPlane[] = [];
    const { image, referenceImage } = pathsOf(member);
    if (hasImages) {
      yield* documents(image, member.name, member.layout);
      for await (const plane of planesOf(member, pack)) {
        if (plane.chunks === null) missing.push(plane.indices);
        else yield* chunks(image, plane.indices, plane.chunks);
        written(planes += 1);
      }
    }
    if (hasImages && referenceImage !== null) {
      const layout = member.reference!;
      yield* documents(referenceImage, `${member.name} reference`, layout);
      const channels = member.summary.reference!.channels.map(({ index }) => index);
      const packed = await pack(member, { channels, position: null, layout: layout.packed });
      try {
        for (const [c, parts] of packed.planes.entries()) yield* chunks(referenceImage, { c }, parts ?? []);
      } finally {
        packed.release();
      }
    }
    for (const { path, content } of memberDocuments(member, missing, version)) yield text(path, content);
  }

  function* documents(folder: string, name: string, layout: ImageLayout) {
    for (const [key, content] of Object.entries(zarrDocuments(name, layout))) {
      yield text(`${folder}/${key}`, content);
    }
  }
  function* chunks(folder: string, indices: WrittenPlane, parts: readonly Uint8Array<ArrayBuffer>[]) {
    for (const [row, bytes] of parts.entries()) {
      yield file(`${folder}/0/c/${[...Object.values(indices), row, 0].join("/")}`, pieces(bytes));
    }
  }
}

async function* pieces(bytes: Uint8Array<ArrayBuffer>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

function collectionDocument({ id, name, members, version }: Archive, now: Date) {
  return {
    format: "store-ome-zarr-collection",
    version: 1,
    id,
    name,
    created: now.toISOString(),
    producer: { name: "acq-server", version },
    members: members.map((member) => {
      const { image, referenceImage, reference, acqimage, analyses } = pathsOf(member);
      return {
        id: member.id,
        name: member.name,
        ome_zarr: image,
        resources: { acqimage, ...analyses !== null && { analyses } },
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
interface Group {
  readonly position: Position;
  /** Indices among the written channels. */
  readonly group: readonly number[];
}

/** The planes of a member. The next planes are decoded while the current ones are sent. */
async function* planesOf(member: ExportedMember, pack: Packer): AsyncGenerator<PlacedPlane> {
  const { layout, channels } = member;
  const begin = (next: IteratorResult<Group, void>) => {
    if (next.done) return null;
    const { position, group } = next.value;
    const indices = group.map((i) => channels[i]!.index);
    const packed = pack(member, { channels: indices, position, layout: layout.packed });
    // The failure is reported when the group's turn comes.
    packed.catch(() => {});
    return { position, group, packed };
  };
  const groups = groupsOf(member);
  let current = begin(groups.next());
  try {
    while (current !== null) {
      const { position, group, packed } = current;
      const ready = await packed;
      current = begin(groups.next());
      let isSent = false;
      try {
        for (const [n, chunks] of ready.planes.entries()) {
          yield { indices: chunkIndices(layout, position, group[n]!), chunks };
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

function* groupsOf({ layout, channels, summary, opened }: ExportedMember): Generator<Group, void> {
  const planeBytes = 4 * layout.packed.rows * layout.packed.columns;
  const size = Math.max(1, Math.floor(MAX_TOGETHER_BYTES / planeBytes));
  const indices = [...channels.keys()];
  for (const position of writtenPositions(summary.axes, opened)) {
    for (let i = 0; i < indices.length; i += size) yield { position, group: indices.slice(i, i + size) };
  }
}
