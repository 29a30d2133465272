/**
 * TIFF and BigTIFF in the dialects of microscopes.
 *
 *   header      8 or 16 bytes: byte order, 42 or 43, offset of the first directory
 *   directory   entries of tag, type, count and value or its offset; then the offset of the next directory
 *   page        one directory: width, height, samples, bits; offsets and lengths of its strips or tiles
 *   strip/tile  samples of some rows or of a rectangle, chunky or one sample apart, compressed one by one
 *   dialect     how pages become time, channel and focus: OME-XML, ImageJ, Micro-Manager, MetaMorph, ScanImage,
 *               FluoView, a text file of Olympus beside it, or plain pages
 *
 * Refused, by the tag's name and value: complex samples, old-style JPEG, JBIG and other codecs that `compression.ts`
 * does not list, raw YCbCr with fewer chroma samples than pixels, image depth, predictors on packed samples; and
 * whatever does not lie in the file.
 */
import { axesOf } from "../axes.ts";
import { channelNames } from "../channel_names.ts";
import { DecodeFailed } from "../errors.ts";
import { MAX_CHANNELS, MAX_XML_BYTES } from "../limits.ts";
import {
  type Acquisition,
  type Channel,
  largerMemory,
  oneScene,
  type PlanePlan,
  type Position,
  type Scenes,
  type Source,
} from "../reader.ts";
import { openFluoView } from "./dialects/fluoview.ts";
import { openImageJ } from "./dialects/imagej.ts";
import { openMetaMorph } from "./dialects/metamorph.ts";
import { openMicroManager, withPlaneMetadata } from "./dialects/micromanager.ts";
import { openOlympusText } from "./dialects/olympus_text.ts";
import { openOme } from "./dialects/ome.ts";
import { openPlain } from "./dialects/plain.ts";
import { planSource, type SourcePlan, type WantedSample } from "./plane_plan.ts";
import { sampleNames } from "./sample_names.ts";
import { openScanImage } from "./dialects/scanimage.ts";
import { noted, type Opened } from "./opened.ts";
import type { Stack } from "./stack.ts";
import { TAG, tagName } from "./tags.ts";
import { TiffFile } from "./tiff_file.ts";

/** Opens a TIFF acquisition, with the other files of its set. */
export function scenes(source: Source): Promise<Scenes> {
  return Promise.try(() => oneScene(acquisitionOf(source, openStack(source))));
}

function openStack({ path, files }: Source): Stack {
  const tiff = new TiffFile(files.open(path), files);
  const { first } = tiff;
  const opened: Opened = { path, files, tiff, first, descriptions: [], warnings: [] };
  opened.descriptions = noted(
    opened,
    tagName(TAG.ImageDescription),
    () => first.wholeTexts(TAG.ImageDescription, MAX_XML_BYTES),
  ) ??
    [];
  const stack = openMicroManager(opened) ?? openOme(opened) ?? openImageJ(opened) ?? openScanImage(opened) ??
    openMetaMorph(opened) ?? openOlympusText(opened, (one) => openFluoView(one) ?? openPlain(one)) ??
    openFluoView(opened) ?? withPlaneMetadata(openPlain(opened), first);
  return { ...stack, warnings: [...opened.warnings, ...stack.warnings] };
}

function acquisitionOf({ files }: Source, stack: Stack): Acquisition {
  const { layout, sizes } = stack;
  const { samples, width, height } = layout;
  const count = sizes.C * samples;
  if (count > MAX_CHANNELS) {
    throw new DecodeFailed(`the file has ${count} channels, more than ${MAX_CHANNELS}`);
  }
  const names = sampleNames(
    layout,
    channelNames(Array.from({ length: sizes.C }, (_, c) => stack.names[c])),
    stack.names,
  );
  const channels: Channel[] = channelNames(names).map((name, index) => ({
    index,
    name,
    sampleType: layout.sampleType,
    rows: height,
    columns: width,
    color: null,
  }));
  return {
    axes: axesOf(
      { T: sizes.T, L: sizes.L ?? 1, C: count, Z: sizes.Z, Y: height, X: width },
      stack.calibrations,
    ),
    channels,
    ...stack.moment,
    fileSize: stack.fileSize,
    reference: null,
    warnings: stack.warnings,
    times: null,
    documents: () => [],
    plan: (wanted, position) => planPlanes(stack, wanted, position, files.stop),
  };
}

async function planPlanes(
  stack: Stack,
  wanted: readonly number[],
  position: Position,
  stop: Source["files"]["stop"],
): Promise<PlanePlan> {
  const { samples, width, height } = stack.layout;
  const byChannel = new Map<number, WantedSample[]>();
  wanted.forEach((index, target) => {
    const channel = Math.floor(index / samples);
    const list = byChannel.get(channel) ?? [];
    list.push({ sample: index % samples, target });
    byChannel.set(channel, list);
  });
  const plans: SourcePlan[] = [];
  const warnings = new Set<string>();
  for (const [channel, list] of byChannel) {
    const source = stack.plane({ ...position, channel });
    const plan = await planSource(source, list, stop);
    plans.push(plan);
    for (const warning of [...source.warnings ?? [], ...plan.warnings]) warnings.add(warning);
  }
  return {
    rows: height,
    columns: width,
    warnings: [...warnings],
    working: plans.map(({ working }) => working).reduce(largerMemory),
    divisible: plans.some(({ compressed }) => compressed) && (plans.length > 1 || stack.layout.planar),
    decode: async (planes) => {
      for (const plan of plans) await plan.decode(planes);
    },
  };
}
