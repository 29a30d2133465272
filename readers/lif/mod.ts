/**
 * Leica LIF and LOF, as written by LAS AF and LAS X. Little-endian, texts in UTF-16:
 *
 *     LIF   70 00 00 00   u32 bytes that follow   2A   u32 characters   XML
 *           then blocks: 70 00 00 00   u32   2A   u64 size (u32 in version 1)   2A   u32 characters   name   samples
 *     LOF   70 00 00 00   u32   2A   u32   LMS_Object_File   2A   u32   2A   u32   2A   u64 size   samples
 *           then 70 00 00 00   u32   2A   u32 characters   XML
 *
 * The XML is a tree of `Element`s, each with `Data`, a `Memory` that names its block, and `Children`. Elements with `Data/Image`
 * are the scenes. Samples are raw; the `BytesInc` of each dimension and channel gives their offsets.
 *
 * Not supported: packed samples (`BitInc`), channels of different types, overlapping samples. `format.ts` explains the other
 * files of a LAS X project (XLEF, XLIF, LIFEXT).
 */
import { DecodeFailed, quoted } from "../errors.ts";
import type { DocumentList } from "../io/document_list.ts";
import { buildAxes } from "../metadata/axes.ts";
import { findChild } from "../metadata/xml.ts";
import { type SceneEntry, type Scenes, sizesOf, type Source } from "../reader.ts";
import { listed, warnIf } from "../warning.ts";
import { acquisitionOf, axisLengths, momentOfStamp } from "./acquisition.ts";
import {
  findObjectBlock,
  listBlocks,
  locateText,
  type MemoryBlock,
  OBJECT_FILE,
  readStoredText,
} from "./container.ts";
import { type ImageElement, listImageElements, parseHeader, readSplitStamp } from "./document.ts";

/** Approximate memory per image and per block. */
const [IMAGE_BYTES, BLOCK_BYTES] = [4000, 150];

/** Opens a LIF or LOF file, by default at the first readable image that is not derived. @throws {DecodeFailed} damaged or not supported */
export function scenes({ path, files }: Source): Promise<Scenes> {
  return Promise.try(() => {
    const file = files.open(path);
    const { stop } = files;
    const first = locateText(file, 0, "the first text");
    const object = first.characters === OBJECT_FILE.length &&
      readStoredText(file, first, "the first text") === OBJECT_FILE;
    const block = object ? findObjectBlock(file) : null;
    const header = block ? locateText(file, block.offset + block.size, "the XML") : first;
    const { root, warnings } = parseHeader(readStoredText(file, header, "the XML"));
    const { blocks, warnings: doubts } = block
      ? { blocks: new Map<string, MemoryBlock>(), warnings: [] }
      : listBlocks(file, header.end, stop);
    const elements = listImageElements(root).slice(0, block ? 1 : undefined);
    if (elements.length === 0) throw new DecodeFailed("it holds no images");
    const blockOf = (image: ImageElement) => block ?? blocks.get(image.block);
    const { images = [], missing = [] } = Object.groupBy(
      elements,
      (image) => blockOf(image)?.stored ? "images" : "missing",
    );
    const counts = `${missing.length} of ${elements.length} images`;
    const absent = `${counts} were never saved or are not in the file: ${listImageNames(missing)}`;
    if (images.length === 0) throw new DecodeFailed(absent);
    const readable = ({ layout }: ImageElement) => typeof layout !== "string";
    const plain = images.findIndex((image) => !image.derived && readable(image));
    const own = Math.max(0, plain >= 0 ? plain : images.findIndex(readable));
    const skipped = images.slice(0, own).filter((image) => !readable(image));
    const unread = `Images before the opened one cannot be read: ${listImageNames(skipped)}`;
    const stamp = findChild(
      findChild(findChild(findChild(root, "Element"), "Data"), "Experiment"),
      "TimeStamp",
    );
    const shared = {
      ...momentOfStamp(stamp ? readSplitStamp(stamp) : ""),
      fileSize: file.size,
      indexBytes: IMAGE_BYTES * elements.length + BLOCK_BYTES * blocks.size,
      documents: (documents: DocumentList) =>
        documents.add("header", "application/xml", readStoredText(file, header, "the XML")),
    };
    return {
      count: images.length,
      own,
      warnings: [
        ...warnings,
        ...doubts,
        ...warnIf(missing.length > 0, "scenes_left_out", absent),
        ...warnIf(skipped.length > 0, "scenes_left_out", unread),
      ],
      entries: (most) => images.slice(0, most).map(describeEntry),
      open: (scene) =>
        Promise.try(() => {
          const image = images[scene]!;
          return acquisitionOf({ file, block: blockOf(image)!, stop }, image, shared);
        }),
    };
  });
}

const listImageNames = (images: readonly ImageElement[]) => listed(images.map(({ name }) => quoted(name)));

/** Name and sizes of an image; sizes are empty if the image is not supported. */
const describeEntry = ({ name, layout }: ImageElement): SceneEntry => ({
  name: name || null,
  isBuilt: true,
  sizes: typeof layout === "string" ? {} : sizesOf(buildAxes(axisLengths(layout), {})),
});
