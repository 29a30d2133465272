/**
 * Controls of one channel: switch, look-up table, histogram with two handles, typed range, Auto and Log.
 *
 * Tested in `tests/browser/controls_test.ts`.
 */
import { formatNumber } from "./axes.js";
import { element, svgElement } from "./element.js";
import { LUT_NAMES, lutColor, NOT_A_NUMBER } from "./lut.js";
import { sampleText } from "./readout.js";

const BINS = 128;
const HEIGHT = 48;

/**
 * The card of `group.channels[position]`; follows the channel whoever changes it.
 *
 * @param {import("./channel_group.js").ChannelGroup} group
 * @param {number} position
 * @param {string} prefix makes ids unique on the page
 * @param {(message: string | null) => void} onTyped what is wrong with a number that was typed, or null
 * @returns {HTMLElement}
 */
export function channelCard(group, position, prefix, onTyped) {
  const channel = group.channels[position];
  const id = (part) => `${prefix}-${position}-${part}`;
  const visible = element("input", { type: "checkbox", id: id("visible") });
  const swatch = element("span", { className: "swatch" });
  const lut = element(
    "select",
    { id: id("lut"), "aria-label": `Look-up table of ${channel.name}` },
    ...LUT_NAMES.map((name) => element("option", { value: name, textContent: name })),
  );
  const bars = svgElement("path", { class: "bars" });
  const inside = svgElement("rect", { class: "inside", y: 0, height: HEIGHT });
  const ramp = element("canvas", { className: "ramp", width: 256, height: 1 });
  const handles = ["Minimum", "Maximum"].map((end) =>
    element("div", {
      className: "handle",
      role: "slider",
      tabIndex: 0,
      "aria-label": `${end} of ${channel.name}`,
    })
  );
  const chart = element(
    "div",
    { className: "histogram" },
    svgElement(
      "svg",
      {
        viewBox: `0 0 ${BINS} ${HEIGHT}`,
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": `Histogram of ${channel.name}`,
      },
      inside,
      bars,
    ),
    ramp,
    ...handles,
  );
  const inputs = ["Min", "Max"].map((label, end) =>
    element("input", {
      type: "text",
      inputMode: "decimal",
      id: id(label),
      autocomplete: "off",
      "aria-label": `${["Minimum", "Maximum"][end]} of ${channel.name}`,
      spellcheck: false,
    })
  );
  const auto = element("button", {
    type: "button",
    id: id("auto"),
    textContent: "Auto",
    title: "1st to 99.5th percentile of all samples (a)",
  });
  const log = element("input", { type: "checkbox", id: id("log") });
  const card = element(
    "section",
    { className: "card", "aria-label": `Channel ${channel.name}` },
    element(
      "div",
      { className: "card-head" },
      element(
        "label",
        { className: "switch", title: `Show ${channel.name}` },
        visible,
        swatch,
        element("span", { className: "name", textContent: channel.name }),
      ),
      lut,
    ),
    chart,
    element(
      "div",
      { className: "card-row" },
      inputs[0],
      element("span", { className: "to", textContent: "to" }),
      inputs[1],
      auto,
      element("label", { className: "check", title: "Logarithmic counts (l)" }, log, "Log"),
    ),
  );

  const { min, max } = channel.stats;
  chart.after(...notesOf(channel));
  const whole = max > min ? max - min : 1;
  const part = (value) => Math.min(1, Math.max(0, (value - min) / whole));

  const paint = () => {
    const range = channel.range;
    visible.checked = channel.visible;
    visible.type = group.composite ? "checkbox" : "radio";
    card.classList.toggle("off", !channel.visible);
    lut.value = channel.lutName;
    swatch.style.background = lutColor(channel.lutName);
    inputs.forEach((input, end) => {
      if (document.activeElement !== input || !input.dataset.typing) {
        input.value = formatNumber(range[end], range[1] - range[0]);
        input.removeAttribute("aria-invalid");
      }
    });
    handles.forEach((handle, end) => {
      handle.style.left = `${100 * part(range[end])}%`;
      handle.setAttribute("aria-valuemin", min);
      handle.setAttribute("aria-valuemax", max);
      handle.setAttribute("aria-valuenow", Math.min(max, Math.max(min, range[end])));
      handle.setAttribute("aria-valuetext", formatNumber(range[end], range[1] - range[0]));
    });
    inside.setAttribute("x", BINS * part(range[0]));
    inside.setAttribute("width", BINS * Math.max(0, part(range[1]) - part(range[0])));
    paintRamp(ramp, channel, part);
  };
  const paintBars = () => bars.setAttribute("d", barPath(channel.histogram(BINS), log.checked));

  visible.addEventListener("change", () => group.toggle(position, visible.checked));
  lut.addEventListener("change", () => channel.lutName = lut.value);
  auto.addEventListener("click", () => channel.autoRange());
  log.addEventListener("change", paintBars);
  inputs.forEach((input, end) => {
    input.addEventListener("input", () => input.dataset.typing = "yes");
    input.addEventListener("change", () => {
      delete input.dataset.typing;
      const { value, fault } = typedNumber(input.value);
      if (fault === null) channel.setEnd(end, value);
      else input.setAttribute("aria-invalid", "true");
      onTyped(fault);
    });
  });
  handles.forEach((handle, end) => dragHandle(handle, chart, channel, end, min, whole));
  group.addEventListener("change", paint);
  paint();
  // The picture comes first.
  requestAnimationFrame(() => setTimeout(paintBars));
  return card;
}

/** What a histogram does not tell: a flat plane, and samples that are no numbers, with the colour that they are drawn in. */
function notesOf({ stats: { min, max, count }, samples }) {
  const missing = samples.length - count;
  const notes = [];
  if (count > 0 && min === max) {
    notes.push([`All ${missing > 0 ? "other " : ""}samples are ${sampleText(min)}`]);
  }
  if (missing > 0) {
    const swatch = element("span", { className: "swatch" });
    swatch.style.background = `rgb(${NOT_A_NUMBER.color})`;
    const text = `${missing} of ${samples.length} samples are NaN or infinite, drawn ${NOT_A_NUMBER.name}`;
    notes.push([text, swatch]);
  }
  return notes.map((parts) => element("p", { className: "note" }, ...parts));
}

/**
 * A number as it is typed.
 *
 * @param {string} text
 * @returns {{value: number, fault: string | null}}
 */
export function typedNumber(text) {
  const typed = text.trim().replace("\u2212", "-");
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(typed) ? Number(typed) : NaN;
  if (Number.isFinite(value)) return { value, fault: null };
  const hint = typed.includes(",") ? ": write a decimal point and no thousands separator" : "";
  return { value: NaN, fault: `"${typed}" is not a number${hint}` };
}

function dragHandle(handle, chart, channel, end, min, whole) {
  const gap = whole / 1000;
  const set = (value) => {
    const [low, high] = channel.range;
    // An end outside the samples is left there unless it is in the way.
    if (end === 0) {
      const most = Math.max(high, min + gap);
      channel.setRange(Math.min(value, most - gap), most);
    } else {
      const least = Math.min(low, min + whole - gap);
      channel.setRange(least, Math.max(value, least + gap));
    }
  };
  /** Where the handle is seen: at the edge when its end of the range lies outside the samples. */
  const shown = () => Math.min(min + whole, Math.max(min, channel.range[end]));
  handle.addEventListener("pointerdown", (event) => {
    handle.setPointerCapture(event.pointerId);
    handle.focus();
    event.preventDefault();
  });
  handle.addEventListener("pointermove", (event) => {
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const box = chart.getBoundingClientRect();
    set(min + whole * Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)));
  });
  handle.addEventListener("keydown", (event) => {
    const step = whole / (event.shiftKey ? 10 : 100);
    const steps = {
      ArrowLeft: -step,
      ArrowDown: -step,
      ArrowRight: step,
      ArrowUp: step,
      PageDown: -10 * step,
      PageUp: 10 * step,
    };
    if (event.key in steps) set(shown() + steps[event.key]);
    else if (event.key === "Home") set(min);
    else if (event.key === "End") set(min + whole);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

function barPath(counts, isLog) {
  const size = isLog ? Math.log1p : (count) => count;
  // One flooded bin, such as the dark background, must not flatten all others.
  const sorted = [...counts].sort((a, b) => a - b);
  const top = isLog
    ? size(sorted.at(-1))
    : Math.min(sorted.at(-1), 4 * (sorted.at(-4) ?? sorted.at(-1)) || sorted.at(-1));
  const bars = Array.from(counts, (count, i) => {
    const height = Math.min(1, size(count) / (top || 1)) * (HEIGHT - 2);
    return `M${i} ${HEIGHT}v${-height.toFixed(2)}h1v${height.toFixed(2)}z`;
  });
  return bars.join("");
}

function paintRamp(ramp, channel, part) {
  const context = ramp.getContext("2d");
  const { lut, min, max } = channel.look();
  const image = context.createImageData(256, 1);
  const [low, high] = [part(min), part(max)];
  for (let i = 0; i < 256; i += 1) {
    const place = Math.min(1, Math.max(0, (i / 255 - low) / Math.max(1e-6, high - low)));
    image.data.set(lut.subarray(4 * Math.round(255 * place), 4 * Math.round(255 * place) + 4), 4 * i);
  }
  context.putImageData(image, 0, 0);
}
