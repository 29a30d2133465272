/** Settings texts: sections with keys and values, in UTF-16 or UTF-8. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";
import { numberOf, textFrom } from "../metadata/text.ts";

/** Largest text in bytes; the largest known texts, of long series, have less than a tenth. */
const MAX_TEXT_BYTES = 16 << 20;

/** Largest number of keys in a text, about 150 bytes of heap each. */
const MAX_KEYS = 1 << 18;

/** Largest number of sections in a text, about 400 bytes of heap each; a typical file has 150. */
const MAX_SECTIONS = 1 << 16;

/** Largest number of bytes to skip before the first section. */
const MAX_JUNK_BYTES = 1024;

/** Matches a decimal comma, perhaps with a stray `.0` after the number: `211,761.0`. */
const WITH_COMMA = /^([+-]?\d+),(\d+)(?:\.0*)?$/;

/** One section. */
export interface Section {
  /** Text between the brackets. */
  readonly name: string;
  /** Values by key, without their quotes. */
  readonly values: ReadonlyMap<string, string>;
}

/** A parsed text. */
export class Settings {
  /** All sections in order; several may have the same name. */
  readonly sections: readonly Section[];
  readonly #byName: ReadonlyMap<string, Section>;

  /** Parses a text. @throws {DecodeFailed} it has too many keys or sections */
  constructor(text: string, what: string) {
    const sections: { name: string; values: Map<string, string> }[] = [];
    let keys = 0;
    for (const line of linesOf(text)) {
      const header = /^\[([^\]]*)\]$/.exec(line);
      const values = sections.at(-1)?.values;
      if (header !== null) {
        if (sections.length === MAX_SECTIONS) throw tooMany(what, MAX_SECTIONS, "sections");
        sections.push({ name: header[1] ?? "", values: new Map() });
      } else if (values !== undefined && !line.startsWith(";")) {
        const at = line.indexOf("=");
        if (at < 0) continue;
        if (keys === MAX_KEYS) throw tooMany(what, MAX_KEYS, "keys");
        keys += 1;
        values.set(line.slice(0, at).trim(), unquoted(line.slice(at + 1).trim()));
      }
    }
    this.sections = sections;
    this.#byName = new Map(sections.map((section) => [section.name, section]));
  }

  /** Reads a text. @throws {DecodeFailed} it has no section, is too long or unreadable */
  static read(source: ByteSource): Settings {
    return new Settings(readText(source), source.name);
  }

  /** True if a section exists. */
  has(section: string): boolean {
    return this.#byName.has(section);
  }

  /** A value in the last section with this name; `null` if it is missing or blank. */
  text(section: string, key: string): string | null {
    return this.#byName.get(section)?.values.get(key)?.trim() || null;
  }

  number(section: string, key: string): number | null {
    return settingNumber(this.text(section, key));
  }
}

/**
 * The text of a source: UTF-16 with a byte order mark, UTF-8, or a Windows code page.
 *
 * @throws {DecodeFailed} no section begins near its start, or the text is too long
 */
export function readText(source: ByteSource): string {
  if (source.size > MAX_TEXT_BYTES) {
    throw new DecodeFailed(
      `${source.name} has ${source.size} bytes, more than ${MAX_TEXT_BYTES} of settings`,
    );
  }
  const bytes = source.read(0, source.size, "the settings");
  const start = bytes.subarray(0, MAX_JUNK_BYTES).indexOf(0x5b);
  if (start < 0) throw new DecodeFailed(`${source.name} is not a settings text: it has no section`);
  const text = bytes.subarray(start);
  // UTF-16 without a byte order mark.
  return text[1] === 0 ? new TextDecoder("utf-16le").decode(text) : textFrom(text);
}

/** A number with a decimal point or comma, or `null`. */
export function settingNumber(text: string | null): number | null {
  const comma = WITH_COMMA.exec(text?.trim() ?? "");
  return comma ? numberOf(`${comma[1]}.${comma[2]}`) : numberOf(text);
}

function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end < 0 ? undefined : end).trim();
    if (line !== "") yield line;
    if (end < 0) return;
    start = end + 1;
  }
}

function unquoted(value: string): string {
  const quote = value[0];
  const whole = value.length >= 2 && (quote === '"' || quote === "'") && value.endsWith(quote);
  return whole ? value.slice(1, -1) : value;
}

const tooMany = (what: string, most: number, noun: string) =>
  new DecodeFailed(`${what} has more than ${most} ${noun}`);
