/** The XML documents of a file. */
import type { DocumentList } from "../io/document_list.ts";
import { type Attachment, contentOf } from "./attachments.ts";
import type { CziDocument } from "./document.ts";
import { readXml } from "./metadata.ts";

/** Types of attachments that are XML: experiment, hardware, multiview, fibres. */
const XML_TYPES: readonly string[] = ["CZEXP", "CZHWS", "CZMVM", "CZFBMX"];

/** Adds the metadata and the attachments that are XML, in the order of the file. @throws {DecodeFailed} one cannot be read */
export function addDocuments(
  list: DocumentList,
  { file, header }: CziDocument,
  attachments: readonly Attachment[],
): void {
  list.add("metadata", "application/xml", readXml(file, header));
  for (const attachment of attachments) {
    if (!XML_TYPES.includes(attachment.type)) continue;
    const content = contentOf(file, attachment);
    list.require(content.size);
    const text = new TextDecoder().decode(content.read(0, content.size, content.name));
    list.add(attachment.name, "application/xml", text);
  }
}
