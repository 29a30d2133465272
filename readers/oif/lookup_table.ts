/** Lookup tables, which say in which colour a channel is shown. */
import { BLACK, hexColor } from "../metadata/channels.ts";
import { DecodeFailed, Unreadable } from "../errors.ts";
import { type Warning, warning } from "../warning.ts";
import type { NamedStreams } from "./named_streams.ts";
import { namedBy } from "./plane_settings.ts";
import type { Settings } from "./settings.ts";

/** Bytes of an entry: blue, green, red, 0. */
const ENTRY_BYTES = 4;

/** Entries of a table, behind its settings text. */
const ENTRIES = 65_536;

/**
 * `#rrggbb` that the table of a plane gives the largest sample; `null` where it is missing, damaged or black.
 *
 * @param warnings of a table that is there and cannot be read
 */
export function tableColor(
  plane: Settings | null,
  streams: NamedStreams,
  warnings: Warning[],
): string | null {
  const name = plane?.text("LUT Parameter", "LUTFileName");
  if (!name) return null;
  try {
    const table = streams.open(namedBy(name, ".lut"));
    if (table === null || table.size < ENTRIES * ENTRY_BYTES) return null;
    const [blue = 0, green = 0, red = 0] = table.read(
      table.size - ENTRY_BYTES,
      ENTRY_BYTES,
      "the last entry",
    );
    const color = hexColor(red, green, blue);
    return color === BLACK ? null : color;
  } catch (error) {
    if (error instanceof Unreadable) {
      warnings.push(warning("file_unreadable", `The colour of a channel is unknown: ${error.message}`));
    } else if (!(error instanceof DecodeFailed)) throw error;
    return null;
  }
}
