/**
 * Pieces of the document: each is registered in the store once. A panel shows the value of its piece and holds none, so that
 * undo, kept work and archives cannot know another one.
 */
import { Emitter, type Plain } from "../controls/emitter.ts";
import { isObject } from "../controls/shape.ts";

/** How a band or part of images, and a channel, are named elsewhere: in documents, or in another recording. */
export interface Naming {
  band: (id: string) => string;
  /** @param index in the channels of the picture */
  channel: (index: string) => string | number;
}

/** What a piece is. @template Value immutable JSON, but numbers may be NaN; null if there is none */
export interface PieceKind<Value> {
  /** Where it stands in the document, such as `["measurements", "events"]`. */
  readonly path: readonly string[];
  /** Names it in a notice that it was damaged. */
  readonly words: string;
  /** In a picture without any. */
  readonly initial: Value;
  /** Takes what was stored, which another program or damage may have changed. @returns null if it cannot be used */
  restore(stored: unknown): Value | null;
  /** The value with bands and channels as they are named elsewhere; missing if it names none. */
  named?(value: NonNullable<Value>, naming: Naming): unknown;
  /** What an archive keeps of it beside analyses; missing if that is all. */
  toDocument?(value: NonNullable<Value>): unknown;
  /** What holds for other samples; missing if all does. */
  withoutResults?(value: NonNullable<Value>): Value;
}

/** A piece of a store; emits `change` when it was changed elsewhere: by undo, redo, restoring or another document. */
export class DocumentPiece<Value> extends Emitter<{ change: Plain }> {
  readonly #kind;
  readonly #document;
  readonly #write;

  /**
   * @param document the present one
   * @param write records a document, or amends the present one
   */
  constructor(
    kind: PieceKind<Value>,
    document: () => object,
    write: (next: object, isStep: boolean, field: unknown) => void,
  ) {
    super();
    this.#kind = kind;
    this.#document = document;
    this.#write = write;
  }

  get value(): Value {
    return readPath(this.#document(), this.#kind.path) as Value | null | undefined ?? this.#kind.initial;
  }

  /**
   * Changes the value as the user wants it: one step, also of several pieces.
   *
   * @param field that is being typed in, or null
   */
  write(next: Value, field: unknown = null): void {
    this.#write(writePath(this.#document(), this.#kind.path, next), true, field);
  }

  /** Changes the value without a step or event, for changes that the user did not make. */
  amend(next: Value): void {
    this.#write(writePath(this.#document(), this.#kind.path, next), false, null);
  }
}

/** The value at a place of a document; undefined without one. */
export const readPath = (document: object, path: readonly string[]): unknown =>
  // What stands in the place of an object is damaged, and is the value of what should be in it.
  path.reduce((part: unknown, key) => isObject(part) ? part[key] : part, document);

/** The document with another value at a place. */
export const writePath = (document: object, [key, ...path]: readonly string[], value: unknown): object => {
  const part = (document as Record<string, unknown>)[key!];
  return { ...document, [key!]: path.length === 0 ? value : writePath(part ?? {}, path, value) };
};
