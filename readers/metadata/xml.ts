/**
 * XML of microscope files as a small tree of local names. Damaged input is refused with its position. A document
 * type declaration is refused, so no entity can expand. Size, nesting and number of nodes are limited.
 */
import { SaxesParser } from "saxes";
import { DecodeFailed } from "../errors.ts";
import { MAX_XML_BYTES, MAX_XML_DEPTH, MAX_XML_NODES } from "../io/limits.ts";

/** An element. Names lack their prefixes, which differ between versions of programs. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Character data directly inside this element, trimmed. */
  readonly text: string;
}

interface OpenElement {
  name: string;
  attributes: Record<string, string>;
  children: OpenElement[];
  text: string;
}

/** Limits of a document. */
export interface XmlLimits {
  /** Remaining elements and attributes; several documents can share the count. */
  nodes: number;
  readonly depth: number;
  /** True for an element to skip together with its content. */
  omits?(name: string, parent: string | undefined): boolean;
}

/** Characters that XML forbids, literal or as references; not zeros, which no program writes: they are lost text. */
const FORBIDDEN =
  /(?![\t\n\r\0])[\p{Cc}\ufffe\uffff]|&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01])|x0*(?:[0-8bcef]|1[0-9a-f]));/giu;

/** Replaces characters that XML forbids but that some programs write into names, and drops the zeros that end a text. */
export const replaceForbidden = (text: string): string =>
  withoutFinalZeros(text).replace(FORBIDDEN, "\ufffd");

function withoutFinalZeros(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0) end -= 1;
  return text.slice(0, end);
}

const localName = (name: string) => name.includes(":") ? name.slice(name.lastIndexOf(":") + 1) : name;

/**
 * Parses one document.
 *
 * @param what name of the document in messages: `OME-XML`, `the document at 854`
 * @param limits may be lower than the general ones
 * @throws {DecodeFailed} not well-formed (with line and column), a document type declaration, or above a limit
 */
export function parseXml(
  text: string,
  what: string,
  limits: XmlLimits = { nodes: MAX_XML_NODES, depth: MAX_XML_DEPTH },
): XmlElement {
  if (text.length > MAX_XML_BYTES) {
    throw new DecodeFailed(`${what} has ${text.length} characters, more than ${MAX_XML_BYTES}`);
  }
  const parser = new SaxesParser({ xmlns: false, position: true });
  const tree = new TreeBuilder(what, limits);
  parser.on("error", (error) => {
    throw new DecodeFailed(`${what} is damaged: ${error.message.replace(/\.$/, "")}`);
  });
  parser.on("doctype", () => {
    throw new DecodeFailed(`${what} declares a document type, which is not read`);
  });
  parser.on("attribute", ({ name }) => tree.countAttribute(name));
  parser.on("opentag", ({ name, attributes }) => tree.open(name, attributes));
  parser.on("text", (data) => tree.addText(data));
  parser.on("cdata", (data) => tree.addText(data));
  parser.on("closetag", () => tree.close());
  parser.write(text).close();
  if (tree.root === null) throw new DecodeFailed(`${what} is empty`);
  return tree.root;
}

/** Builds the tree of a document from its tags, within the limits. */
class TreeBuilder {
  root: XmlElement | null = null;
  readonly #what: string;
  readonly #limits: XmlLimits;
  readonly #allowed: number;
  readonly #open: OpenElement[] = [];
  /** Number of attributes of the current tag, and whether one has a prefix. */
  #attributes = 0;
  #prefixed = false;
  /** Nesting inside a skipped element. */
  #omitted = 0;

  constructor(what: string, limits: XmlLimits) {
    this.#what = what;
    this.#limits = limits;
    this.#allowed = limits.nodes;
  }

  /** Counts an attribute before the parser builds the table of a tag. */
  countAttribute(name: string): void {
    this.#attributes += 1;
    this.#requireNodes(this.#attributes);
    this.#prefixed ||= name.includes(":");
  }

  open(name: string, attributes: Record<string, string>): void {
    const nodes = this.#attributes + 1;
    const hasPrefix = this.#prefixed;
    this.#attributes = 0;
    this.#prefixed = false;
    if (this.#open.length + this.#omitted >= this.#limits.depth) {
      throw new DecodeFailed(`${this.#what} is nested more than ${this.#limits.depth} deep`);
    }
    const parent = this.#open.at(-1);
    if (this.#omitted > 0 || this.#limits.omits?.(localName(name), parent?.name)) {
      this.#omitted += 1;
      return;
    }
    this.#requireNodes(nodes);
    this.#limits.nodes -= nodes;
    const element: OpenElement = {
      name: localName(name),
      // The parser's table has no prototype.
      attributes: hasPrefix ? nameAttributesLocally(attributes) : attributes,
      children: [],
      text: "",
    };
    if (parent) parent.children.push(element);
    else this.root = element;
    this.#open.push(element);
  }

  addText(data: string): void {
    const element = this.#omitted > 0 ? undefined : this.#open.at(-1);
    if (element) element.text += data;
  }

  close(): void {
    if (this.#omitted > 0) {
      this.#omitted -= 1;
      return;
    }
    const element = this.#open.pop();
    if (element) element.text = element.text.trim();
  }

  #requireNodes(nodes: number): void {
    if (nodes <= this.#limits.nodes) return;
    throw new DecodeFailed(`${this.#what} has more than ${this.#allowed} nodes`);
  }
}

function nameAttributesLocally(written: Record<string, string>): Record<string, string> {
  const attributes: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(written)) attributes[localName(name)] = value;
  return attributes;
}

type Parent = XmlElement | undefined;

/** First child with this local name. */
export const findChild = (element: Parent, name: string): XmlElement | undefined =>
  element?.children.find((c) => c.name === name);

/** Children with this local name. */
export const findChildren = (element: Parent, name: string): XmlElement[] =>
  element?.children.filter((c) => c.name === name) ?? [];

/** First descendant with this local name, in document order. */
export function findDescendant(element: Parent, name: string): XmlElement | undefined {
  for (const c of element?.children ?? []) {
    const found = c.name === name ? c : findDescendant(c, name);
    if (found) return found;
  }
  return undefined;
}

/** All descendants with this local name, in document order, added to `found`. */
export function findDescendants(element: Parent, name: string, found: XmlElement[] = []): XmlElement[] {
  for (const c of element?.children ?? []) {
    if (c.name === name) found.push(c);
    findDescendants(c, name, found);
  }
  return found;
}
