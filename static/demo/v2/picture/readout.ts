/** Sentences about an acquisition and about the sample under the cursor. */
import {
  type Axis,
  chooseUnitSymbol,
  formatAt,
  formatCount,
  formatQuantity,
  isTime,
} from "../../../measure/axes.ts";
import type { OpenResponse } from "../../../client/v2/acq-client.ts";
import type { DisplayChannel } from "./channel.ts";

/**
 * Position, physical coordinates and values under the cursor.
 *
 * @param cursor picture pixel; x is the plane's row, y its column
 */
export function formatReadout(
  { plane, shown }: {
    plane: { shape: readonly [number, number]; axes: readonly [Axis, Axis] };
    shown: DisplayChannel[];
  },
  { x, y }: { x: number; y: number },
): { position: string; values: { name: string; value: string; channel: DisplayChannel }[] } {
  const [rowAxis, columnAxis] = plane.axes;
  const isLineScan = isTime(rowAxis);
  const coordinates = ([[rowAxis, x], [columnAxis, y]] as [Axis, number][])
    .filter(([axis]) => axis.unit !== "Pixels")
    .map(([axis, index]) => {
      const value = `${formatAt(index * axis.step, axis.step / 10)} ${chooseUnitSymbol(axis.unit)}`;
      return isLineScan ? value : `${axis.name} ${value}`;
    });
  const values = shown.map((channel) => ({
    channel,
    name: channel.name,
    value: sampleText(channel.samples[x * plane.shape[1] + y] ?? NaN),
  }));
  const physical = coordinates.length === 0 ? "" : ` · ${coordinates.join(", ")}`;
  const [row, column] = isLineScan ? ["line", "pixel"] : ["row", "column"];
  return { position: `${row} ${x}, ${column} ${y}${physical}`, values };
}

/** Formats a sample with the fewest digits that identify its float32 value. */
export function sampleText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  for (let digits = 1; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}

/** Such as `2.118 ms/line · 0.45 µm/px · 600 lines (1.271 s) · 48 px (21.6 µm)` for a line scan. */
export function formatFacts(
  { plane, source, channels, header }: Pick<OpenResponse, "plane" | "source" | "channels" | "header">,
): string {
  const [rows, columns] = plane.axes;
  const count = `${channels.length} channel${channels.length === 1 ? "" : "s"}`;
  const loaded = channels.length === source.numChannels ? count : `${count} of ${source.numChannels}`;
  const place = isTime(rows)
    ? [
      `${formatQuantity(rows.step, rows)}/line`,
      ...formatPerPixel(columns),
      `${formatCount(rows.size)} ${rows.size === 1 ? "line" : "lines"} (${
        formatQuantity(rows.size * rows.step, rows, 3)
      })`,
      `${formatCount(columns.size)} px${formatExtent(columns)}`,
    ]
    : formatImageFacts(plane.axes);
  return [...place, ...formatFurtherAxes(header), loaded, source.sourceDtype, source.format].join(" · ");
}

function formatImageFacts([rows, columns]: OpenResponse["plane"]["axes"]) {
  const size = `${columns.size} × ${rows.size} px`;
  if (rows.unit === "Pixels" && columns.unit === "Pixels") return [size];
  const [x = "1 px", y = "1 px"] = [columns, rows].map((axis) => formatPerPixel(axis)[0]);
  const steps = x === y ? [x] : [`X ${x}`, `Y ${y}`];
  const extents = [columns, rows].map((axis) => formatQuantity(axis.size * axis.step, axis, 3)).join(" × ");
  return [`${size} (${extents})`, ...steps];
}

/** Time points, focus planes and wavelengths. */
function formatFurtherAxes({ dims, sizes, physicalUnits, physicalUnitsLabels }: OpenResponse["header"]) {
  const words: Readonly<Record<string, string>> = { T: "time points", Z: "focus planes", L: "wavelengths" };
  return dims.flatMap((dim, i) => {
    const [word, unit] = [words[dim], physicalUnitsLabels[i] ?? "Pixels"];
    if (word === undefined) return [];
    const step = unit === "Pixels" ? "" : ` (every ${formatQuantity(physicalUnits[i] ?? 1, { unit })})`;
    return [`${formatCount(sizes[dim] ?? 1)} ${word}${step}`];
  });
}

/**
 * What the page calls a recording: the name of its file or collection. The images of a collection have numbers for names; one
 * that is opened alone has the names of collection and member.
 */
export function nameRecordingForPage(
  { source, collection }: Pick<OpenResponse, "source" | "collection">,
): string {
  if (!collection || /\.(zip|ozx)$/i.test(source.name)) return source.name;
  const { name, member } = collection;
  return source.format === "collection" || member.name === name ? name : `${name} · ${member.name}`;
}

const formatPerPixel = (axis: { step: number; unit: string }) =>
  axis.unit === "Pixels" ? [] : [`${formatQuantity(axis.step, axis)}/px`];

const formatExtent = (axis: { size: number; step: number; unit: string }) =>
  axis.unit === "Pixels" ? "" : ` (${formatQuantity(axis.size * axis.step, axis, 3)})`;

/** Formats a size, such as `12.3 MB`. */
export const formatMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
