/**
 * The document of a picture: its regions, options and results, which are immutable and undone together. A drag previews
 * documents and records one at its end.
 */
import { Emitter, type Plain } from "../controls/emitter.ts";
import type { Region } from "./region.ts";

/** Most steps: more than anyone takes back, and each may hold thousands of events. */
export const MOST_STEPS = 200;

/**
 * Emits `change` after a step, undo, redo or another document, `preview` while a drag changes what is shown, and `select`.
 *
 * @template Document immutable JSON, but numbers may be NaN
 */
export class DrawingStore<Document extends { readonly regions: readonly Region[] }> extends Emitter<{
  change: Plain;
  preview: Plain;
  select: Plain;
}> {
  #document;
  #preview: Document | null = null;
  #past: Document[] = [];
  #future: Document[] = [];
  /** The field whose typing made the last step. */
  #field: unknown = null;
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
    this.#preview = null;
    this.amend(document);
    this.emit("change");
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
    if (field === null || field !== this.#field) this.#past = [...this.#past, former].slice(-MOST_STEPS);
    this.#future = [];
    this.#field = field;
    this.emit("change");
    return true;
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
    this.amend(document);
    this.emit("change");
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
