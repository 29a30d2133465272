/**
 * The document of a picture: its regions, options and results, which are immutable and undone together. A drag previews
 * documents and records one at its end; panels write pieces.
 */
import { Emitter, type Plain } from "../controls/emitter.ts";
import { DocumentPiece, type PieceKind } from "./piece.ts";
import type { Region } from "./region.ts";

/** Most steps: more than anyone takes back, and each may hold thousands of events. */
export const MOST_STEPS = 200;

/**
 * Emits `change` after a step, undo, redo or another document, `settled` once the pieces were told of it, too, `preview` while a drag changes what is shown, and `select`.
 *
 * @template Document immutable JSON, but numbers may be NaN
 */
export class DrawingStore<Document extends { readonly regions: readonly Region[] }> extends Emitter<{
  change: Plain;
  settled: Plain;
  preview: Plain;
  select: Plain;
}> {
  #document;
  #preview: Document | null = null;
  #past: Document[] = [];
  #future: Document[] = [];
  /** The field whose typing made the last step. */
  #field: unknown = null;
  /** Whether what panels write now extends the last step: they may change in turn. */
  #isJoining = false;
  /** Whether a change is being told: what panels write meanwhile follows from it. */
  #isTelling = false;
  /** The pieces, with the values that were told last. */
  readonly #pieces = new Map<DocumentPiece<unknown>, unknown>();
  /** Id of the selected region. */
  selected: string | null = null;

  constructor(document: Document) {
    super();
    this.#document = document;
  }

  /** The document after the last step. */
  get document(): Document {
    return this.#document;
  }

  /** The document with the region that is being drawn or moved. */
  get shown(): Document {
    return this.#preview ?? this.#document;
  }

  /** Whether a region is being drawn or moved. */
  get isPreviewing(): boolean {
    return this.#preview !== null;
  }

  /** Registers a piece of the document. */
  register<Value>(kind: PieceKind<Value>): DocumentPiece<Value> {
    const piece = new DocumentPiece(kind, () => this.#document, (next, isStep, field) => {
      const former = this.#document;
      if (!this.amend(next as Document)) return;
      this.#pieces.set(piece, piece.value);
      if (isStep && !this.#isTelling) this.#join(former, field);
    });
    this.#pieces.set(piece, piece.value);
    return piece;
  }

  /** Whether a change is being told. */
  get isTelling(): boolean {
    return this.#isTelling;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  /** Starts with the document of another picture, or the same one with its steps. */
  begin(document: Document, keepsSteps = false): void {
    if (!keepsSteps) [this.#past, this.#future] = [[], []];
    this.#field = null;
    this.#isJoining = false;
    this.#preview = null;
    // Also if it is equal: results of other samples must not stand for its own.
    this.#document = document;
    this.#tell();
  }

  /** Shows a document without a step; null ends that. */
  preview(document: Document | null): void {
    if (document === null && !this.isPreviewing) return;
    this.#preview = document;
    this.emit("preview");
  }

  /**
   * Adds a step, or extends the last one if it came from the same field.
   *
   * @param next document after the change
   * @param field that is being typed in, or null
   * @returns false if nothing changed
   */
  record(next: Document, field: unknown = null): boolean {
    const former = this.#document;
    const wasPreviewing = this.isPreviewing;
    this.#preview = null;
    if (!this.amend(next)) {
      if (wasPreviewing) this.emit("preview");
      return false;
    }
    this.#addStep(former, field, field !== null && field === this.#field);
    return true;
  }

  /** Adds a step of a panel, also while a region is being drawn, or extends that of the panel before. */
  #join(former: Document, field: unknown) {
    if (this.#isJoining) return this.#addStep(former, this.#field, true);
    this.#isJoining = true;
    queueMicrotask(() => this.#isJoining = false);
    this.#addStep(former, field, field !== null && field === this.#field);
  }

  /** @param isJoined whether the last step is extended */
  #addStep(former: Document, field: unknown, isJoined: boolean) {
    if (!isJoined) this.#past = [...this.#past, former].slice(-MOST_STEPS);
    this.#future = [];
    this.#field = field;
    this.#tell();
  }

  /** Tells of a change: first of the document, then of the pieces that differ. */
  #tell() {
    const wasTelling = this.#isTelling;
    this.#isTelling = true;
    this.emit("change");
    for (const [piece, told] of this.#pieces) {
      if (piece.value === told) continue;
      this.#pieces.set(piece, piece.value);
      piece.emit("change");
    }
    this.#isTelling = wasTelling;
    this.emit("settled");
  }

  /** Records other regions. */
  draw(regions: readonly Region[], field: unknown = null): boolean {
    return this.record({ ...this.#document, regions }, field);
  }

  /** Makes the next input in a field a step of its own. */
  endTyping(): void {
    this.#field = null;
  }

  /**
   * Replaces the document without a step or event, for changes that the user did not make.
   *
   * @returns false if nothing changed
   */
  amend(next: Document): boolean {
    if (isSameDocument(next, this.#document)) return false;
    this.#document = next;
    return true;
  }

  /** Goes back a step. @returns false without one */
  undo(): boolean {
    return this.#move(this.#past, this.#future);
  }

  /** Goes forward to the step that was undone last. @returns false without one */
  redo(): boolean {
    return this.#move(this.#future, this.#past);
  }

  #move(from: Document[], to: Document[]) {
    const document = from.pop();
    if (document === undefined) return false;
    to.push(this.#document);
    this.#preview = null;
    this.#field = null;
    this.#isJoining = false;
    this.amend(document);
    this.#tell();
    return true;
  }

  /** @param id null for none */
  select(id: string | null): void {
    if (id === this.selected) return;
    this.selected = id;
    this.emit("select");
  }
}

/**
 * Whether two values are the same JSON, in which NaN is null and undefined is missing. Does not look into objects that both share:
 * a document may hold the means of thousands of images.
 */
function isSameDocument(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isPlainObject(one) || !isPlainObject(other)) return makePlain(one) === makePlain(other);
  if (Array.isArray(one) || Array.isArray(other)) {
    return Array.isArray(one) && Array.isArray(other) && one.length === other.length &&
      one.every((part, i) => isSameDocument(part, other[i]));
  }
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((key) =>
    isSameDocument(one[key], other[key])
  );
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const makePlain = (value: unknown) => typeof value === "number" && !Number.isFinite(value) ? null : value;
