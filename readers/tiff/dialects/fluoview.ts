/**
 * Olympus FluoView: tag 34361 holds a packed record. From byte 284 on it has ten dimensions of 100 bytes each: name
 * (16 characters), size (LONG), origin and resolution (DOUBLE), unit (64 characters). The axes of the plane come first,
 * then those of the pages, fastest first. A plane of `X` and `T` is a line scan.
 */
import { selectCalibrations } from "../../metadata/axes.ts";
import { buildLineScan } from "../../metadata/line_scan.ts";
import { buildMoment, chooseMoment, UNDATED } from "../../metadata/moment.ts";
import type { AxisLetter } from "../../reader.ts";
import { type Warning, warning } from "../../warning.ts";
import { type PageLayout, readPage } from "../page.ts";
import { MAX_PLANES, type OpenedTiff, type Stack, tagMoment } from "../stack.ts";
import { countDeclaredPlanes } from "../stored_planes.ts";
import { TAG, tagName } from "../tags.ts";
import { decodeText } from "../directory.ts";

const DIMENSIONS_AT = 284;
const DIMENSION_BYTES = 100;
const DIMENSIONS = 10;

const LETTERS: Readonly<Record<string, AxisLetter>> = {
  X: "X",
  Y: "Y",
  Z: "Z",
  T: "T",
  TIME: "T",
  CH: "C",
  WAVELENGTH: "C",
};

interface FluoViewDimension {
  readonly letter: AxisLetter;
  readonly size: number;
  readonly step: readonly [value: number, unit: string];
}

/** The stack of a FluoView file, or `null`. */
export function openFluoView(opened: OpenedTiff): Stack | null {
  const { tiff, first } = opened;
  const header = first.bytes(TAG.FluoViewHeader, 1 << 16);
  if (!header) return null;
  const layout = readPage(first);
  const dimensions = readFluoViewDimensions(header, tiff.encoding.littleEndian);
  const order = findPageOrder(dimensions, layout);
  if (!order) {
    const text = `The FluoView dimensions in ${tagName(TAG.FluoViewHeader)} do not fit the pages`;
    opened.warnings.push(warning("metadata_disagree", `${text}; the file is read by its tags alone`));
    return null;
  }
  const sizes = { T: 1, C: 1, Z: 1 };
  for (const { letter, size } of order) sizes[letter] = size;
  const stored = countDeclaredPlanes(tiff, layout, sizes.T * sizes.C * sizes.Z);
  const rows = dimensions[1]!;
  const steps = [...dimensions, { ...rows, letter: "Y" }].map(({ letter, step }) => [letter, step]);
  const doubts: Warning[] = [];
  const calibrations = selectCalibrations(Object.fromEntries(steps), doubts);
  const text = opened.descriptions[0] ?? "";
  return {
    sizes,
    layout,
    calibrations,
    // Lines such as `Channel 1 Dye=FITC`.
    names: Array.from(
      { length: Math.min(sizes.C, 64) },
      (_, c) => new RegExp(`^Channel ${c + 1} Dye=(.*)$`, "m").exec(text)?.[1]?.trim() || null,
    ),
    moment: chooseMoment(findFluoViewMoment(text), tagMoment(first)),
    fileSize: tiff.file.size,
    lineScan: rows.letter === "T" ? buildLineScan(calibrations.Y) : null,
    warnings: [...stored.warnings, ...doubts],
    plane: ({ t, z, channel }) => {
      const at = { T: t, C: channel, Z: z };
      return stored.plane(order.reduceRight((n, { letter, size }) => n * size + at[letter], 0));
    },
  };
}

/** The named dimensions; empty if the header is short, a size is damaged or a long dimension is unknown. */
function readFluoViewDimensions(header: Uint8Array<ArrayBuffer>, little: boolean): FluoViewDimension[] {
  if (header.length < DIMENSIONS_AT + DIMENSIONS * DIMENSION_BYTES) return [];
  const view = new DataView(header.buffer, header.byteOffset);
  const dimensions: FluoViewDimension[] = [];
  for (let i = 0; i < DIMENSIONS; i += 1) {
    const at = DIMENSIONS_AT + i * DIMENSION_BYTES;
    const text = (from: number, length: number) =>
      decodeText(header.subarray(at + from, at + from + length)).trim();
    const name = text(0, 16).toUpperCase();
    const size = view.getInt32(at + 16, little);
    const letter = LETTERS[name];
    if (name === "" || letter === undefined && size === 1) continue;
    if (letter === undefined || size < 1) return [];
    dimensions.push({ letter, size, step: [view.getFloat64(at + 28, little), text(36, 64)] });
  }
  return dimensions;
}

/** Dimensions of the pages, fastest first; `null` if the first two do not fit the plane or letters repeat. */
function findPageOrder(dimensions: readonly FluoViewDimension[], layout: PageLayout) {
  const [x, y, ...rest] = dimensions;
  if (x?.letter !== "X" || x.size !== layout.width || y?.size !== layout.height) return null;
  const letters = new Set(rest.map(({ letter }) => letter));
  const planes = rest.reduce((product, { size }) => product * size, 1);
  if (letters.size < rest.length || letters.has("X") || letters.has("Y") || planes > MAX_PLANES) return null;
  // The samples of a pixel already are channels.
  return (rest as { letter: "T" | "C" | "Z"; size: number }[]).filter(({ letter }) =>
    !(letter === "C" && layout.samples > 1)
  );
}

function findFluoViewMoment(text: string) {
  const date = /^Date=(\d\d)-(\d\d)-(\d{4})\s*$/m.exec(text);
  const time = /^Time=(\d\d):(\d\d):(\d\d)/m.exec(text);
  return date ? buildMoment([date[3], date[1], date[2]], [time?.[1], time?.[2], time?.[3]]) : UNDATED;
}
