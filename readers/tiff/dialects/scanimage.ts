/**
 * ScanImage. Version 3.8 writes lines `state.acq.numberOfChannelsSave=2` into ImageDescription; from version 4
 * on the keys are `scanimage.SI4.channelsSave`, `SI.hChannels.channelSave` and so on, in ImageDescription or, from
 * 2016 on, in Software or behind the BigTIFF header. Pages run channel first; then the frames of a slice and the
 * slices, or, when the focus moves fast, the slices of a volume and the volumes.
 */
import { DecodeFailed } from "../../errors.ts";
import { MAX_VENDOR_BYTES } from "../bounds.ts";
import { readPage } from "../page.ts";
import { pagesLikeFirst } from "../page_chain.ts";
import { calibrationsOf } from "../../axes.ts";
import { firstMoment, hourOf, type Moment, moment, UNDATED } from "../../moment.ts";
import { OFFSET_BYTES, StoredPlanes } from "../stored_planes.ts";
import { noted, type Opened, tagMoment } from "../opened.ts";
import { leadingNumber } from "../../numbers.ts";
import { warning } from "../../warning.ts";
import type { DocumentList } from "../document_list.ts";
import type { Stack } from "../stack.ts";
import { lineScanReason } from "./scanimage_lines.ts";
import { TAG, tagName } from "../tags.ts";
import { decodeText } from "../text.ts";
import type { TiffFile } from "../tiff_file.ts";

type Fields = ReadonlyMap<string, string>;

/** Channels that an instrument may have. */
const MAX_CHANNELS = 64;

/** How pages are counted. */
interface Interleaving {
  readonly channels: number;
  readonly slices: number;
  readonly frames: number;
  /** True when slices change before frames. */
  readonly volumes: boolean;
}

/** What a text of ScanImage has, that of a frame too. */
const OWN_KEYS = /^(?:(?:state\.|scanimage\.|SI\.)\w|frameNumbers? =)/m;

/** The stack of a ScanImage file, or `null`. */
export function openScanImage(opened: Opened): Stack | null {
  const { tiff, first, descriptions } = opened;
  const software =
    noted(opened, tagName(TAG.Software), () => first.wholeTexts(TAG.Software, MAX_VENDOR_BYTES)) ??
      [];
  const header = noted(opened, "The header of ScanImage", () => headerText(tiff)) ?? "";
  const texts = [...software.slice(0, 1), ...descriptions, header];
  if (!texts.some((text) => OWN_KEYS.test(text.replace(/[\r\0]/g, "\n")))) return null;
  const fields = fieldsOf(texts);
  const lines = lineScanReason(opened, fields);
  if (lines !== null) {
    throw new DecodeFailed(
      `it belongs to a recording of ScanImage along arbitrary lines (${lines}): its samples are in the .pmt.dat file, ` +
        "which is not read, and its pages are no image",
    );
  }
  const { offsets, warnings } = pagesLikeFirst(tiff);
  const layout = readPage(first);
  const saved = savedChannels(fields);
  const { channels, slices, frames, volumes } = interleaving(fields, saved?.length ?? 1, offsets.length);
  if (saved === null) {
    opened.warnings.push(
      warning(
        "axes_assumed",
        "The metadata of ScanImage do not say which channels were saved; pages are read as those of one",
      ),
    );
  }
  const stored = StoredPlanes.listed(tiff, layout, offsets);
  const planes = channels * slices * frames;
  if (planes > offsets.length) {
    opened.warnings.push(
      warning(
        "planes_missing",
        `The description declares ${planes} planes, but the file holds ${offsets.length}`,
      ),
    );
  }
  const field = (...keys: string[]) =>
    keys.map((key) => leadingNumber(fields.get(key))).find((value) => value !== null);
  const rate = volumes
    ? field("hRoiManager.scanVolumeRate")
    : field("hRoiManager.scanFrameRate", "scanFrameRate", "acq.frameRate");
  const pixel = pixelSize(fields, layout.width, layout.height);
  const step = field(
    "hStackManager.actualStackZStepSize",
    "hStackManager.stackZStepSize",
    "stackZStepSize",
    "acq.zStepSize",
  );
  return {
    sizes: { T: frames, C: channels, Z: slices },
    layout,
    calibrations: calibrationsOf({
      X: [pixel?.x, "um"],
      Y: [pixel?.y, "um"],
      Z: [step === undefined ? null : Math.abs(step), "um"],
      T: [rate ? 1 / rate : null, "s"],
    }),
    names: savedNames(fields, saved ?? []),
    documents: (list) => addDocuments(list, opened),
    moment: firstMoment(momentIn(fields), tagMoment(first)),
    fileSize: tiff.file.size,
    warnings,
    indexBytes: offsets.length * OFFSET_BYTES,
    plane: ({ t, z, channel }) => {
      const number = (volumes ? t * slices + z : z * frames + t) * channels + channel;
      return stored.plane(number);
    },
  };
}

/** Magic number of the header that ScanImage 2016 and later put behind the BigTIFF header. */
const HEADER_MAGIC = 117_637_889;

/** The text that does not vary from frame to frame: at byte 16 magic, version, its length, length of the regions. */
function headerText(tiff: TiffFile): string {
  if (!tiff.encoding.bigTiff || tiff.file.size < 32) return "";
  const little = tiff.encoding.littleEndian;
  const head = tiff.window.view(16, 16, "the ScanImage header");
  const length = head.getUint32(8, little);
  if (head.getUint32(0, little) !== HEADER_MAGIC || length > MAX_VENDOR_BYTES) return "";
  const bytes = tiff.file.read(32, length, "the ScanImage header");
  const end = bytes.indexOf(0);
  // Where the length is damaged, the NUL still ends the text.
  tiff.structures.claim(16, 32 + (end < 0 ? length : end), "the ScanImage header");
  return decodeText(bytes);
}

/** The header, and Software where that is no name of a program but the header of later versions. */
function addDocuments(list: DocumentList, { tiff, first }: Opened): void {
  const isHeader = (text: string) => OWN_KEYS.test(text.replace(/[\r\0]/g, "\n"));
  for (const text of first.texts(TAG.Software, list.left).filter(isHeader)) {
    list.add(tagName(TAG.Software), "text/plain", text);
  }
  list.add("ScanImage header", "text/plain", headerText(tiff));
}

/** Keys without their prefix: `acq.zStepSize`, `hChannels.channelSave`, `channelsSave`. The first value counts. */
function fieldsOf(texts: readonly string[]): Fields {
  const fields = new Map<string, string>();
  for (const text of texts) {
    for (const line of text.split(/[\r\n\0]+/)) {
      const at = line.indexOf("=");
      if (at < 1) continue;
      const key = line.slice(0, at).trim().replace(/^state\./, "").replace(/^(?:scanimage\.)?SI\d?\./, "");
      if (!fields.has(key)) fields.set(key, line.slice(at + 1).trim());
    }
  }
  return fields;
}

/** Numbers of a scalar, a row or a column of Matlab: `2`, `[1 2]`, `[1;2]`. */
function numbersIn(text: string | undefined): number[] {
  return [...(text ?? "").matchAll(/[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?/g)].map(([number]) => Number(number));
}

/** Characters of a list of channels, eight for each. */
const MAX_LIST = 8 * MAX_CHANNELS;

/** Numbers of the saved channels from 1, or `null` where they are not given or contradict each other. */
function savedChannels(fields: Fields): number[] | null {
  const list = fields.get("hChannels.channelSave") ?? fields.get("channelsSave");
  if (list !== undefined) {
    if (list.length > MAX_LIST) return null;
    const numbers = /^\[?\s*\d+(?:[\s,;]+\d+)*\s*\]?$/.test(list) ? numbersIn(list) : [];
    const names = channelNamesIn(fields).length || MAX_CHANNELS;
    const fitting = new Set(numbers).size === numbers.length && numbers.every((n) => n >= 1 && n <= names);
    return numbers.length > 0 && fitting ? numbers : null;
  }
  const count = fields.get("acq.numberOfChannelsSave") ?? "";
  if (!/^\d+$/.test(count) || Number(count) < 1 || Number(count) > MAX_CHANNELS) return null;
  const flags = Array.from({ length: MAX_CHANNELS }, (_, i) => fields.get(`acq.savingChannel${i + 1}`));
  const flagged = flags.flatMap((flag, i) => flag === "1" ? [i + 1] : []);
  if (flags.every((flag) => flag === undefined)) {
    return Array.from({ length: Number(count) }, (_, i) => i + 1);
  }
  return flagged.length === Number(count) ? flagged : null;
}

function interleaving(fields: Fields, channels: number, pages: number): Interleaving {
  const size = (...keys: string[]) => {
    for (const key of keys) {
      const value = leadingNumber(fields.get(key));
      if (value !== null && Number.isInteger(value) && value >= 1) return value;
    }
    return null;
  };
  const on = (key: string) => /^(?:true|1)/.test(fields.get(key) ?? "");
  // The last planes of a scan that was stopped are missing.
  const perChannel = Math.max(1, Math.ceil(pages / channels));
  const volumes = on("hFastZ.enable") || on("fastZEnable") ||
    /fast/.test(fields.get("hStackManager.stackMode") ?? "") &&
      on("hStackManager.enable");
  if (volumes) {
    const slices = size(
      "hFastZ.numFramesPerVolume",
      "fastZNumSlices",
      "hStackManager.numFramesPerVolumeWithFlyback",
      "hStackManager.numFramesPerVolume",
      "hStackManager.actualNumSlices",
      "hStackManager.numSlices",
      "stackNumSlices",
    ) ?? 1;
    return { channels, slices, frames: Math.ceil(perChannel / slices), volumes };
  }
  // Averaged frames are stored as one.
  const averaged = on("acq.averaging");
  const perSlice = averaged
    ? 1
    : size("hStackManager.framesPerSlice", "acqNumFrames", "acq.numberOfFrames") ?? perChannel;
  const stored = Math.max(1, perSlice / (size("hScan2D.logAverageFactor") ?? 1));
  const frames = Number.isInteger(stored) && stored <= perChannel ? stored : perChannel;
  return { channels, slices: Math.ceil(perChannel / frames), frames, volumes: false };
}

/** Micrometres per pixel from the corners of the field of view. */
function pixelSize(fields: Fields, width: number, height: number): { x: number; y: number } | null {
  const corners = numbersIn(fields.get("hRoiManager.imagingFovUm"));
  if (corners.length !== 8) return null;
  const extent = (from: number) => {
    const values = corners.filter((_, i) => i % 2 === from);
    return Math.max(...values) - Math.min(...values);
  };
  return { x: extent(0) / width, y: extent(1) / height };
}

/** `hChannels.channelName = {'Channel 1' 'Channel 2'}` */
function channelNamesIn(fields: Fields): string[] {
  return [...(fields.get("hChannels.channelName") ?? "").matchAll(/'([^']*)'/g)].map(([, name = ""]) => name);
}

/** Names of the channels that were saved. */
function savedNames(fields: Fields, saved: readonly number[]): (string | null)[] {
  const all = channelNamesIn(fields);
  return saved.map((number) => all[number - 1] ?? null);
}

/** `epoch = [2018 10 3 13 54 41.2]`; `internal.triggerTimeString='3/5/2014 14:43:22.455'`, month first, 24 or 12 hours. */
function momentIn(fields: Fields): Moment {
  const epoch = numbersIn(fields.get("epoch"));
  if (epoch.length === 6) return moment([epoch[0], epoch[1], epoch[2]], [epoch[3], epoch[4], epoch[5]]);
  const found = /(\d+)\/(\d+)\/(\d{4})\s+(\d+):(\d+):(\d+)\S*\s*([AP]M)?/i.exec(
    fields.get("internal.triggerTimeString") ?? "",
  );
  if (!found) return UNDATED;
  const [, month, day, year, hours, minutes, seconds, half] = found;
  return moment([year, month, day], [hourOf(hours, half), minutes, seconds]);
}
