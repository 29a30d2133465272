/** Settings texts: sections with keys and values, in UTF-16 or UTF-8. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";
import { StatedNumbers } from "../metadata/stated_numbers.ts";
import { warnAboutZeros } from "../metadata/lost_text.ts";
import { decodeAnyText, numberOf } from "../metadata/text.ts";
import { warnIf, type Warning } from "../warning.ts";

/** Largest text in bytes; the largest known texts, of long series, have less than a tenth. */
const MAX_TEXT_BYTES = 16 << 20;

/** Largest number of sections and keys in a text, up to 400 bytes of heap each; a typical file has 150 sections. */
const MAX_ITEMS = 1 << 18;

/** Largest number of bytes to skip before the first section. */
const MAX_JUNK_BYTES = 1024;

/** A parsed text. */
export class OifSettings {
  /** All sections in order, with values without their quotes; several may have the same name. */
  readonly sections: readonly { readonly name: string; readonly values: ReadonlyMap<string, string> }[];
  /** About zeros in the text, and a text that ends inside a line. */
  readonly warnings: readonly Warning[];
  readonly #numbers: StatedNumbers;
  readonly #byName: ReadonlyMap<string, ReadonlyMap<string, string>>;

  /** Parses a text. @throws {DecodeFailed} it has too many keys or sections */
  constructor(text: string, what: string) {
    const sections: { name: string; values: Map<string, string> }[] = [];
    this.#numbers = new StatedNumbers(what, true);
    let items = 0;
    for (const [untrimmed] of text.matchAll(/[^\n]+/g)) {
      const line = untrimmed.trim();
      const header = /^\[([^\]]*)\]$/.exec(line);
      const [, key = "", value = ""] = /^([^;=][^=]*)=(.*)$/s.exec(line) ?? [];
      if (header !== null) sections.push({ name: header[1] ?? "", values: new Map() });
      else if (key === "") continue;
      else sections.at(-1)?.values.set(key.trim(), unquote(value.trim()));
      items += 1;
      if (items > MAX_ITEMS) throw new DecodeFailed(`${what} has more than ${MAX_ITEMS} sections and keys`);
    }
    const cut = `${what} ends inside a line: it is cut`;
    this.warnings = [
      ...warnAboutZeros(what, text),
      ...warnIf(!/[\n\0]$/.test(text), "metadata_damaged", cut),
    ];
    this.sections = sections;
    this.#byName = new Map(sections.map(({ name, values }) => [name, values]));
  }

  /** Reads a text. @throws {DecodeFailed} it has no section, is too long or unreadable */
  static read(source: ByteSource): OifSettings {
    return new OifSettings(readSettingsText(source), source.name);
  }

  has(section: string): boolean {
    return this.#byName.has(section);
  }

  /** A value in the last section with this name; `null` if it is missing or blank. */
  text(section: string, key: string): string | null {
    return this.#byName.get(section)?.get(key)?.trim() || null;
  }

  number(section: string, key: string): number | null {
    return this.#numbers.read(key, withoutStray(this.text(section, key)));
  }

  /** The warnings about numbers that were read so far. */
  get numberWarnings(): readonly Warning[] {
    return this.#numbers.warnings;
  }
}

/**
 * The text of a source: UTF-16 with a byte order mark, UTF-8, or a Windows code page.
 *
 * @throws {DecodeFailed} no section begins near its start, or the text is too long
 */
export function readSettingsText(source: ByteSource): string {
  if (source.size > MAX_TEXT_BYTES) {
    throw new DecodeFailed(
      `${source.name} has ${source.size} bytes, more than ${MAX_TEXT_BYTES} of settings`,
    );
  }
  const bytes = source.read(0, source.size, "the settings");
  const start = bytes.subarray(0, MAX_JUNK_BYTES).indexOf(0x5b);
  if (start < 0) throw new DecodeFailed(`${source.name} is not a settings text: it has no section`);
  const text = bytes.subarray(start);
  // A line of their own, so that zeros before the text are seen as zeros in it. A byte order mark has none.
  const zeros = bytes.subarray(0, start).filter((byte) => byte === 0).length;
  const before = zeros > 0 ? "\0".repeat(zeros) + "\n" : "";
  // UTF-16 without a byte order mark.
  return before + (text[1] === 0 ? new TextDecoder("utf-16le").decode(text) : decodeAnyText(text));
}

/** A number with a decimal point or comma, perhaps with a stray `.0` after the comma (`211,761.0`); or `null`. */
export const settingNumber = (text: string | null): number | null => numberOf(withoutStray(text));

const withoutStray = (text: string | null) => text?.trim().replace(/^([+-]?\d+,\d+)\.0*$/, "$1");

const unquote = (value: string) => /^(["'])(.*)\1$/s.exec(value)?.[2] ?? value;
