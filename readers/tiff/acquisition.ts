/** Makes an acquisition of a dialect's stack: axes, channels, and plans, which check strips and tiles and decode them. */
import { DecodeFailed } from "../errors.ts";
import type { MetadataDocument } from "../io/document_list.ts";
import { MAX_CHANNELS, MAX_READ_STEP } from "../io/limits.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { buildAxes } from "../metadata/axes.ts";
import { buildChannels, COLOURS, nameChannelsApart, sampleName } from "../metadata/channels.ts";
import { largerMemory, NO_WORKING_MEMORY, servedLines } from "../reader.ts";
import type { Acquisition, PlanePlan, Position, RowRange } from "../reader.ts";
import { borrowScratch } from "../samples/to_float32.ts";
import { rearrangeArray } from "./array_axes.ts";
import type { Directory } from "./directory.ts";
import { isOmeXml, isShape } from "./marks.ts";
import { JPEG_COMPRESSION, type PageLayout, PHOTOMETRIC, UNCOMPRESSED } from "./page.ts";
import { placeRows, reverseBits, withoutPredictor } from "./samples.ts";
import { SegmentTable, type WantedSample } from "./segment_table.ts";
import type { PlaneSource, Stack } from "./stack.ts";
import { TAG, tagName } from "./tags.ts";
import { addFileName } from "./tiff_file.ts";

/** The acquisition of a stack of the file with this first directory. @throws {DecodeFailed} too many channels */
export function describeStack(stack: Stack, first: Directory, stop: StopFlag): Acquisition {
  const { arrangement, ...pages } = stack;
  if (arrangement) {
    return rearrangeArray(describeStack({ ...pages, names: [] }, first, stop), arrangement, stack, stop);
  }
  const { layout, sizes } = stack;
  const { samples, width, height } = layout;
  const count = sizes.C * samples;
  if (count > MAX_CHANNELS) {
    throw new DecodeFailed(`the file has ${count} channels, more than ${MAX_CHANNELS}`);
  }
  const served = nameChannelsApart(Array.from({ length: sizes.C }, (_, c) => stack.names[c]));
  const names = sampleNames(layout, served, stack.names);
  // If a channel has several samples, they do not share its colour.
  const colors = samples === 1 || stack.colors?.length === count ? stack.colors ?? [] : [];
  const channels = buildChannels(
    names.map((name, index) => ({ name, color: colors[index] ?? null })),
    { sampleType: layout.sampleType, rows: height, columns: width },
  );
  return {
    axes: buildAxes(
      { T: sizes.T, L: sizes.L ?? 1, C: count, Z: sizes.Z, Y: height, X: width },
      stack.calibrations,
    ),
    channels,
    ...stack.moment,
    fileSize: stack.fileSize,
    reference: null,
    lineScan: stack.lineScan ?? null,
    warnings: stack.warnings,
    stamps: stack.stamps ?? null,
    // 64 KiB for axes, names and warnings.
    indexBytes: (64 << 10) + 512 * count + (stack.indexBytes ?? 0),
    documents: (list) => {
      for (const text of first.texts(TAG.ImageDescription, list.left)) {
        list.add(tagName(TAG.ImageDescription), chooseMediaType(text), text);
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
    plan: (wanted, position, rows) => planStackPlanes(stack, wanted, position, rows, stop),
  };
}

/** OME-XML or the XML of MetaMorph; a JSON object of tifffile; or plain lines of another program. */
function chooseMediaType(text: string): MetadataDocument["mediaType"] {
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

/** Plans planes by channel index. @throws {PlaneNotFound | DecodeFailed} a plane is not stored; its strips do not fit the file */
async function planStackPlanes(
  stack: Stack,
  wanted: readonly number[],
  position: Position,
  rows: RowRange | undefined,
  stop: StopFlag,
): Promise<PlanePlan> {
  const { layout: { samples, width, height, planar, segmentHeight }, plannedLines } = stack;
  const all = wanted.map((index, target): WantedSample => ({ sample: index % samples, target }));
  const byChannel = Map.groupBy(all, ({ target }) => Math.floor(wanted[target]! / samples));
  const sources = [...byChannel].map(([channel, list]) => ({
    source: stack.plane({ ...position, channel }),
    list,
  }));
  const lines = plannedLines === undefined
    ? null
    : servedLines(sources.map(({ source }) => source.page.height), plannedLines, rows);
  const filled = lines?.filled ?? rows;
  const plans: Awaited<ReturnType<typeof planSource>>[] = [];
  for (const { source, list } of sources) {
    const fail = (error: unknown) => {
      throw source.name === undefined ? error : addFileName(source.name, error);
    };
    const plan = await planSource(source, list, stop, filled).catch(fail);
    plans.push({ ...plan, decode: (planes) => plan.decode(planes).catch(fail) });
  }
  return {
    rows: lines?.rows ?? height,
    columns: width,
    ...filled && { filled },
    warnings: lines?.warnings ?? [],
    working: plans.map(({ working }) => working).reduce(largerMemory),
    overwrites: plans.every(({ compressed }) => !compressed),
    division: plans.some(({ compressed }) => compressed) && (lines?.rows ?? height) === height
      ? { channels: planar ? 1 : samples, rows: segmentHeight }
      : undefined,
    decode: async (planes) => {
      for (const plan of plans) await plan.decode(planes);
    },
  };
}

/** Checks every strip or tile with wanted samples and rows. @throws {DecodeFailed} as `planStackPlanes` */
async function planSource(
  source: PlaneSource,
  wanted: readonly WantedSample[],
  stop: StopFlag,
  rows?: RowRange,
): Promise<Required<Pick<PlanePlan, "working" | "decode">> & { readonly compressed: boolean }> {
  const { compression } = source.page;
  if (compression === UNCOMPRESSED) {
    const table = new SegmentTable(source, wanted, null, rows);
    return {
      compressed: false,
      working: NO_WORKING_MEMORY,
      decode: (planes) => Promise.try(() => readRaw(table, planes, stop)),
    };
  }
  const { requireCodec, planCompressed } = await import("./compressed_segments.ts");
  const codec = source.strips?.codec ?? await requireCodec(source.page);
  const table = new SegmentTable(source, wanted, codec, rows);
  return { compressed: true, ...planCompressed(table, codec, stop) };
}

/** Reads uncompressed strips and tiles a few rows at a time through one buffer, so that no plane is held twice. */
function readRaw(table: SegmentTable, planes: readonly Float32Array[], stop: StopFlag): void {
  const { tiff, page } = table;
  const { littleEndian } = tiff.encoding;
  for (const { index, rows } of joinAdjacentStrips(table)) {
    const row = table.rowBytes(index);
    const bits = table.bits(index);
    const { start, end } = table.wantedRows(index, rows);
    const atOnce = Math.max(1, Math.min(end - start, Math.floor(MAX_READ_STEP / row)));
    for (let first = start; first < end; first += atOnce) {
      stop.check();
      const count = Math.min(atOnce, end - first);
      const bytes = borrowScratch(count * row);
      tiff.file.readInto(table.offsets[index]! + first * row, bytes, table.name(index));
      if (page.reversedBits) reverseBits(bytes);
      placeRows(table, withoutPredictor(page, { index, first, count, bytes, bits, littleEndian }), planes);
    }
  }
}

/** Joins strips that are adjacent in the file and in the plane: line scans have thousands of small strips. */
function* joinAdjacentStrips(
  table: SegmentTable,
): Generator<{ readonly index: number; readonly rows: number }> {
  const { tiled, down } = table.page;
  let run: { index: number; rows: number; last: number } | null = null;
  for (const index of table.holding()) {
    const rows = table.rows(index);
    const end = run && table.offsets[run.index]! + run.rows * table.rowBytes(run.index);
    const follows = !tiled && index % down !== 0 && table.offsets[index]! === end;
    if (run && index === run.last + 1 && follows) {
      run = { index: run.index, rows: run.rows + rows, last: index };
    } else {
      if (run) yield run;
      run = { index, rows, last: index };
    }
  }
  if (run) yield run;
}
