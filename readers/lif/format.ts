/** Leica LIF and LOF. */
import { type FileFormat, FORMAT_NAMES, startsWith } from "../format.ts";

/** The root element of a LIFEXT file, which contains reduced copies of the images in a LIF file. */
const EXTENSION = "<LMSDataContainerEnhancedHeader";

/** The text at the start of a LOF file, in the place of a LIF file's XML. */
const OBJECT = "LMS_Object_File";

/** Offset of the first text in UTF-16, after its magic, sizes and mark. */
const TEXT_AT = 13;

/** The start of the first text of a Leica file, or `null`. */
function firstText(head: Uint8Array): string | null {
  if (head.length < TEXT_AT || !startsWith(head, 0x70, 0, 0, 0) || head[8] !== 0x2a) return null;
  const whole = head.length - (head.length - TEXT_AT) % 2;
  return new TextDecoder("utf-16le").decode(head.subarray(TEXT_AT, whole));
}

/** True if one text starts with the other, since the first bytes may hold only part of it. */
const begins = (text: string, start: string) =>
  text !== "" && (start.startsWith(text) || text.startsWith(start));

const isExtension = (text: string) => text.length >= 20 && begins(text, EXTENSION);

function explains(head: Uint8Array): string | null {
  const text = firstText(head);
  if (text !== null && isExtension(text)) {
    return "it holds smaller copies of the images of a LIF file; open the .lif file beside it";
  }
  if (text !== null && begins(text, OBJECT)) {
    return "it is a single Leica object (LOF); its name ends with .lof";
  }
  const start = new TextDecoder("latin1").decode(head).replace(/\0/g, "").replace(/^(?:ÿþ|þÿ|ï»¿)/, "");
  return /^\s*<(?:\?xml|LMSDataContainerHeader|Data>)/.test(start)
    ? "it is an XML document that names the files of a Leica experiment; open the .lof or .tif files that it names"
    : null;
}

/** LIF, as written by LAS AF and LAS X: many images in one file. */
export const LIF: FileFormat = {
  ...FORMAT_NAMES.lif,
  container: "file",
  recognises(head) {
    const text = firstText(head);
    return text !== null && /^\ufeff?\s*</.test(text) && !isExtension(text);
  },
  relatives: [".lifext", ".xlef", ".xlif", ".xlcf", ".xllf"],
  explains,
  load: () => import("./mod.ts"),
};

/** LOF, as written by LAS X: one image. */
export const LOF: FileFormat = {
  ...FORMAT_NAMES.lof,
  container: "file",
  recognises: (head) => begins(firstText(head) ?? "", OBJECT),
  explains,
  load: () => import("./mod.ts"),
};
