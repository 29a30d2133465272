/** Leica LIF and LOF. */
import { type FileFormat, FORMAT_NAMES } from "../format.ts";
import { firstText, OBJECT_FILE } from "./first_text.ts";

/** The root of the levels that were added to the images of a LIF file. */
const EXTENSION = "<LMSDataContainerEnhancedHeader";

/** True where one text begins the other, of which only a part may be in the first bytes. */
const begins = (text: string, start: string) => {
  const common = Math.min(text.length, start.length);
  return common > 0 && text.slice(0, common) === start.slice(0, common);
};

const isObjectFile = (text: string) => begins(text, OBJECT_FILE);
const isExtension = (text: string) => text.length >= 20 && begins(text, EXTENSION);

function explains(head: Uint8Array): string | null {
  const text = firstText(head);
  if (text !== null && isExtension(text)) {
    return "it holds smaller copies of the images of a LIF file; open the .lif file beside it";
  }
  if (text !== null && isObjectFile(text)) {
    return "it is a single Leica object (LOF); its name ends with .lof";
  }
  const start = new TextDecoder("latin1").decode(head).replace(/\0/g, "").replace(/^(?:ÿþ|þÿ|ï»¿)/, "");
  return /^\s*<(?:\?xml|LMSDataContainerHeader|Data>)/.test(start)
    ? "it is an XML document that names the files of a Leica experiment; open the .lof or .tif files that it names"
    : null;
}

/** LIF, of LAS AF and LAS X: many images in one file. */
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

/** LOF, of LAS X: one image. */
export const LOF: FileFormat = {
  ...FORMAT_NAMES.lof,
  container: "file",
  recognises(head) {
    const text = firstText(head);
    return text !== null && isObjectFile(text);
  },
  explains,
  load: () => import("./mod.ts"),
};
