/**
 * ND2 from before 2010: boxes of JPEG 2000, big-endian (u32 length with itself, four letters, content), and at the end
 *
 *     map       u32 count, then for each box four letters of its type, four of its purpose, u64 offset (little-endian)
 *     +0 .. 40  "LABORATORY IMAGING ND BOX MAP 00", u64 distance of the map from the end of the file
 *
 *     LUNK  a codestream: one channel of one frame      VIMD  XML, channels and pixel size of a frame
 *     AIM1  (older: AIMD) XML, loops                    TINF  XML, texts for people
 */
import { DecodeFailed } from "../errors.ts";
import type { DocumentList } from "../io/document_list.ts";
import { MAX_CHANNELS } from "../io/limits.ts";
import type { RandomAccessFile } from "../io/random_access.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { axesOf, calibrated, known } from "../metadata/axes.ts";
import { channelsOf, COLOURS, sampleName } from "../metadata/channels.ts";
import { type Acquisition, type Channel, type Scenes, sizesOf } from "../reader.ts";
import { type Warning, warning } from "../warning.ts";
import { variantBudget } from "./clx_lite.ts";
import { metadataText } from "./clx_xml.ts";
import { FrameNumbers } from "./experiment.ts";
import { type BoxMap, DOCUMENTS, readBoxMap } from "./legacy_boxes.ts";
import {
  documentBytes,
  documentOf,
  holderOf,
  legacyLoops,
  numberOf,
  textStarting,
} from "./legacy_documents.ts";
import { positionScenes } from "./positions.ts";
import { codestreamSize, type CodestreamStore, planStreams } from "./legacy_planes.ts";
import { colorOf } from "./picture.ts";
import { EMPTY, itemsOf, objectIn, objectOf, type VariantObject } from "./variant.ts";
import { julianMilliseconds, wallClock } from "./wall_clock.ts";

/** Reads the metadata of a file of boxes. @throws {DecodeFailed | Stopped} */
export function legacyScenes(file: RandomAccessFile, stop: StopFlag): Scenes {
  const { boxes, mapped } = readBoxMap(file, stop);
  const places = boxes.get("LUNK") ?? [];
  const first = places[0];
  if (first === undefined) throw new DecodeFailed("it holds no frames");
  const size = codestreamSize(file, first);
  const warnings = mapped
    ? []
    : [warning("file_damaged", "The box map is unusable; the boxes were found by searching the file")];
  const { xml } = variantBudget();
  const read = (purpose: string): VariantObject => {
    try {
      return documentOf(file, boxes, purpose, xml);
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
      warnings.push(warning("metadata_damaged", `Metadata are left out: ${error.message}`));
      return EMPTY;
    }
  };
  const picture = holderOf(read("VIMD"), ["PicturePlanes", "Calibration"]);
  const description = textStarting(read("TINF"), "Metadata:");
  const experiment = read(boxes.has("AIM1") ? "AIM1" : "AIMD");
  const planes = planesOf(picture);
  const perFrame = numberOf(objectIn(picture, "PicturePlanes"), "Count") ?? Math.max(planes.length, 1);
  if (!Number.isSafeInteger(perFrame) || perFrame < 1 || perFrame > Math.min(places.length, MAX_CHANNELS)) {
    throw new DecodeFailed(
      `frames have ${perFrame} channels, but the file holds ${places.length} codestreams`,
    );
  }
  const numbers = new FrameNumbers(legacyLoops(experiment, description));
  const frames = Math.floor(places.length / perFrame);
  warnings.push(...numbers.mismatch(frames));
  const store = { file, places, perFrame, size, stop };
  const opened = { file, boxes, picture, planes, numbers, store, warnings };
  return positionScenes(numbers, Array(frames).keys(), {
    sizes: sizesOf(acquisitionOf(opened, 0).axes),
    open: (position) => acquisitionOf(opened, position),
  });
}

interface LegacyFile {
  readonly file: RandomAccessFile;
  readonly boxes: BoxMap;
  readonly picture: VariantObject;
  readonly planes: readonly VariantObject[];
  readonly numbers: FrameNumbers;
  readonly store: CodestreamStore;
  readonly warnings: readonly Warning[];
}

const planesOf = (picture: VariantObject) =>
  itemsOf(objectIn(picture, "PicturePlanes").get("Plane")).map(objectOf).filter(({ size }) => size > 0);

function acquisitionOf(opened: LegacyFile, scene: number): Acquisition {
  const { file, boxes, picture, numbers, store, warnings } = opened;
  const pixel = known(calibrated(numberOf(picture, "Calibration"), "um"));
  const time = numbers.loop("T");
  const period = known(calibrated(time?.measured ?? time?.nominal, "ms"));
  const depth = known(calibrated(numbers.loop("Z")?.nominal, "um"));
  const channels = channelList(opened);
  return {
    axes: axesOf(
      {
        T: numbers.size("T"),
        C: channels.length,
        Z: numbers.size("Z"),
        Y: store.size.rows,
        X: store.size.columns,
      },
      { ...(pixel && { Y: pixel, X: pixel }), ...(period && { T: period }), ...(depth && { Z: depth }) },
    ),
    channels,
    ...wallClock(null, julianMilliseconds(numberOf(picture, "TimeAbsolute"))),
    fileSize: file.size,
    reference: null,
    warnings,
    times: null,
    indexBytes: 16 * store.places.length,
    documents: (list) => addDocuments(list, file, boxes),
    plan: (wanted, position, rows) =>
      Promise.try(() => {
        const selected = wanted.map((index) => channels[index]!);
        return planStreams(store, numbers.at(position, scene), selected, rows);
      }),
  };
}

/** Codestreams of a frame, and the components of each where they are colours. */
function channelList({ planes, store }: LegacyFile): readonly Channel[] {
  const { perFrame, size } = store;
  const described = Array.from({ length: perFrame }, (_, i) => {
    const plane = planes[i] ?? EMPTY;
    const name = plane.get("OpticalConfigName") ?? plane.get("Description");
    return { name: typeof name === "string" ? name : null, color: colorOf(numberOf(plane, "Color")) };
  });
  const all = size.components === 1
    ? described
    : described.flatMap(({ name }) =>
      COLOURS.map((colour) => ({ name: sampleName(perFrame > 1 ? name : null, colour) }))
    );
  return channelsOf(all, {
    sampleType: size.bits > 8 ? "uint16" : "uint8",
    rows: size.rows,
    columns: size.columns,
  });
}

function addDocuments(list: DocumentList, file: RandomAccessFile, boxes: BoxMap): void {
  for (const purpose of DOCUMENTS) {
    const at = boxes.get(purpose)?.[0];
    if (at !== undefined) {
      list.add(purpose, "application/xml", metadataText(documentBytes(file, at, purpose)));
    }
  }
}
