/** The texts of an image file: its settings (`.pty`), regions and lookup table; and times and colours from them. */
import { BLACK, formatHexColor } from "../metadata/channels.ts";
import { DecodeFailed } from "../errors.ts";
import type { DocumentList } from "../io/document_list.ts";
import { StoredNames } from "../io/names.ts";
import { takeLastName } from "../io/paths.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { MAX_TIME_RECORDS, scaleStamps } from "../metadata/time_stamps.ts";
import type { TimeStamps } from "../reader.ts";
import { addWarning, unlessLost, type Warning } from "../warning.ts";
import { findPattern, type NamedImage, type NamePattern, type PlaneGrid } from "./planes.ts";
import { OifSettings, readSettingsText } from "./settings.ts";
import type { NamedStreams } from "./streams.ts";

/** Section with the calibration of an image. */
export const IMAGE = "Image Parameters";

/** Section with the times of a scan. */
export const SCAN = "Acquisition Parameters Common";

/** Section with the time of a plane in milliseconds; axis 4 is T in all known files. */
const TIME = "Axis 4 Parameters";

/** Number of settings that are read for the names of their images, about 50 us each. */
const MAX_NAMES_READ = 1000;

/**
 * The images that the settings of a folder name (`DataName`). If they cannot be read, are more than {@linkcode MAX_NAMES_READ}, or
 * name a file that is missing, their own name without its extension counts.
 */
export function readNamedImages(
  { names }: NamedStreams,
  settings: PlaneSettings,
  stop: StopFlag,
): NamedImage[] {
  const stored = new StoredNames(names);
  return names.filter((name) => /\d\.pty$/i.test(name)).map((name, i) => {
    stop.check();
    const own = name.replace(/\.pty$/i, ".tif");
    const written = i < MAX_NAMES_READ ? settings.read(name)?.text("File Info", "DataName") ?? null : null;
    const image = written === null ? null : stored.find(takeLastName(written));
    if (image !== null) settings.names.set(image, name);
    return { settings: own, image: image ?? stored.find(own) };
  });
}

/** What the main settings say about the names of planes. */
export const namePatterns = (main: OifSettings): NamePattern[] =>
  ["PtyFileNameT2", "PtyFileNameS", "PtyFileNameE"]
    .map((key) => findPattern(takeLastName(main.text("ProfileSaveInfo", key) ?? "")))
    .filter((pattern) => pattern !== null);

/** Name of the regions file of an image, or `null`. */
export function findRegionName(image: OifSettings | null): string | null {
  const number = image?.text("ROI Parameter", "ROIFileName");
  return number ? completeName(number, ".roi") : null;
}

/** Completes a file name from the settings, without its folder: `LUT1` becomes `s_LUT1.lut`. */
function completeName(part: string, extension: string): string {
  const name = takeLastName(part);
  const stem = name.toLowerCase().endsWith(extension) ? name.slice(0, -extension.length) : name;
  return `s_${stem.replace(/^s_/i, "")}${extension}`;
}

/** Bytes of a lookup table: 65,536 entries of blue, green, red and 0, which follow its settings text. */
const TABLE_BYTES = 4 * 65_536;

/** Largest number of channels whose lookup tables are read, with a few reads each. */
const MAX_COLORS = 64;

/** Settings of image files, by image name. */
export class PlaneSettings {
  readonly warnings: Warning[];
  /** Names of the settings that name an image, by the image. */
  readonly names: Map<string, string>;
  readonly #streams: NamedStreams;

  /** @param before what was found out about the settings of all scenes */
  constructor(streams: NamedStreams, before: Pick<PlaneSettings, "warnings" | "names"> | null = null) {
    this.#streams = streams;
    this.warnings = [...before?.warnings ?? []];
    this.names = before?.names ?? new Map();
  }

  /** Settings of an image; `null` if they are missing or damaged. */
  of(image: string): OifSettings | null {
    return this.read(this.#nameOf(image));
  }

  #nameOf(image: string): string {
    return this.names.get(image) ?? image.replace(/\.tif$/i, ".pty");
  }

  read(name: string): OifSettings | null {
    return unlessLost(this.warnings, `The settings "${name}"`, () => {
      const stream = this.#streams.open(name);
      const settings = stream && OifSettings.read(stream);
      for (const doubt of settings?.warnings ?? []) addWarning(this.warnings, doubt);
      return settings;
    });
  }

  /** Colours of channels as `#rrggbb`, from the lookup tables of their first planes; `null` for a missing or black one. */
  colors(images: readonly (string | null)[]): (string | null)[] {
    return images.map((image, channel) => {
      const settings = image === null || channel >= MAX_COLORS ? null : this.of(image);
      const name = settings?.text("LUT Parameter", "LUTFileName");
      if (!name) return null;
      return unlessLost(this.warnings, "The colour of a channel", () => {
        const table = this.#streams.open(completeName(name, ".lut"));
        if (table === null) return null;
        if (table.size < TABLE_BYTES) {
          throw new DecodeFailed(
            `${table.name} has ${table.size} bytes, fewer than its table of ${TABLE_BYTES}`,
          );
        }
        const [blue = 0, green = 0, red = 0] = table.read(table.size - 4, 4, "the last entry");
        const color = formatHexColor(red, green, blue);
        if (color !== BLACK) return color;
        const entries = table.read(table.size - TABLE_BYTES, TABLE_BYTES, "the table");
        if (entries.every((byte) => byte === 0)) {
          throw new DecodeFailed(`${table.name} holds nothing but zeros`);
        }
        return null;
      });
    });
  }

  /** The times of the time points, at most of the first {@linkcode MAX_TIME_RECORDS}; `null` without any. */
  stamps(grid: PlaneGrid, stop: StopFlag): TimeStamps | null {
    const { T } = grid.sizes;
    if (T < 2) return null;
    const milliseconds = Array.from({ length: Math.min(T, MAX_TIME_RECORDS) }, (_, t) => {
      stop.check();
      const name = grid.find({ t, z: 0, l: 0, channel: 0 });
      return (name === null ? null : this.of(name)?.number(TIME, "AbsPositionValue")) ?? NaN;
    });
    return milliseconds.every(Number.isNaN) ? null : scaleStamps(milliseconds, 1000, milliseconds.length < T);
  }

  /** Adds the main settings, then the settings and regions of some images. @throws {DecodeFailed} a text cannot be read */
  addTo(list: DocumentList, images: readonly string[]): void {
    const names = new Set(images.flatMap((image) => [this.#nameOf(image), findRegionName(this.of(image))]));
    const named = [...names].map((name) => name === null ? null : this.#streams.open(name));
    for (const source of [this.#streams.settings, ...named]) {
      if (source) list.add(source.name.slice(1, -1), "text/plain", readSettingsText(source));
    }
  }
}
