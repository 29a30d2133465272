/** Makes an acquisition of a dialect's stack: axes, channels, plans. */
import { axesOf } from "../metadata/axes.ts";
import { channelNames, channelsOf, COLOURS, sampleName } from "../metadata/channels.ts";
import { DecodeFailed } from "../errors.ts";
import type { MetadataDocument } from "../io/document_list.ts";
import { MAX_CHANNELS } from "../io/limits.ts";
import type { Acquisition, Position } from "../reader.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import type { Directory } from "./directory.ts";
import { planPlanes } from "./plane_plan.ts";
import { JPEG_COMPRESSION, type PageLayout, PHOTOMETRIC } from "./page.ts";
import type { Stack } from "./stack.ts";
import { TAG, tagName } from "./tags.ts";
import { isOmeXml, isShape } from "./marks.ts";

/** The acquisition of a stack of the file with this first directory. @throws {DecodeFailed} too many channels */
export function acquisitionOf(stack: Stack, first: Directory, stop: StopFlag): Acquisition {
  const { layout, sizes } = stack;
  const { samples, width, height } = layout;
  const count = sizes.C * samples;
  if (count > MAX_CHANNELS) {
    throw new DecodeFailed(`the file has ${count} channels, more than ${MAX_CHANNELS}`);
  }
  const served = channelNames(Array.from({ length: sizes.C }, (_, c) => stack.names[c]));
  const names = sampleNames(layout, served, stack.names);
  // If a channel has several samples, they do not share its colour.
  const colors = samples === 1 || stack.colors?.length === count ? stack.colors ?? [] : [];
  const channels = channelsOf(
    names.map((name, index) => ({ name, color: colors[index] ?? null })),
    { sampleType: layout.sampleType, rows: height, columns: width },
  );
  return {
    axes: axesOf(
      { T: sizes.T, L: sizes.L ?? 1, C: count, Z: sizes.Z, Y: height, X: width },
      stack.calibrations,
    ),
    channels,
    ...stack.moment,
    fileSize: stack.fileSize,
    reference: null,
    lineScan: stack.lineScan ?? null,
    warnings: stack.warnings,
    times: stack.times?.length === sizes.T ? stack.times : null,
    // 64 KiB for axes, names and warnings.
    indexBytes: (64 << 10) + 512 * count + (stack.indexBytes ?? 0),
    documents: (list) => {
      for (const text of first.texts(TAG.ImageDescription, list.left)) {
        list.add(tagName(TAG.ImageDescription), mediaTypeOf(text), text);
      }
      stack.documents?.(list);
    },
    ...stack.files && { files: stack.files },
    ...stack.holds && {
      holds: (index: number, position: Position) => {
        // A search in a sparse set may ask about millions of planes.
        stop.check();
        return stack.holds!({ ...position, channel: Math.floor(index / samples) });
      },
    },
    plan: (wanted, position, rows) => planPlanes(stack, wanted, position, rows, stop),
  };
}

/** OME-XML or the XML of MetaMorph; a JSON object of tifffile; or plain lines of another program. */
function mediaTypeOf(text: string): MetadataDocument["mediaType"] {
  if (isOmeXml(text) || text.trimStart().startsWith("<MetaData>")) return "application/xml";
  return isShape(text) ? "application/json" : "text/plain";
}

const BY_PHOTOMETRIC: Readonly<Record<number, readonly string[]>> = {
  [PHOTOMETRIC.whiteIsZero]: ["Gray"],
  [PHOTOMETRIC.blackIsZero]: ["Gray"],
  [PHOTOMETRIC.rgb]: COLOURS,
  [PHOTOMETRIC.separated]: ["Cyan", "Magenta", "Yellow", "Black"],
};

/**
 * Names of all channels including samples, in the order channel × samples + sample; `null` for a channel without a name. A sample
 * is named by its colour, and by its served channel if there are several. The file gives names per channel or per sample.
 */
function sampleNames(
  page: PageLayout,
  channels: readonly string[],
  given: readonly (string | null)[],
): (string | null)[] {
  if (page.samples === 1) return channels.map((_, index) => given[index] ?? null);
  if (given.length === channels.length * page.samples) return [...given];
  const photometric = page.compression === JPEG_COMPRESSION && page.photometric === PHOTOMETRIC.ycbcr
    ? PHOTOMETRIC.rgb
    : page.photometric;
  const kinds = BY_PHOTOMETRIC[photometric] ?? [];
  const names = Array.from({ length: page.samples }, (_, sample) => {
    const kind = kinds[sample];
    if (kind !== undefined) return kind;
    const extra = page.extraSamples[sample - (page.samples - page.extraSamples.length)];
    return extra === 1 || extra === 2 ? "Alpha" : null;
  });
  if (channels.length === 1) return names;
  return channels.flatMap((channel) => names.map((name) => name && sampleName(channel, name)));
}
