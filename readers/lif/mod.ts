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
import { DecodeFailed, quoted, unlessDamaged } from "../errors.ts";
import type { DocumentList } from "../io/document_list.ts";
import type { RandomAccessFile } from "../io/random_access.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { axesOf } from "../metadata/axes.ts";
import { UNDATED } from "../metadata/moment.ts";
import { child } from "../metadata/xml.ts";
import { type SceneEntry, type Scenes, sizesOf, type Source } from "../reader.ts";
import { listed, warnIf, type Warning } from "../warning.ts";
import { acquisitionOf, axisLengths, momentOfStamp, type SharedFacts } from "./acquisition.ts";
import { type Block, listBlocks, OBJECT_FILE, objectBlock, storedText, textAt } from "./container.ts";
import { type ImageElement, imageElements, parseHeader, stampOf } from "./document.ts";
import { imageLayout } from "./image_layout.ts";

interface FoundImage extends ImageElement {
  readonly samples: Block;
}

interface LeicaFile {
  readonly file: RandomAccessFile;
  readonly images: readonly FoundImage[];
  readonly shared: SharedFacts;
  readonly stop: StopFlag;
}

/** Approximate memory per image and per block. */
const [IMAGE_BYTES, BLOCK_BYTES] = [4000, 150];

/** Opens a LIF or LOF file. @throws {DecodeFailed} it is damaged or not supported */
export function scenes({ path, files }: Source): Promise<Scenes> {
  return Promise.try(() => {
    const file = files.open(path);
    const first = textAt(file, 0, "the first text");
    const object = first.characters === OBJECT_FILE.length &&
      storedText(file, first, "the first text") === OBJECT_FILE;
    const block = object ? objectBlock(file) : null;
    const header = block ? textAt(file, block.offset + block.size, "the XML") : first;
    const { root, warnings } = parseHeader(storedText(file, header, "the XML"));
    const narrow = root.attributes["Version"] === "1";
    const { stop } = files;
    const list = block
      ? { blocks: new Map<string, Block>(), warnings: [] }
      : listBlocks(file, header.end, { narrow, stop });
    const elements = imageElements(root).slice(0, block ? 1 : undefined);
    const { images, leftOut } = withSamples(elements, (name) => block ?? list.blocks.get(name));
    const stamp = child(child(child(child(root, "Element"), "Data"), "Experiment"), "TimeStamp");
    const shared = {
      ...stamp ? momentOfStamp(stampOf(stamp)) : UNDATED,
      fileSize: file.size,
      indexBytes: IMAGE_BYTES * elements.length + BLOCK_BYTES * list.blocks.size,
      documents: (documents: DocumentList) =>
        documents.add("header", "application/xml", storedText(file, header, "the XML")),
    };
    return scenesOf({ file, images, shared, stop }, [...warnings, ...list.warnings, ...leftOut]);
  });
}

/** The images whose block holds samples. @throws {DecodeFailed} no block holds samples */
function withSamples(
  elements: readonly ImageElement[],
  find: (name: string) => Block | undefined,
): { readonly images: FoundImage[]; readonly leftOut: readonly Warning[] } {
  if (elements.length === 0) throw new DecodeFailed("it holds no images");
  const images: FoundImage[] = [];
  const missing: ImageElement[] = [];
  for (const element of elements) {
    const samples = find(element.block);
    if (samples === undefined || samples.stored === 0) missing.push(element);
    else images.push({ ...element, samples });
  }
  const counts = `${missing.length} of ${elements.length} images`;
  const text = `${counts} were never saved or are not in the file: ${namesOf(missing)}`;
  if (images.length === 0) throw new DecodeFailed(text);
  return { images, leftOut: warnIf(missing.length > 0, "scenes_left_out", text) };
}

const namesOf = (images: readonly ImageElement[]) => listed(images.map(({ name }) => quoted(name)));

/** The scenes of a file. By default the first readable image that is not derived is opened. */
function scenesOf(opened: LeicaFile, warnings: readonly Warning[]): Scenes {
  const { images, file, shared, stop } = opened;
  const readable = (image: FoundImage) => Object.keys(entryOf(image).sizes).length > 0;
  const plain = images.findIndex((image) => !image.derived && readable(image));
  const own = Math.max(0, plain >= 0 ? plain : images.findIndex(readable));
  const skipped = images.slice(0, own).filter((image) => !readable(image));
  const text = `Images before the opened one cannot be read: ${namesOf(skipped)}`;
  return {
    count: images.length,
    own,
    warnings: [...warnings, ...warnIf(skipped.length > 0, "scenes_left_out", text)],
    entries: (most) => images.slice(0, most).map(entryOf),
    open: (scene) =>
      Promise.try(() => {
        const { description, samples } = images[scene]!;
        const layout = imageLayout(description);
        return acquisitionOf({ file, block: samples, layout, stop }, description, shared);
      }),
  };
}

/** Name and sizes of an image; sizes are empty if the image is not supported. */
function entryOf({ name, description }: FoundImage): SceneEntry {
  const sizes = unlessDamaged(() => sizesOf(axesOf(axisLengths(imageLayout(description)), {})), {});
  return { name: name || null, sizes };
}
