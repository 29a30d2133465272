/** Exports recordings as ZIP files: checks an order, and has the links and the streams of the archives made from it. */
import { basename } from "node:path";
import { isLoss, quoted, UnsupportedFormat } from "../../readers/errors.ts";
import {
  type ArchivedRecording,
  type CheckedMembers,
  type OrderFault,
  type ParsedMember,
  type ParsedOrder,
  takeDistinctId,
} from "./content/archive_orders.ts";
import type { Answers, Question } from "../worker/orders.ts";
import type { AcquisitionSummary } from "../acquisition_summary.ts";
import type { Clock } from "../clock.ts";
import type { DecodeResources } from "../decoding.ts";
import { ClientGone } from "../errors.ts";
import type { Archive, ExportedMember, ExportedRecording } from "./archive.ts";
import { ArchiveStreams } from "./archive_stream.ts";
import { ArchiveLinks } from "./links.ts";
import type { OrderMemory } from "./order_memory.ts";
import { MemoryShare } from "../memory_budget.ts";
import type { DescribedAcquisition, Opener } from "../opener.ts";
import type { PositionReader } from "../position_reader.ts";
import { makeSessionId, type Session, type SessionStore } from "../store.ts";
import type { Waits } from "../waits.ts";

/** An order with faults. */
export class OrderRefused extends Error {
  constructor(readonly faults: readonly OrderFault[]) {
    super(faults.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
  }
}

/** How an order is exported. */
export interface ExportRules {
  /** Roots do not apply to paths that the user chose. */
  readonly chosenByUser: boolean;
  readonly version: string;
  readonly memory: OrderMemory;
}

/** A recording of an order; `session` is `null` if its path is given. */
interface OrderedRecording extends DescribedAcquisition {
  readonly session: Session | null;
}

/** Exports of all clients. */
export class Exporter {
  readonly links: ArchiveLinks;
  readonly streams: ArchiveStreams;
  readonly #resources: DecodeResources;
  readonly #store: SessionStore;
  readonly #opener: Opener;
  readonly #positions: Pick<PositionReader, "marksOf">;
  readonly #waits: Waits;

  /** `waits` limits the decoding of one position, not that of a whole archive. */
  constructor(
    clock: Clock,
    resources: DecodeResources,
    waits: Waits,
    store: SessionStore,
    opener: Opener,
    positions: Pick<PositionReader, "marksOf">,
  ) {
    this.links = new ArchiveLinks(
      clock,
      (seen, client) => this.#ask({ type: "compare", seen }, "Comparing the files of the archive", client),
    );
    this.streams = new ArchiveStreams(clock, resources, waits);
    this.#resources = resources;
    this.#waits = waits;
    this.#store = store;
    this.#opener = opener;
    this.#positions = positions;
  }

  /** A memory share of its own for an order of paths, which nobody chose in a dialog. */
  makeShare(): MemoryShare {
    return new MemoryShare(this.#resources.budget);
  }

  /**
   * Parses and validates the body of an order in a worker, which holds its documents from now on. Takes over the bytes.
   *
   * @throws {DecodeFailed} invalid JSON
   */
  async parse(bytes: Uint8Array<ArrayBuffer>, client: AbortSignal): Promise<Answers["parse"]> {
    return await this.#ask({ type: "parse", bytes }, "Parsing the order", client);
  }

  /** Asks a worker something that needs no acquisition. */
  async #ask<Type extends "parse" | "compare">(
    question: Extract<Question, { readonly type: Type }>,
    what: string,
    client: AbortSignal,
  ): Promise<Answers[Type]> {
    using wait = this.#waits.begin(what, client);
    return await this.#resources.pool.ask({ key: makeSessionId(), source: null }, question, wait.signal);
  }

  /**
   * Checks an order and describes its recordings, each once, in workers. Of several recordings, those that cannot be read are left
   * out, with a warning.
   *
   * @throws {OrderRefused} the order breaks the rules of documents v1
   * @throws {SessionNotFound | AcquisitionChanged | ReaderError | LoadTimeout | SessionMemoryExceeded | ClientGone}
   */
  async prepare(order: ParsedOrder, options: ExportRules, signal: AbortSignal): Promise<Archive> {
    const { images = "all" } = order;
    const faults = findRepeatedIds(order.members);
    const ofRecording = Map.groupBy(
      order.members.entries(),
      ([, { sessionId, scene, path }]) => sessionId ?? `${scene ?? ""} ${path}`,
    );
    const found: Omit<ExportedMember, "number">[] = [];
    const warnings: string[] = [];
    const ids = new Set(order.members.flatMap(({ id }) => id ?? []));
    const collections = new Map<string | undefined, string | undefined>();
    const lost: Error[] = [];
    /** Skips a damaged recording, so that the others are exported. */
    const leaveOut = (error: unknown): null => {
      if (ofRecording.size < 2 || !(isLoss(error) || error instanceof UnsupportedFormat)) throw error;
      lost.push(error);
      return null;
    };
    for (const own of ofRecording.values()) {
      const [[, first]] = own as [[number, ParsedMember]];
      const asked = await this.#describe(first, options, signal).catch(leaveOut);
      if (asked === null) continue;
      const { collection } = asked.summary;
      collections.set(collection?.id, collection?.name);
      const orders = own.map(([index, { id, name, json }]) => ({
        index,
        json,
        id: id ?? takeDistinctId(collection?.member.id ?? crypto.randomUUID(), ids),
        name: name ?? collection?.member.name ?? nameRecording(asked.summary),
      }));
      const done = await this.#check(asked, images, orders, options.memory, signal).catch(leaveOut);
      if (done === null) continue;
      const { recording, checked } = done;
      faults.push(...checked.faults);
      for (const [i, { index, ...member }] of orders.entries()) {
        const { hasAnalyses = false, warnings: left = [] } = checked.members[i] ?? {};
        found[index] = { ...member, recording, hasAnalyses };
        warnings.push(...left);
      }
    }
    if (faults.length > 0) throw new OrderRefused(faults);
    if (signal.aborted) throw new ClientGone("The client went away");
    // Without the holes of those that are left out.
    const members = found.filter(() => true).map((member, i) => ({ ...member, number: i + 1 }));
    if (members.length === 0) throw lost[0];
    // A whole collection keeps its name.
    const [common] = collections.size === 1 ? collections.values() : [];
    return archiveOf(order, options.version, { members, warnings, lost, collection: common });
  }

  async #describe(
    { sessionId, path, scene = null }: ParsedMember,
    { chosenByUser, memory }: ExportRules,
    signal: AbortSignal,
  ): Promise<OrderedRecording> {
    const session = sessionId === undefined ? null : this.#store.get(sessionId);
    const described = session ??
      await this.#opener.describe({ path: path!, scene, channelIndices: null, chosenByUser, signal });
    const [ordered = this.makeShare()] = memory.shares;
    memory.reserve(described.summaryBytes, session?.memoryShare ?? ordered);
    return { ...described, session };
  }

  /** Checks members of one recording. Finds damaged planes without decoding them. */
  async #check(
    { summary, source, working, seen, session }: OrderedRecording,
    images: ArchivedRecording["images"],
    members: Extract<Question, { readonly type: "check" }>["members"],
    memory: OrderMemory,
    client: AbortSignal,
  ): Promise<{ readonly recording: ExportedRecording; readonly checked: CheckedMembers }> {
    const { axes, fileSize, sceneCount, warnings } = summary;
    const read = session && this.#positions.marksOf(session);
    const archived: ArchivedRecording = {
      images,
      hasReference: summary.reference !== null,
      warnings,
      shape: { axes, fileSize, sceneCount },
      seen: [...seen, ...read ? [read] : []],
    };
    using wait = this.#waits.begin(`Looking through ${quoted(basename(summary.path))}`, client);
    const checked = await this.#resources.pool.ask(
      { key: makeSessionId(), source },
      { type: "check", recording: archived, members },
      wait.signal,
    );
    const [share] = memory.shares;
    memory.reserve(checked.seen.length, session?.memoryShare ?? share!);
    const { layout, reference } = checked;
    const recording: ExportedRecording = {
      summary,
      source,
      working,
      archived: { ...archived, seen: [...archived.seen, checked.seen] },
      channels: summary.loaded.toSorted((a, b) => a.index - b.index),
      layout,
      reference,
      opened: images === "opened" ? summary.position : null,
    };
    return { recording, checked };
  }
}

/** The archive of an order. @param of its members, what was left out, and the name of their only collection */
function archiveOf(
  { id, name, images = "all" }: ParsedOrder,
  version: string,
  { members, warnings, lost, collection }: {
    members: readonly ExportedMember[];
    warnings: readonly string[];
    lost: readonly Error[];
    collection: string | undefined;
  },
): Archive {
  const [only] = members.length === 1 ? members : [];
  const hasImages = images !== "none";
  const rounded = members.filter(({ recording }) => hasImages && recording.layout.isRounded);
  return {
    id: id ?? crypto.randomUUID(),
    name: name ?? only?.name ?? collection ?? `${members.length} recordings`,
    hasImages,
    members,
    leftOut: lost.length,
    warnings: limitWarnings([
      ...lost.map(({ message }) => `${message}; it is left out`),
      ...rounded.map(({ name }) => `The samples of ${quoted(name)} are written as the nearest float32`),
      ...warnings,
    ]),
    version,
  };
}

/** Largest number of warnings about an archive; a collection may lack a thousand tables. */
const MAX_WARNINGS = 100;

const limitWarnings = (all: readonly string[]): readonly string[] => {
  const warnings = [...new Set(all)];
  const more = warnings.length - MAX_WARNINGS;
  return more > 0 ? [...warnings.slice(0, MAX_WARNINGS), `And ${more} more`] : warnings;
};

/** A fault for each id that an earlier member has, too. */
function findRepeatedIds(members: readonly ParsedMember[]): OrderFault[] {
  const first = new Map<string, number>();
  return members.flatMap(({ id }, index) => {
    if (id === undefined) return [];
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, index);
    const path = ["members", String(index), "id"];
    return earlier === undefined
      ? []
      : [{ path, message: `member ${earlier} has the id ${quoted(id)}, too` }];
  });
}

/** Name of the recording: its file name, and the scene's name if there are several scenes. */
function nameRecording({ path, scene, sceneCount, scenes }: AcquisitionSummary): string {
  const name = basename(path);
  return sceneCount > 1 ? `${name} ${scenes[scene]?.name ?? `Scene ${scene + 1}`}` : name;
}
