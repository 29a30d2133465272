/** The histogram of a channel with two handles for its range and a ramp of its look-up table. */
import { formatDigits } from "../../../measure/axes.ts";
import { findWithin } from "../controls/element.ts";
import { followDrags, followKeys, SLIDER } from "../controls/handles.ts";
import type { DisplayChannel } from "../picture/channel.ts";

/** Bins of the histogram and height of its bars, in units of the picture. */
const [BINS, HEIGHT] = [128, 48];

/** `paint` follows range and table. @param chart from the template of a card */
export function makeContrastChart(chart: HTMLElement, channel: DisplayChannel): {
  paint: () => void;
  paintBars: (isLog: boolean) => void;
} {
  const bars = findWithin(chart, ".bars", SVGElement);
  const inside = findWithin(chart, ".inside", SVGElement);
  const ramp = findWithin(chart, "canvas", HTMLCanvasElement);
  const handles: NodeListOf<HTMLElement> = chart.querySelectorAll(".handle");
  handles.forEach((handle, end) => dragHandle(handle, chart, channel, end));
  return {
    paint(): void {
      const { range, stats: { min, max } } = channel;
      const parts = findRangeEnds(channel);
      handles.forEach((handle, end) => {
        handle.style.left = `${100 * parts[end]!}%`;
        handle.ariaValueMin = String(min);
        handle.ariaValueMax = String(max);
        handle.ariaValueNow = String(Math.min(max, Math.max(min, range[end]!)));
        handle.ariaValueText = formatDigits(range[end]!, range[1] - range[0]);
      });
      inside.setAttribute("x", String(BINS * parts[0]!));
      inside.setAttribute("width", String(BINS * Math.max(0, parts[1]! - parts[0]!)));
      paintRamp(ramp, channel);
    },
    paintBars: (isLog: boolean): void => bars.setAttribute("d", barPath(channel.histogram(BINS), isLog)),
  };
}

/** Range of sample values across the chart. */
const findWholeRange = ({ stats: { min, max } }: DisplayChannel) => max > min ? max - min : 1;

/** Positions of both ends of the range in the chart, 0 to 1. */
const findRangeEnds = (channel: DisplayChannel) =>
  channel.range.map((value) =>
    Math.min(1, Math.max(0, (value - channel.stats.min) / findWholeRange(channel)))
  );

/** @param end 0 for the minimum */
function dragHandle(handle: HTMLElement, chart: HTMLElement, channel: DisplayChannel, end: number) {
  const set = (value: number) => {
    const [{ min }, whole] = [channel.stats, findWholeRange(channel)];
    const gap = whole / 1000;
    const [low, high] = channel.range;
    // An end outside the samples stays there unless it is in the way.
    if (end === 0) {
      const most = Math.max(high, min + gap);
      channel.setRange(Math.min(value, most - gap), most);
    } else {
      const least = Math.min(low, min + whole - gap);
      channel.setRange(least, Math.max(value, least + gap));
    }
  };
  followDrags(handle, (event) => {
    const box = chart.getBoundingClientRect();
    const part = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    set(channel.stats.min + findWholeRange(channel) * part);
  });
  followKeys(handle, SLIDER, (step, isFar) => {
    const [{ min }, whole] = [channel.stats, findWholeRange(channel)];
    const inside = (value: number) => Math.min(min + whole, Math.max(min, value));
    set(inside(inside(channel.range[end]!) + step * whole / (isFar ? 10 : 100)));
  });
}

function barPath(counts: Uint32Array, isLog: boolean) {
  const size = isLog ? Math.log1p : (count: number) => count;
  // A single high bin, such as the dark background, must not flatten the others.
  const sorted = counts.toSorted();
  const most = sorted[BINS - 1]!;
  const top = isLog ? size(most) : Math.min(most, 4 * sorted[BINS - 4]! || most);
  const bars = Array.from(counts, (count, i) => {
    const height = Math.min(1, size(count) / (top || 1)) * (HEIGHT - 2);
    return `M${i} ${HEIGHT}v${-height.toFixed(2)}h1v${height.toFixed(2)}z`;
  });
  return bars.join("");
}

function paintRamp(ramp: HTMLCanvasElement, channel: DisplayChannel) {
  const context = ramp.getContext("2d") as CanvasRenderingContext2D;
  const { lut } = channel.look();
  const image = context.createImageData(256, 1);
  const [low, high] = findRangeEnds(channel) as [number, number];
  for (let i = 0; i < 256; i += 1) {
    const place = Math.min(1, Math.max(0, (i / 255 - low) / Math.max(1e-6, high - low)));
    image.data.set(lut.subarray(4 * Math.round(255 * place), 4 * Math.round(255 * place) + 4), 4 * i);
  }
  context.putImageData(image, 0, 0);
}
