/** The XML documents of a file as they are, for who wants to read them. */
import { Buffer } from "node:buffer";
import { DecodeFailed } from "../errors.ts";
import type { MetadataDocument } from "../reader.ts";
import { type Attachment, contentOf } from "./attachments.ts";
import type { CziDocument } from "./document.ts";
import { readXml } from "./metadata.ts";

/** Types of attachments that are XML: experiment, hardware, multiview, fibres. */
const XML_TYPES: readonly string[] = ["CZEXP", "CZHWS", "CZMVM", "CZFBMX"];

/**
 * The metadata and the attachments that are XML, in the order in which the file lists them.
 *
 * @param most bytes of UTF-8 that all of them may have
 * @throws {DecodeFailed} they have more, or cannot be read
 */
export function documentTexts(
  { file, header }: CziDocument,
  attachments: readonly Attachment[],
  most: number,
): MetadataDocument[] {
  let left = most;
  const found: MetadataDocument[] = [];
  const add = (name: string, text: string) => {
    left -= Buffer.byteLength(text);
    if (left < 0) throw new DecodeFailed(`its metadata documents have more than ${most} bytes`);
    if (text !== "") found.push({ name, mediaType: "application/xml", text });
  };
  add("metadata", readXml(file, header, left));
  for (const attachment of attachments) {
    if (!XML_TYPES.includes(attachment.type)) continue;
    const content = contentOf(file, attachment);
    if (content.size > left) throw new DecodeFailed(`its metadata documents have more than ${most} bytes`);
    add(attachment.name, new TextDecoder().decode(content.read(0, content.size, content.name)));
  }
  return found;
}
