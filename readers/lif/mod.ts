/**
 * Leica LIF and LOF, as LAS AF and LAS X write them. Little-endian, texts in UTF-16:
 *
 *     LIF   70 00 00 00   u32 bytes that follow   2A   u32 characters   XML
 *           then blocks: 70 00 00 00   u32   2A   u64 size (u32 in version 1)   2A   u32 characters   name   samples
 *     LOF   70 00 00 00   u32   2A   u32   LMS_Object_File   2A   u32   2A   u32   2A   u64 size   samples
 *           then 70 00 00 00   u32   2A   u32 characters   XML
 *
 * The XML is a tree of `Element`, each with `Data`, a `Memory` that names its block, and `Children`. Those with `Data/Image` are
 * the scenes. Samples are raw: `BytesInc` of each dimension and channel says where one is.
 *
 * Refused: packed samples (`BitInc`), channels of different types, samples that overlap. What other files of a LAS X
 * project are (XLEF, XLIF, LIFEXT) is told by `format.ts`.
 */
import { DecodeFailed, quoted } from "../errors.ts";
import { type Moment, UNDATED } from "../metadata/moment.ts";
import type { RandomAccessFile } from "../io/random_access.ts";
import type { Acquisition, SceneEntry, Scenes, Source } from "../reader.ts";
import { sizesOf } from "../reader.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { listed, type Warning, warning } from "../warning.ts";
import { child, type XmlElement } from "../metadata/xml.ts";
import { acquisitionOf, type SharedFacts } from "./acquisition.ts";
import { plainAxes } from "./axis_steps.ts";
import { type Block, listBlocks, objectBlock, type StoredText, storedText, textAt } from "./container.ts";
import { OBJECT_FILE } from "./first_text.ts";
import { parseHeader, parseObjectHeader } from "./header.ts";
import { stampOf } from "./image_description.ts";
import { type ImageElement, imageElements } from "./image_element.ts";
import { imageLayout } from "./image_layout.ts";
import { momentOfStamp } from "./time_stamps.ts";

/** An image with its samples. */
interface FoundImage extends ImageElement {
  readonly samples: Block;
}

/** What is known of a file before one of its images is opened. */
interface LeicaFile {
  readonly file: RandomAccessFile;
  readonly images: readonly FoundImage[];
  readonly shared: SharedFacts;
  readonly stop: StopFlag;
}

/** Memory for each image and for each block, about. */
const IMAGE_BYTES = 4000;
const BLOCK_BYTES = 150;

/** Opens a LIF or LOF file. @throws {DecodeFailed} it is damaged or refused */
export function scenes({ path, files }: Source): Promise<Scenes> {
  return Promise.try(() => {
    const file = files.open(path);
    const first = textAt(file, 0, "the first text");
    const object = first.characters === OBJECT_FILE.length &&
      storedText(file, first, "the first text") === OBJECT_FILE;
    return object ? objectScenes(file, files.stop) : imageScenes(file, first, files.stop);
  });
}

function imageScenes(file: RandomAccessFile, header: StoredText, stop: StopFlag): Scenes {
  const { root, warnings: doubts } = parseHeader(storedText(file, header, "the XML"));
  const narrow = root.attributes["Version"] === "1";
  const { blocks, warnings } = listBlocks(file, header.end, { narrow, stop });
  const elements = imageElements(root);
  const { images, missing } = withSamples(elements, (name) => blocks.get(name));
  const indexBytes = IMAGE_BYTES * elements.length + BLOCK_BYTES * blocks.size;
  const shared = { ...sharedFacts(file, header, root), indexBytes };
  return scenesOf({ file, images, shared, stop }, [
    ...doubts,
    ...warnings,
    ...leftOut(missing, elements.length),
  ]);
}

function objectScenes(file: RandomAccessFile, stop: StopFlag): Scenes {
  const block = objectBlock(file);
  const header = textAt(file, block.offset + block.size, "the XML");
  const { root, warnings } = parseObjectHeader(storedText(file, header, "the XML"));
  const elements = imageElements(root).slice(0, 1);
  const { images, missing } = withSamples(elements, () => block);
  const shared = { ...sharedFacts(file, header, root), indexBytes: IMAGE_BYTES };
  return scenesOf({ file, images, shared, stop }, [...warnings, ...leftOut(missing, elements.length)]);
}

function withSamples(
  elements: readonly ImageElement[],
  find: (name: string) => Block | undefined,
): { readonly images: FoundImage[]; readonly missing: readonly ImageElement[] } {
  const images: FoundImage[] = [];
  const missing: ImageElement[] = [];
  for (const element of elements) {
    const samples = find(element.block);
    if (samples === undefined || samples.stored === 0) missing.push(element);
    else images.push({ ...element, samples });
  }
  return { images, missing };
}

const namesOf = (images: readonly ImageElement[]) => listed(images.map(({ name }) => quoted(name)));

function leftOut(missing: readonly ImageElement[], count: number): Warning[] {
  if (count === 0) throw new DecodeFailed("it holds no images");
  const text = `${missing.length} of ${count} images were never saved or are not in the file: ${
    namesOf(missing)
  }`;
  if (missing.length === count) throw new DecodeFailed(text);
  return missing.length > 0 ? [warning("scenes_left_out", text)] : [];
}

function sharedFacts(
  file: RandomAccessFile,
  header: StoredText,
  root: XmlElement,
): Omit<SharedFacts, "indexBytes"> {
  return {
    fileSize: file.size,
    moment: experimentMoment(root),
    documents: (list) => list.add("header", "application/xml", storedText(file, header, "the XML")),
  };
}

function experimentMoment(root: XmlElement): Moment {
  const stamp = child(child(child(child(root, "Element"), "Data"), "Experiment"), "TimeStamp");
  return stamp ? momentOfStamp(stampOf(stamp)) : UNDATED;
}

/** The first image that is nothing derived and can be read is the one to open. */
function scenesOf(opened: LeicaFile, warnings: readonly Warning[]): Scenes {
  const { images } = opened;
  const readable = (image: FoundImage) => Object.keys(entryOf(image).sizes).length > 0;
  const plain = images.findIndex((image) => !image.derived && readable(image));
  const own = Math.max(0, plain >= 0 ? plain : images.findIndex(readable));
  const skipped = images.slice(0, own).filter((image) => !readable(image));
  return {
    count: images.length,
    own,
    warnings: [
      ...warnings,
      ...(skipped.length > 0
        ? [warning("scenes_left_out", `Images before the opened one cannot be read: ${namesOf(skipped)}`)]
        : []),
    ],
    entries: (most) => images.slice(0, most).map(entryOf),
    open: (scene) => Promise.try(() => openImage(opened, images[scene]!)),
  };
}

/** Name and sizes; no sizes where the image is refused. */
function entryOf({ name, description }: FoundImage): SceneEntry {
  try {
    return { name: name || null, sizes: sizesOf(plainAxes(imageLayout(description))) };
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
    return { name: name || null, sizes: {} };
  }
}

function openImage({ file, shared, stop }: LeicaFile, image: FoundImage): Acquisition {
  const layout = imageLayout(image.description);
  return acquisitionOf({ file, block: image.samples, layout, stop }, image.description, shared);
}
