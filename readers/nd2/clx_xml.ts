/** Metadata of versions up to 2: XML with an element per value, which has the attributes `runtype` and `value`. */
import { SaxesParser } from "saxes";
import { DecodeFailed } from "../errors.ts";
import { allowedXml, parseXml, type XmlElement, type XmlLimits } from "../metadata/xml.ts";
import { addWarning, type Warning, warning } from "../warning.ts";
import type { Variant } from "./variant.ts";

/**
 * Parses a document into texts, lists and objects; up to its end if it is truncated.
 *
 * @param limits counted down
 * @param nameOf what becomes of the name of an element or attribute
 * @throws {DecodeFailed} damaged in another way
 */
export function parseXmlVariant(
  bytes: Uint8Array,
  what: string,
  limits: XmlLimits,
  warnings: Warning[],
  nameOf = (name: string): string => name,
): Variant {
  const text = metadataText(bytes);
  try {
    return valueOf(parseXml(text, what, limits), nameOf);
  } catch (error) {
    const closed = error instanceof DecodeFailed && withEndTags(text);
    if (!closed) throw error;
    const value = valueOf(parseXml(closed, what, limits), nameOf);
    const doubt = `Metadata are truncated: ${(error as DecodeFailed).message}`;
    addWarning(warnings, warning("metadata_damaged", doubt));
    return value;
  }
}

/** Attributes that describe an element but are not values. */
const ABOUT = new Set(["runtype", "version", "value"]);

function valueOf({ attributes, children, text }: XmlElement, nameOf: (name: string) => string): Variant {
  if (attributes["value"] !== undefined) return attributes["value"];
  if (children.length > 1 && children.every(({ name }) => name === "no_name")) {
    return children.map((child) => valueOf(child, nameOf));
  }
  const object = new Map<string, Variant>();
  for (const [name, value] of Object.entries(attributes)) {
    if (!ABOUT.has(name)) object.set(nameOf(name), value);
  }
  for (const child of children) {
    // Elements that repeat a name get a number.
    const name = nameOf(child.name);
    object.set(object.has(name) ? `${name} ${object.size}` : name, valueOf(child, nameOf));
  }
  return object.size === 0 && text !== "" ? text : object;
}

/** Adds the missing end tags to a truncated document; `null` if that cannot repair it. */
function withEndTags(text: string): string | null {
  const parser = new SaxesParser({ xmlns: false, position: true });
  const open: string[] = [];
  let end = 0;
  const passed = () => end = parser.position;
  parser.on("opentag", ({ name }) => (open.push(name), passed()));
  parser.on("closetag", () => (open.pop(), passed()));
  parser.on("comment", passed);
  try {
    // Without a call of `close`, the end of the text is no error.
    parser.write(text);
  } catch {
    return null;
  }
  const endTags = open.reverse().map((name) => `</${name}>`).join("");
  return endTags && text.slice(0, end) + endTags;
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
