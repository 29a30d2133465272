/** Metadata of version 2 and older, XML: an element for each value, with the attributes `runtype` and `value`. */
import { DecodeFailed } from "../errors.ts";
import { MAX_XML_DEPTH } from "../io/limits.ts";
import { allowedXml, parseXml, type XmlElement, type XmlLimits } from "../metadata/xml.ts";
import type { Variant, VariantObject } from "./variant.ts";

/** A parsed document. */
export interface XmlVariant {
  /** Its values. */
  readonly value: VariantObject;
  /** Ignored damage, or `null`. */
  readonly fault: string | null;
}

/** Types whose value is a number. */
const NUMBERS = new Set(["lx_int32", "lx_uint32", "lx_int64", "lx_uint64", "double", "float"]);

/** A document as elements. */
export interface XmlTree {
  /** Its root. */
  readonly root: XmlElement;
  /** Ignored damage, or `null`. */
  readonly fault: string | null;
}

/**
 * Parses a document into values; a truncated one up to its end.
 *
 * @param what its name in messages
 * @param limits counted down
 * @throws {DecodeFailed} it is damaged otherwise, or over a bound
 */
export function parseXmlVariant(bytes: Uint8Array, what: string, limits: XmlLimits): XmlVariant {
  const { root, fault } = parseXmlTree(bytes, what, limits);
  const value = valueOf(root);
  return { value: value instanceof Map ? value as VariantObject : new Map([["", value]]), fault };
}

/** Parses a document into elements, as {@linkcode parseXmlVariant} does. @throws {DecodeFailed} */
export function parseXmlTree(bytes: Uint8Array, what: string, limits: XmlLimits): XmlTree {
  const text = metadataText(bytes);
  try {
    return { root: parseXml(text, what, limits), fault: null };
  } catch (error) {
    const closed = error instanceof DecodeFailed ? withEndTags(text) : null;
    if (closed === null) throw error;
    return { root: parseXml(closed, what, limits), fault: (error as DecodeFailed).message };
  }
}

function valueOf(element: XmlElement): Variant {
  const { runtype = "", value } = element.attributes;
  if (value !== undefined) {
    if (runtype === "bool") return /^(?:true|1)$/i.test(value.trim());
    return NUMBERS.has(runtype) ? Number(value) : value;
  }
  const { children } = element;
  if (children.length === 0) return element.text === "" ? new Map() : element.text;
  if (children.length > 1 && children.every(({ name }) => name === "no_name")) return children.map(valueOf);
  const object = new Map<string, Variant>();
  for (const child of children) {
    // Further elements of the same name are numbered.
    const name = object.has(child.name) ? `${child.name} ${object.size}` : child.name;
    object.set(name, valueOf(child));
  }
  return object;
}

/** Adds the missing end tags to a truncated document; `null` if that is not its fault. */
function withEndTags(text: string): string | null {
  const open: string[] = [];
  let end = 0;
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", end)) {
    const stop = endOfTag(text, at);
    if (stop === null) break;
    end = stop;
    const [closing, name, empty] = [text[at + 1] === "/", nameIn(text, at), text[end - 2] === "/"];
    if (name === "" || empty && !closing) continue;
    if (!closing) open.push(name);
    else if (open.pop() !== name) return null;
    if (open.length > MAX_XML_DEPTH) return null;
  }
  if (open.length === 0) return null;
  return text.slice(0, end) + open.reverse().map((name) => `</${name}>`).join("");
}

/** Name of the start or end tag at a `<`, or `""` for a comment or a declaration. */
const nameIn = (text: string, at: number) => /^<\/?([\w:.-]+)/.exec(text.slice(at, at + MAX_NAME))?.[1] ?? "";

/** Characters of the name of a tag. */
const MAX_NAME = 256;

/** Index after the tag or comment at a `<`, or `null` where the text ends before; quotes may contain `>`. */
function endOfTag(text: string, start: number): number | null {
  if (text.startsWith("<!--", start)) {
    const end = text.indexOf("-->", start + 4);
    return end < 0 ? null : end + 3;
  }
  for (let at = start + 1; at < text.length; at += 1) {
    const letter = text[at]!;
    if (letter === ">") return at + 1;
    if (letter !== '"' && letter !== "'") continue;
    at = text.indexOf(letter, at + 1);
    if (at < 0) return null;
  }
  return null;
}

/** Bytes that are searched for a declaration. */
const DECLARATION_BYTES = 200;

/**
 * The text of a document without its declaration: UTF-8, in rare files UTF-16, in older ones the code page of the
 * computer. Forbidden characters are replaced.
 */
export function metadataText(bytes: Uint8Array): string {
  const text = decoded(bytes).replace(/^\ufeff/, "").replace(/^\s*<\?xml[^>]*\?>/, "");
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0) end -= 1;
  return allowedXml(text.slice(0, end).trim());
}

function decoded(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe || bytes[0] === 0x3c && bytes[1] === 0) {
    return new TextDecoder("utf-16le").decode(bytes);
  }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  const unicode = new TextDecoder("utf-8").decode(bytes, { stream: true });
  // UTF-8 with some damaged characters also has valid ones beyond ASCII; a code page has none.
  return /\ufffd/.test(unicode) && !/[^\0-\x7f\ufffd]/.test(unicode)
    ? new TextDecoder(codePage(bytes)).decode(bytes)
    : unicode;
}

/** The declared encoding unless it is Unicode or unknown, else that of Western Windows. */
function codePage(bytes: Uint8Array): string {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, DECLARATION_BYTES));
  const declared = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/i.exec(head)?.[1];
  try {
    const { encoding } = new TextDecoder(declared ?? "windows-1252");
    return encoding.startsWith("utf-") ? "windows-1252" : encoding;
  } catch {
    return "windows-1252";
  }
}
