/** Metadata of versions up to 2: XML with an element per value, which has the attributes `runtype` and `value`. */
import { DecodeFailed } from "../errors.ts";
import { MAX_XML_DEPTH } from "../io/limits.ts";
import { allowedXml, parseXml, type XmlElement, type XmlLimits } from "../metadata/xml.ts";
import { addWarning, type Warning, warning } from "../warning.ts";
import type { Variant, VariantObject } from "./variant.ts";

const NUMBERS = new Set(["lx_int32", "lx_uint32", "lx_int64", "lx_uint64", "double", "float"]);

/** Parses a document into values. @throws {DecodeFailed} as {@linkcode parseXmlTree} does */
export function parseXmlVariant(
  bytes: Uint8Array,
  what: string,
  limits: XmlLimits,
  warnings: Warning[],
): VariantObject {
  const value = valueOf(parseXmlTree(bytes, what, limits, warnings));
  return value instanceof Map ? value as VariantObject : new Map([["", value]]);
}

/** Parses a document, up to its end if it is truncated. @param limits counted down @throws {DecodeFailed} damaged in another way */
export function parseXmlTree(
  bytes: Uint8Array,
  what: string,
  limits: XmlLimits,
  warnings: Warning[],
): XmlElement {
  const text = metadataText(bytes);
  try {
    return parseXml(text, what, limits);
  } catch (error) {
    const closed = error instanceof DecodeFailed ? withEndTags(text) : null;
    if (closed === null) throw error;
    const root = parseXml(closed, what, limits);
    const doubt = `Metadata are truncated: ${(error as DecodeFailed).message}`;
    addWarning(warnings, warning("metadata_damaged", doubt));
    return root;
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
    // Elements that repeat a name get a number.
    const name = object.has(child.name) ? `${child.name} ${object.size}` : child.name;
    object.set(name, valueOf(child));
  }
  return object;
}

/** Adds the missing end tags to a truncated document; `null` if that cannot repair it. */
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

/** Name of the start or end tag at a `<`; `""` for a comment or a declaration. */
const nameIn = (text: string, at: number) => /^<\/?([\w:.-]+)/.exec(text.slice(at, at + MAX_NAME))?.[1] ?? "";

/** Longest tag name in characters. */
const MAX_NAME = 256;

/** Index after the tag or comment at a `<`; `null` if the text ends inside it. Quotes may contain `>`. */
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

/** The text without its declaration and forbidden characters: UTF-8, in rare files UTF-16, in older ones Windows-1252. */
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
  // UTF-8 text with damaged characters also has valid characters beyond ASCII; text in a code page has none.
  return /\ufffd/.test(unicode) && !/[^\0-\x7f\ufffd]/.test(unicode)
    ? new TextDecoder("windows-1252").decode(bytes)
    : unicode;
}
