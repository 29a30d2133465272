/** What `acq-server validate` finds. */

/** One problem. */
export interface Problem {
  readonly file: string;
  /** RFC 6901 pointer to the value that is wrong, or to the one that is missing. */
  readonly pointer: string;
  readonly message: string;
}

/** RFC 6901 pointer of a path of keys and indices. */
export function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Takes problems of one document. */
export class DocumentProblems {
  readonly #file: string;
  readonly #problems: Problem[];

  constructor(file: string, problems: Problem[]) {
    this.#file = file;
    this.#problems = problems;
  }

  /** Notes one problem at a path of keys and indices. */
  add(path: readonly PropertyKey[], message: string): void {
    this.#problems.push({ file: this.#file, pointer: jsonPointer(path), message });
  }
}
