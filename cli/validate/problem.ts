/** What `acq-server validate` finds. */

/** One problem. */
export interface Problem {
  /** Path of the document. */
  readonly file: string;
  /** RFC 6901 pointer to the value that is wrong, or to the one that is missing. */
  readonly pointer: string;
  /** What is wrong, without a full stop. */
  readonly message: string;
}

/** RFC 6901 pointer of a path of keys and indices. */
function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Takes problems of one document. */
export class DocumentProblems {
  readonly #file: string;
  readonly #problems: Problem[];
  readonly #at: readonly PropertyKey[];

  /** Takes problems into a list; those of a part of the document lie below `at`. */
  constructor(file: string, problems: Problem[], at: readonly PropertyKey[] = []) {
    this.#file = file;
    this.#problems = problems;
    this.#at = at;
  }

  /** Takes problems of a part of the document, at paths from there. */
  below(path: readonly PropertyKey[]): DocumentProblems {
    return new DocumentProblems(this.#file, this.#problems, [...this.#at, ...path]);
  }

  /** Notes one problem at a path of keys and indices. */
  add(path: readonly PropertyKey[], message: string): void {
    this.#problems.push({ file: this.#file, pointer: jsonPointer([...this.#at, ...path]), message });
  }
}
