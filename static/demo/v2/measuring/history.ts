/** Undo and redo steps of the drawings. */

/** Most steps: more than anyone takes back, and each may hold thousands of events. */
export const MOST_STEPS = 200;

/** Past and future states around the current one. @template State immutable JSON, but numbers may be NaN */
export class History<State> {
  readonly #past: State[] = [];
  #future: State[] = [];
  #now;
  #text;
  /** The field whose typing made the last step. */
  #field: unknown = null;

  constructor(state: State) {
    this.#now = state;
    this.#text = JSON.stringify(state);
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  /**
   * Adds a step, or extends the last one if it came from the same field.
   *
   * @param state after the change
   * @param field that is being typed in, or null
   * @returns false if nothing changed
   */
  record(state: State, field: unknown = null): boolean {
    const former = this.#now;
    if (!this.amend(state)) return false;
    if (field === null || field !== this.#field) this.#past.push(former);
    if (this.#past.length > MOST_STEPS) this.#past.shift();
    this.#future = [];
    this.#field = field;
    return true;
  }

  /** Makes the next input in a field a step of its own. */
  endTyping(): void {
    this.#field = null;
  }

  /**
   * Replaces the current state without a step, for changes that the user did not make.
   *
   * @returns false if nothing changed
   */
  amend(state: State): boolean {
    const text = JSON.stringify(state);
    const isOther = text !== this.#text;
    this.#now = state;
    this.#text = text;
    return isOther;
  }

  /** @returns the state before; null without one */
  undo(): State | null {
    return this.#move(this.#past, this.#future);
  }

  /** @returns the state that was undone last; null without one */
  redo(): State | null {
    return this.#move(this.#future, this.#past);
  }

  #move(from: State[], to: State[]) {
    const state = from.pop();
    if (state === undefined) return null;
    to.push(this.#now);
    this.amend(state);
    this.#field = null;
    return state;
  }
}
