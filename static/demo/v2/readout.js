/** Sentences about an acquisition and about the sample under the cursor. */
import { formatAt, formatNumber, unitSymbol } from "./axes.js";

/**
 * Position, physical coordinates and values under the cursor.
 *
 * @param {{plane: object, shown: {name: string, samples: Float32Array}[]}} group
 * @param {{x: number, y: number}} cursor picture pixel; x is the plane's row, y its column
 * @returns {{position: string, values: {name: string, value: string, channel: object}[]}}
 */
export function readout({ plane, shown }, { x, y }) {
  const [rowAxis, columnAxis] = plane.axes;
  const coordinates = [[rowAxis, x], [columnAxis, y]].filter(([axis]) => axis.unit !== "Pixels")
    .map(([axis, index]) =>
      `${axis.name} ${formatAt(index * axis.step, axis.step / 10)} ${unitSymbol(axis.unit)}`
    );
  const values = shown.map((channel) => ({
    channel,
    name: channel.name,
    value: sampleText(channel.samples[x * plane.shape[1] + y]),
  }));
  const physical = coordinates.length === 0 ? "" : ` · ${coordinates.join(", ")}`;
  return { position: `row ${x}, column ${y}${physical}`, values };
}

/** A sample in the fewest digits that name this float32 and no other. */
export function sampleText(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  for (let digits = 1; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}

/** Pixels, steps with units and axis names, sample type: the line under the title. */
export function facts({ plane, source, channels }) {
  const [rows, columns] = plane.shape;
  const steps = plane.axes.map((axis) => `${axis.name} ${stepText(axis)}`);
  const count = `${channels.length} channel${channels.length === 1 ? "" : "s"}`;
  const loaded = channels.length === source.numChannels ? count : `${count} of ${source.numChannels}`;
  return `${rows} × ${columns} pixels · step ${
    steps.join(" × ")
  } · ${loaded} · ${source.sourceDtype} · ${source.format}`;
}

/** A step with its unit: nanometres and milliseconds where micrometres and seconds would begin with 0.000. */
function stepText({ step, unit }) {
  const smaller = { um: "nm", seconds: "ms" }[unit];
  if (step < 1e-3 && smaller !== undefined) {
    return `${formatNumber(Number((step * 1e3).toPrecision(9)))} ${smaller}`;
  }
  return `${formatNumber(step)} ${unitSymbol(unit)}`;
}

/** `9:59` minutes or `2 h 5 min`. */
export function remainingTime(seconds) {
  const whole = Math.ceil(seconds);
  if (whole >= 3600) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** `12.3 MB`. */
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
