/** Metadata of version 2 and older, XML: an element for each value, with its type in `runtype` and itself in `value`. */
import { DecodeFailed } from "../errors.ts";
import { MAX_XML_DEPTH } from "../io/limits.ts";
import { parseXml, type XmlElement, type XmlLimits } from "../metadata/xml.ts";
import { metadataText } from "./metadata_text.ts";
import type { Variant, VariantObject } from "./variant.ts";

/** A parsed document and what was wrong with it, or `null`. */
export interface XmlVariant {
  /** Its values. */
  readonly value: VariantObject;
  /** The damage that was passed over. */
  readonly fault: string | null;
}

/** Types whose value is a number. */
const NUMBERS = new Set(["lx_int32", "lx_uint32", "lx_int64", "lx_uint64", "double", "float"]);

/** A document as elements, and what was wrong with it, or `null`. */
export interface XmlTree {
  /** Its root. */
  readonly root: XmlElement;
  /** The damage that was passed over. */
  readonly fault: string | null;
}

/**
 * Parses a document into values. One that is cut off gives what is there.
 *
 * @param what names it in messages
 * @param limits counted down
 * @throws {DecodeFailed} it is damaged otherwise, or over a bound
 */
export function parseXmlVariant(bytes: Uint8Array, what: string, limits: XmlLimits): XmlVariant {
  const { root, fault } = parseXmlTree(bytes, what, limits);
  return { value: documentOf(root), fault };
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

/** The values of a root; where it is itself a value, they are one. */
function documentOf(root: XmlElement): VariantObject {
  const value = valueOf(root);
  return value instanceof Map ? value as VariantObject : new Map([["", value]]);
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
    // Elements of one name that stand beside others are numbered.
    const name = object.has(child.name) ? `${child.name} ${object.size}` : child.name;
    object.set(name, valueOf(child));
  }
  return object;
}

/** A document that was cut off, with the end tags that it lacks, or `null` where none is missing. */
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

/** Characters in which the name of a tag ends. */
const MAX_NAME = 256;

/** What is behind the `>` of the tag or comment at a `<`, or `null` where the text ends before; a `>` may stand in quotes. */
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
