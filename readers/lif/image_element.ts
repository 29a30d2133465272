/** The images that a document describes, in the order in which they stand there. */
import { DecodeFailed } from "../errors.ts";
import { child, children, type XmlElement } from "../metadata/xml.ts";
import { MAX_IMAGES, MAX_NAME_CHARACTERS } from "./bounds.ts";
import { attachment, describe, type ImageDescription } from "./image_description.ts";

/** One image as the document describes it. */
export interface ImageElement {
  /** Its name behind those of the folders that it lies in, with `/` between; `""` where nothing is named. */
  readonly name: string;
  /** What is said of it. */
  readonly description: ImageDescription;
  /** Name of the block with its samples, `""` where there is none. */
  readonly block: string;
  /** True for a histogram or what was computed of lifetimes: nothing to open first. */
  readonly derived: boolean;
}

/** What lies around an element. */
interface Surroundings {
  readonly path: readonly string[];
  /** Whether it belongs to a measurement of lifetimes. */
  readonly lifetimes: boolean;
}

/**
 * Lists the images; previews are none.
 *
 * @param root the root of the document
 * @throws {DecodeFailed} there are more than {@linkcode MAX_IMAGES}
 */
export function imageElements(root: XmlElement): ImageElement[] {
  const found: ImageElement[] = [];
  const visit = (element: XmlElement, { path, lifetimes }: Surroundings) => {
    const data = child(element, "Data");
    const image = child(data, "Image");
    const inside = lifetimes || child(data, "SingleMoleculeDetection") !== undefined;
    if (image && !isPreview(image)) {
      if (found.length >= MAX_IMAGES) throw new DecodeFailed(`it has more than ${MAX_IMAGES} images`);
      const description = describe(image);
      found.push({
        name: path.join("/").slice(0, MAX_NAME_CHARACTERS),
        description,
        block: child(element, "Memory")?.attributes["MemoryBlockID"] ?? "",
        derived: inside || isDerived(path.at(-1) ?? "", image, description),
      });
    }
    for (const inner of children(child(element, "Children"), "Element")) {
      visit(inner, { path: [...path, nameOf(inner)], lifetimes: inside });
    }
  };
  // The outermost element stands for the file: its name is no folder.
  for (const element of children(root, "Element")) {
    const alone = child(child(element, "Data"), "Image") !== undefined;
    visit(element, { path: alone ? [nameOf(element)] : [], lifetimes: false });
  }
  return found;
}

const nameOf = (element: XmlElement): string =>
  (element.attributes["Name"]?.trim() ?? "").slice(0, MAX_NAME_CHARACTERS);

const isPreview = (image: XmlElement) =>
  attachment(image, "PreviewMarker")?.attributes["IsPreviewImage"] === "1";

/** Results of lifetimes have a scale of their own (`F16`) or half floats; histograms are told by their names. */
const isDerived = (name: string, image: XmlElement, { channels }: ImageDescription) =>
  attachment(image, "F16") !== undefined || /\bhistogram\b/i.test(name) ||
  channels.some(({ dataType, bits }) => dataType === 1 && bits !== null && bits <= 16);
