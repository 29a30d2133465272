/**
 * The settings of ScanImage. Version 3.8 writes lines such as `state.acq.numberOfChannelsSave=2` into ImageDescription; later
 * keys are `scanimage.SI4.channelsSave` or `SI.hChannels.channelSave`, in ImageDescription or, from 2016 on, in Software or after
 * the BigTIFF header.
 */
import type { DocumentList } from "../../../io/document_list.ts";
import {
  buildMoment,
  chooseMoment,
  type Moment,
  parseMonthFirst,
  UNDATED,
} from "../../../metadata/moment.ts";
import { warnAboutZeros } from "../../../metadata/lost_text.ts";
import { StatedNumbers } from "../../../metadata/stated_numbers.ts";
import { type Warning, warning, type WarningCode } from "../../../warning.ts";
import { isScanImageText, readNumberAt, SCANIMAGE_MARK } from "../../marks.ts";
import type { PageLayout } from "../../page.ts";
import { type OpenedTiff, readOrWarn, tagMoment } from "../../stack.ts";
import { MAX_VENDOR_BYTES, TAG, tagName } from "../../tags.ts";
import { cutAtNul, readTagText } from "../../directory.ts";
import type { TiffFile } from "../../tiff_file.ts";

/** Largest number of saved channels. */
export const MAX_SAVED_CHANNELS = 64;

/** Longest list of positions in characters, sixteen for each of 65,536 slices. */
const MAX_LIST = 1 << 20;

/** The settings by key without its prefix: `acq.zStepSize`, `hChannels.channelSave`, `channelsSave`. */
export class ScanImageHeader {
  /** Values as written. If a key repeats, its first value counts. */
  readonly fields: ReadonlyMap<string, string>;
  readonly regions: string;
  readonly #numbers = new StatedNumbers("The header of ScanImage");
  readonly #warnings: Warning[] = [];

  private constructor(texts: readonly string[], regions: string) {
    const fields = new Map<string, string>();
    for (const line of texts.flatMap((text) => text.split(/[\r\n\0]+/))) {
      const at = line.indexOf("=");
      if (at < 1) continue;
      const key = line.slice(0, at).trim().replace(/^state\./, "").replace(/^(?:scanimage\.)?SI\d?\./, "");
      if (!fields.has(key)) fields.set(key, line.slice(at + 1).trim());
    }
    this.fields = fields;
    this.regions = regions;
  }

  static read(opened: OpenedTiff): ScanImageHeader | null {
    const { tiff, first, descriptions } = opened;
    const note = <T>(what: string, read: () => T) => readOrWarn(opened.warnings, what, read);
    const software = note(tagName(TAG.Software), () => first.texts(TAG.Software, MAX_VENDOR_BYTES));
    const block = note("The header of ScanImage", () => readHeaderBlock(tiff)) ?? NO_BLOCK;
    const texts = [...software?.slice(0, 1) ?? [], ...descriptions, block.text];
    if (!texts.some(isScanImageText)) return null;
    const regions = block.regions || (first.notes(ARTIST, MAX_VENDOR_BYTES)[0] ?? "");
    const what = {
      software: tagName(TAG.Software),
      block: "The header of ScanImage",
      regions: "The regions of ScanImage",
    };
    opened.warnings.push(
      ...warnAboutZeros(what.software, software?.[0] ?? "", "end fields"),
      ...warnAboutZeros(what.block, block.text, "end fields"),
      ...warnAboutZeros(what.regions, regions),
    );
    return new ScanImageHeader(texts, cutAtNul(regions));
  }

  warn(code: WarningCode, text: string): void {
    this.#warnings.push(warning(code, text));
  }

  /** The warnings about what was read so far. */
  get warnings(): readonly Warning[] {
    return [...this.#numbers.warnings, ...this.#warnings];
  }

  number(...keys: readonly string[]): number | null {
    const values = keys.map((key) => this.#numbers.leading(key, this.fields.get(key)));
    return values.find((value) => Number.isFinite(value)) ?? null;
  }

  /** The first value above 0, or `null`. */
  positive(...keys: readonly string[]): number | null {
    return keys.map((key) => this.number(key)).find((value) => value !== null && value > 0) ?? null;
  }

  /** The first whole number that is at least `least`, or `null`. */
  count(keys: readonly string[], least = 1): number | null {
    const values = keys.map((key) => this.number(key));
    return values.find((value) => Number.isSafeInteger(value) && value! >= least) ?? null;
  }

  /** Whether the first existing key is on; `null` if none exists. */
  flag(...keys: readonly string[]): boolean | null {
    const value = keys.map((key) => this.fields.get(key)).find((text) => text !== undefined);
    return value === undefined ? null : /^(?:true|1)/.test(value);
  }

  /** Numbers of a scalar, row or column of Matlab: `2`, `[1 2]`, `[1;2]`; empty if the list is too long. */
  list(key: string): number[] {
    const text = this.fields.get(key) ?? "";
    const numbers = text.length > MAX_LIST ? [] : text.matchAll(/[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?/g);
    return Array.from(numbers, ([number]) => Number(number));
  }

  /** Numbers of the saved channels, from 1; `null` if they are unknown or contradictory. */
  savedChannels(): number[] | null {
    const listed = ["hChannels.channelSave", "channelsSave"].find((key) => this.fields.has(key));
    if (listed !== undefined) {
      const isList = /^\[?\s*\d+(?:[\s,;]+\d+)*\s*\]?$/.test(this.fields.get(listed)!);
      const numbers = isList ? this.list(listed) : [];
      const most = this.names.length || MAX_SAVED_CHANNELS;
      const isFitting = numbers.length > 0 && numbers.length <= MAX_SAVED_CHANNELS &&
        new Set(numbers).size === numbers.length && numbers.every((number) => number >= 1 && number <= most);
      return isFitting ? numbers : null;
    }
    const count = this.fields.get("acq.numberOfChannelsSave") ?? "";
    if (!/^\d+$/.test(count) || Number(count) < 1 || Number(count) > MAX_SAVED_CHANNELS) return null;
    const channels = Array.from({ length: MAX_SAVED_CHANNELS }, (_, i) => i + 1);
    const flags = channels.map((number) => this.fields.get(`acq.savingChannel${number}`));
    if (flags.every((flag) => flag === undefined)) return channels.slice(0, Number(count));
    const flagged = channels.filter((_, i) => flags[i] === "1");
    return flagged.length === Number(count) ? flagged : null;
  }

  /** Names of all channels: `hChannels.channelName = {'Channel 1' 'Channel 2'}` */
  get names(): string[] {
    const names = this.fields.get("hChannels.channelName") ?? "";
    return [...names.matchAll(/'([^']*)'/g)].map(([, name = ""]) => name);
  }

  /** Micrometres per pixel, from the corners of the field of view. */
  pixelSize({ width, height }: PageLayout): { x: number; y: number } | null {
    const corners = this.list("hRoiManager.imagingFovUm");
    if (corners.length !== 8) return null;
    const extent = (from: number) => {
      const values = corners.filter((_, i) => i % 2 === from);
      return Math.max(...values) - Math.min(...values);
    };
    return { x: extent(0) / width, y: extent(1) / height };
  }

  /** `epoch = [2018 10 3 13 54 41.2]`, or `internal.triggerTimeString='3/5/2014 14:43:22.455'`, month first, 24 or 12 hours. */
  moment(opened: OpenedTiff): Moment {
    const clock = (key: string) => {
      const [year, month, day, hour, minute, second, ...rest] = this.list(key);
      const isWhole = second !== undefined && rest.length === 0;
      return isWhole ? buildMoment([year, month, day], [hour, minute, second]) : UNDATED;
    };
    return chooseMoment(
      clock("epoch"),
      parseMonthFirst(this.fields.get("internal.triggerTimeString") ?? ""),
      clock("acqStartTime"),
      tagMoment(opened.first),
    );
  }
}

/** The tag Artist, which holds the regions from 2016 to 2019. */
const ARTIST = 315;

const NO_BLOCK = { text: "", regions: "" };

/** The texts after the BigTIFF header: at byte 16 mark, version, and lengths of the settings and regions; then both texts. */
function readHeaderBlock(tiff: TiffFile): typeof NO_BLOCK {
  if (!tiff.encoding.bigTiff || readNumberAt(tiff, 16) !== SCANIMAGE_MARK) return NO_BLOCK;
  const [length, more] = [readNumberAt(tiff, 24) ?? 0, readNumberAt(tiff, 28) ?? 0];
  if (length > MAX_VENDOR_BYTES) return NO_BLOCK;
  const text = readTagText(tiff.file.read(32, length, "the ScanImage header"));
  const hasRegions = more <= MAX_VENDOR_BYTES && 32 + length + more <= tiff.file.size;
  const regions = hasRegions
    ? readTagText(tiff.file.read(32 + length, more, "the regions of ScanImage"))
    : "";
  return { text, regions };
}

/** Adds Software, if it holds the header, and the text after the BigTIFF header. */
export function addScanImageDocuments(list: DocumentList, { tiff, first }: OpenedTiff): void {
  for (const text of first.texts(TAG.Software, list.left).filter(isScanImageText)) {
    list.add(tagName(TAG.Software), "text/plain", text);
  }
  list.add("ScanImage header", "text/plain", readHeaderBlock(tiff).text);
}
