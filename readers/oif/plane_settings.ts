/** The settings beside an image file, `.pty`, which may be missing. */
import { isLoss } from "../errors.ts";
import { lossWarning, type Warning } from "../warning.ts";
import { lastNameOf } from "../io/names_inside.ts";
import type { NamedStreams } from "./named_streams.ts";
import { Settings } from "./settings.ts";

/** Settings that cannot be read and are named in a warning. */
const MAX_NAMED = 3;

/** Section of the calibration of an image. */
export const IMAGE = "Image Parameters";

/** Section of the times of a scan. */
export const SCAN = "Acquisition Parameters Common";

/** Position of a plane along time, in milliseconds; axis 4 is T in all known files. */
export const TIME = "Axis 4 Parameters";

/** The name of the settings of an image file. */
export const settingsName = (image: string): string => image.replace(/\.tif$/i, ".pty");

/** The name of a file that settings name by a part of it, such as `LUT1` for `s_LUT1.lut`; whatever folder stands before it. */
export const namedBy = (part: string, extension: string): string => {
  const name = lastNameOf(part);
  const stem = name.toLowerCase().endsWith(extension) ? name.slice(0, -extension.length) : name;
  return `s_${stem.replace(/^s_/i, "")}${extension}`;
};

/** Settings of image files by the name of the image. */
export class PlaneSettings {
  /** Why some could not be read. */
  readonly warnings: Warning[] = [];
  readonly #streams: NamedStreams;

  /** Nothing is read yet. */
  constructor(streams: NamedStreams) {
    this.#streams = streams;
  }

  /** Those of an image; `null` where they are missing or damaged. */
  of(image: string): Settings | null {
    return this.read(settingsName(image));
  }

  /** Those of a name; `null` where they are missing or damaged. */
  read(name: string): Settings | null {
    try {
      const stream = this.#streams.open(name);
      return stream && Settings.read(stream);
    } catch (error) {
      if (!isLoss(error)) throw error;
      if (this.warnings.length < MAX_NAMED) {
        this.warnings.push(
          lossWarning(error, "metadata_damaged", `The settings "${name}" cannot be read`),
        );
      }
      return null;
    }
  }
}
