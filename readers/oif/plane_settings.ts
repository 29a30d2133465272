/** The texts that belong to an image file: its settings (`.pty`), regions, lookup table, and what they say of time. */
import { BLACK, hexColor } from "../metadata/channels.ts";
import type { DocumentList } from "../io/document_list.ts";
import { lastNameOf } from "../io/names_inside.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { MAX_TIME_RECORDS, timesFrom } from "../metadata/time_stamps.ts";
import { unlessLost, type Warning } from "../warning.ts";
import type { PlaneGrid } from "./planes.ts";
import { readText, Settings } from "./settings.ts";
import type { NamedStreams } from "./streams.ts";

/** Section of the calibration of an image. */
export const IMAGE = "Image Parameters";

/** Section of the times of a scan. */
export const SCAN = "Acquisition Parameters Common";

/** Position of a plane along time, in milliseconds; axis 4 is T in all known files. */
const TIME = "Axis 4 Parameters";

/** The name of the settings of an image file. */
const settingsName = (image: string): string => image.replace(/\.tif$/i, ".pty");

/** The name of the regions of an image, or `null`. */
export function regionName(image: Settings | null): string | null {
  const number = image?.text("ROI Parameter", "ROIFileName");
  return number ? namedBy(number, ".roi") : null;
}

/** Completes the file name in settings and drops its folder: `LUT1` becomes `s_LUT1.lut`. */
function namedBy(part: string, extension: string): string {
  const name = lastNameOf(part);
  const stem = name.toLowerCase().endsWith(extension) ? name.slice(0, -extension.length) : name;
  return `s_${stem.replace(/^s_/i, "")}${extension}`;
}

/** Bytes of an entry of a lookup table: blue, green, red, 0. */
const ENTRY_BYTES = 4;

/** Entries of a lookup table, after its settings text. */
const ENTRIES = 65_536;

/** Channels whose lookup tables are read, each a few reads. */
const MAX_COLORS = 64;

/** Settings of image files by the name of the image. */
export class PlaneSettings {
  readonly warnings: Warning[] = [];
  readonly #streams: NamedStreams;

  constructor(streams: NamedStreams) {
    this.#streams = streams;
  }

  /** Those of an image; `null` where they are missing or damaged. */
  of(image: string): Settings | null {
    return this.read(settingsName(image));
  }

  /** A settings text by its name; `null` where it is missing or damaged. */
  read(name: string): Settings | null {
    return unlessLost(this.warnings, `The settings "${name}"`, () => {
      const stream = this.#streams.open(name);
      return stream && Settings.read(stream);
    });
  }

  /** Colours of channels by the lookup tables of their first planes. */
  colors(images: readonly (string | null)[]): (string | null)[] {
    return images.map((image, channel) =>
      image === null || channel >= MAX_COLORS ? null : this.#color(this.of(image))
    );
  }

  /** `#rrggbb` of the largest sample; `null` where the table is missing, damaged or black. */
  #color(image: Settings | null): string | null {
    const name = image?.text("LUT Parameter", "LUTFileName");
    if (!name) return null;
    return unlessLost(this.warnings, "The colour of a channel", () => {
      const table = this.#streams.open(namedBy(name, ".lut"));
      if (table === null || table.size < ENTRIES * ENTRY_BYTES) return null;
      const entry = table.read(table.size - ENTRY_BYTES, ENTRY_BYTES, "the last entry");
      const [blue = 0, green = 0, red = 0] = entry;
      const color = hexColor(red, green, blue);
      return color === BLACK ? null : color;
    });
  }

  /** Seconds of each time point from the first; `null` where one is missing, or they do not rise. */
  times(grid: PlaneGrid, stop: StopFlag): readonly number[] | null {
    const count = grid.sizes.T;
    if (count < 2 || count > MAX_TIME_RECORDS) return null;
    const milliseconds: number[] = [];
    for (let t = 0; t < count; t += 1) {
      stop.check();
      const name = grid.find({ t, z: 0, l: 0, channel: 0 });
      const time = name === null ? null : this.of(name)?.number(TIME, "AbsPositionValue") ?? null;
      if (time === null) return null;
      milliseconds.push(time);
    }
    return timesFrom(milliseconds, 1000);
  }

  /** Adds the main settings, then those of some images with their regions. @throws {DecodeFailed} one cannot be read */
  addTo(list: DocumentList, images: readonly string[]): void {
    const names = new Set(images.flatMap((image) => [settingsName(image), regionName(this.of(image))]));
    const named = [...names].map((name) => name === null ? null : this.#streams.open(name));
    for (const source of [this.#streams.settings, ...named]) {
      if (source) list.add(source.name.slice(1, -1), "text/plain", readText(source));
    }
  }
}
