import { startsWith, startsWithTag } from "../first_bytes.ts";
import type { FileFormat } from "../format.ts";

/** Offset of the first text in UTF-16, after its magic, sizes and mark. */
const LEICA_TEXT_AT = 13;

/** The start of the first text of a Leica file, or `""`. */
function readLeicaText(head: Uint8Array): string {
  if (head.length < LEICA_TEXT_AT || !startsWith(head, 0x70, 0, 0, 0) || head[8] !== 0x2a) return "";
  const whole = head.length - (head.length - LEICA_TEXT_AT) % 2;
  return new TextDecoder("utf-16le").decode(head.subarray(LEICA_TEXT_AT, whole));
}

/** True if one text starts with the other, since the first bytes may hold only part of it. */
const begins = (text: string, start: string) =>
  text !== "" && (start.startsWith(text) || text.startsWith(start));

/** True for the text of a LIFEXT file, which contains reduced copies of the images in a LIF file. */
const isLifExtension = (text: string) => text.length >= 20 && begins(text, "<LMSDataContainerEnhancedHeader");

/** True for the text of a LOF file, in the place of a LIF file's XML. */
const isLeicaObject = (text: string) => begins(text, "LMS_Object_File");

function explainLeica(head: Uint8Array): string | null {
  const text = readLeicaText(head);
  if (isLifExtension(text)) {
    return "it holds smaller copies of the images of a LIF file; open the .lif file beside it";
  }
  if (isLeicaObject(text)) return "it is a single Leica object (LOF); its name ends with .lof";
  const start = new TextDecoder("latin1").decode(head).replace(/\0/g, "").replace(/^(?:ÿþ|þÿ|ï»¿)/, "");
  return /^\s*<(?:\?xml|LMSDataContainerHeader|Data>)/.test(start)
    ? "it is an XML document that names the files of a Leica experiment; open the .lof or .tif files that it names"
    : null;
}

/** LIF, as written by LAS AF and LAS X: many images in one file. */
export const LIF: FileFormat = {
  name: "lif",
  title: "Leica LIF",
  extensions: [".lif"],
  container: "file",
  recognises(head) {
    const text = readLeicaText(head);
    return startsWithTag(text) && !isLifExtension(text);
  },
  relatives: [".lifext", ".xlef", ".xlif", ".xlcf", ".xllf"],
  explains: explainLeica,
  load: () => import("./mod.ts"),
};

/** LOF, as written by LAS X: one image. */
export const LOF: FileFormat = {
  name: "lof",
  title: "Leica LOF",
  extensions: [".lof"],
  container: "file",
  recognises: (head) => isLeicaObject(readLeicaText(head)),
  explains: explainLeica,
  load: () => import("./mod.ts"),
};
