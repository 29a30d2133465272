/** Numbers in text metadata, with warnings about texts that are not numbers. */
import { readNumber } from "../../schemas/decimal_number.ts";
import { listed, MAX_LISTED, warnIf, type Warning } from "../warning.ts";
import { leadingText } from "./text.ts";

/** Longest text to quote, in characters. */
const MAX_QUOTED = 40;

/** Infinity and NaN, as programs write them: numbers, but not steps. */
const NOT_FINITE = /^[+-]?(?:nan|inf(?:inity)?)$/i;

/** Texts that stand for a missing number. */
const MISSING = /^(?:null|none|undefined|n\/?a|unknown|-+)?$/i;

/** Reads the numbers of one source, and notes decimal commas and texts that are not numbers. */
export class StatedNumbers {
  readonly #source: string;
  readonly #commas = new NotedTexts();
  readonly #invalid = new NotedTexts();
  readonly #usesCommas: boolean;

  /**
   * @param source starts a warning: `OME-XML`
   * @param usesCommas true for programs that write decimal commas where the system does, which needs no warning
   */
  constructor(source: string, usesCommas = false) {
    this.#source = source;
    this.#usesCommas = usesCommas;
  }

  /** The finite number, or `null`. @param what names it in a warning */
  read(what: string, text: string | null | undefined): number | null {
    const value = this.step(what, text);
    return Number.isFinite(value) ? value : null;
  }

  /** The number, which may be infinite or NaN where the text says so; `null` for none. */
  step(what: string, text: string | null | undefined): number | null {
    const written = text?.trim() ?? "";
    if (MISSING.test(written)) return null;
    if (NOT_FINITE.test(written)) return NaN;
    const read = readNumber(written);
    if (read === null) this.#invalid.add(what, written);
    else if (read.hasComma && !this.#usesCommas) this.#commas.add(what, written);
    return read?.value ?? null;
  }

  /** The number at the start of a text, which a unit may follow. */
  leading(what: string, text: string | null | undefined): number | null {
    return this.step(what, leadingText(text) || text);
  }

  /** A number of a document that may hold it as a text. */
  value(what: string, value: unknown): number | null {
    return typeof value === "number" ? value : typeof value === "string" ? this.step(what, value) : null;
  }

  /** The warnings so far, at most one about each kind. */
  get warnings(): Warning[] {
    const [commas, invalid] = [this.#commas, this.#invalid];
    return [
      ...warnIf(
        commas.count > 0,
        "number_assumed",
        `${this.#source} has numbers with a comma, which is read as decimal: ${commas.list}`,
      ),
      ...warnIf(
        invalid.count > 0,
        "metadata_damaged",
        `${this.#source} has texts in place of numbers: ${invalid.list}`,
      ),
    ];
  }
}

/** The first texts of a kind, and how many there are. */
class NotedTexts {
  readonly #first: string[] = [];
  count = 0;

  add(what: string, text: string): void {
    this.count += 1;
    const short = text.slice(0, MAX_QUOTED);
    if (this.#first.length < MAX_LISTED) this.#first.push(`${what} "${short}"`);
  }

  get list(): string {
    return listed(this.#first, this.count);
  }
}
