/**
 * Controls of one channel: a row with switch, range, Auto and look-up table, which opens to histogram, typed range,
 * gamma and Log. The browser remembers look-up table, gamma, Log and whether the row is open, by the name of the
 * channel.
 */
import { formatNumber } from "../../../measure/axes.js";
import { channelSettings, keepChannelSettings } from "./channel_settings.js";
import { contrastChart } from "./contrast_chart.js";
import { element, swatch } from "../controls/element.js";
import { onNumber } from "../controls/fields.js";
import { DISTINCT, LUT_NAMES, lutColor, NOT_A_NUMBER } from "../picture/lut.js";
import { sampleText } from "../picture/readout.js";

/** @import { Channel } from "../picture/channel.js" */
/** @import { ChannelGroup } from "../picture/channel_group.js" */

/** Range of gamma as a power of two in both directions: 0.25 to 4. */
const GAMMA_POWER = 2;

/**
 * The card of `group.channels[position]`; it follows all changes of the channel.
 *
 * @param {ChannelGroup} group
 * @param {number} position
 * @param {string} prefix makes ids unique on the page
 * @param {(message: string | null) => void} onTyped receives the fault of a typed number, or null
 * @returns {HTMLElement}
 */
export function channelCard(group, position, prefix, onTyped) {
  const channel = /** @type {Channel} */ (group.channels[position]);
  const id = (/** @type {string} */ part) => `${prefix}-${position}-${part}`;
  const row = rowOf(channel, id);
  const { body, log, gamma, inputs, notes, ...rest } = bodyOf(channel, id);
  const card = element(
    "div",
    {
      className: "card",
      role: "group",
      "aria-label": `${prefix === "reference" ? "Reference channel" : "Channel"} ${channel.name}`,
    },
    row.head,
    notes,
    body,
  );
  const settings = channelSettings(channel.name);

  const paint = () => {
    const { range } = channel;
    row.visible.checked = channel.visible;
    row.visible.type = group.composite ? "checkbox" : "radio";
    card.classList.toggle("off", !channel.visible);
    row.lut.value = channel.lutName;
    row.dot.style.background = lutColor(channel.lutName);
    const texts = range.map((value) => formatNumber(value, range[1] - range[0]));
    row.range.textContent = texts.join(" – ");
    inputs.forEach((input, end) => {
      if (document.activeElement === input && input.dataset.typing) return;
      input.value = texts[end] ?? "";
      input.removeAttribute("aria-invalid");
    });
    gamma.value = String(Math.log2(channel.gamma));
    gamma.ariaValueText = rest.gammaText.textContent = formatNumber(Number(channel.gamma.toPrecision(3)));
    if (!body.hidden) rest.chart.paint();
  };
  // A histogram counts all samples, so draw it only when open.
  const paintBars = () => body.hidden || rest.chart.paintBars(log.checked);
  const open = (/** @type {boolean} */ isOpen) => {
    row.more.ariaExpanded = String(isOpen);
    body.hidden = !isOpen;
    if (isOpen) rest.chart.paint();
  };
  const keep = () =>
    keepChannelSettings(channel.name, {
      lutName: channel.lutName,
      gamma: channel.gamma,
      isLog: log.checked,
      isOpen: !body.hidden,
    });

  row.visible.addEventListener("change", () => group.toggle(position, row.visible.checked));
  row.lut.addEventListener("change", () => {
    channel.lutName = row.lut.value;
    keep();
  });
  row.auto.addEventListener("click", () => channel.autoRange());
  row.more.addEventListener("click", () => {
    open(row.more.ariaExpanded !== "true");
    paintBars();
    keep();
  });
  gamma.addEventListener("input", () => {
    channel.gamma = 2 ** Number(gamma.value);
    keep();
  });
  log.addEventListener("change", () => {
    paintBars();
    keep();
  });
  inputs.forEach((input, end) => {
    input.addEventListener("input", () => input.dataset.typing = "yes");
    input.addEventListener("change", () => delete input.dataset.typing);
    onNumber(input, (value) => channel.setEnd(end, value), onTyped);
  });
  if (settings !== null) {
    log.checked = settings.isLog;
    channel.lutName = settings.lutName;
    channel.gamma = settings.gamma;
  }
  open(settings?.isOpen ?? false);
  group.addEventListener("change", paint);
  channel.addEventListener("samples", () => {
    notes.replaceChildren(...notesOf(channel));
    paintBars();
    paint();
  });
  paint();
  // Drawing the picture has priority.
  requestAnimationFrame(() => setTimeout(paintBars));
  return card;
}

/** The row that is always shown. @param {Channel} channel @param {(part: string) => string} id */
function rowOf({ name }, id) {
  const visible = element("input", { type: "checkbox", id: id("visible") });
  const dot = swatch("");
  const range = element("span", { className: "range" });
  const lut = element(
    "select",
    { id: id("lut"), "aria-label": `Look-up table of ${name}` },
    ...LUT_NAMES.map((table) => element("option", { value: table, textContent: table })),
  );
  const auto = element("button", {
    type: "button",
    id: id("auto"),
    textContent: "Auto",
    ariaLabel: `Auto range of ${name}`,
    title: "1st to 99.5th percentile of all samples, or of what pixels show of them (a)",
  });
  const more = element("button", {
    type: "button",
    id: id("more"),
    className: "icon more",
    ariaLabel: `Range and gamma of ${name}`,
    title: "Histogram, range, gamma",
  });
  more.setAttribute("aria-controls", id("body"));
  const label = element(
    "label",
    { className: "switch", title: `Show ${name}` },
    visible,
    dot,
    element("span", { className: "name", textContent: name }),
  );
  const head = element("div", { className: "card-head" }, label, range, auto, lut, more);
  return { head, visible, dot, range, lut, auto, more };
}

/** The part that opens. @param {Channel} channel @param {(part: string) => string} id */
function bodyOf(channel, id) {
  const { name } = channel;
  const chart = contrastChart(channel);
  const inputs = ["Min", "Max"].map((label, end) =>
    element("input", {
      type: "text",
      inputMode: "decimal",
      id: id(label),
      autocomplete: "off",
      "aria-label": `${["Minimum", "Maximum"][end]} of ${name}`,
      spellcheck: false,
    })
  );
  const log = element("input", { type: "checkbox", id: id("log") });
  const gamma = element("input", {
    type: "range",
    id: id("gamma"),
    min: String(-GAMMA_POWER),
    max: String(GAMMA_POWER),
    step: "0.05",
    ariaLabel: `Gamma of ${name}`,
  });
  const gammaText = element("output", { className: "gamma" });
  const notes = element("div", { className: "notes" }, ...notesOf(channel));
  const to = element("span", { className: "to", textContent: "to" });
  const body = element(
    "div",
    { className: "card-body", id: id("body") },
    chart.chart,
    element("div", { className: "card-row" }, ...inputs.slice(0, 1), to, ...inputs.slice(1)),
    element(
      "div",
      { className: "card-row" },
      element("label", { className: "check gamma-choice" }, "Gamma", gamma),
      gammaText,
      element("label", { className: "check", title: "Logarithmic counts (l)" }, log, "Log"),
    ),
  );
  return { body, log, gamma, gammaText, inputs, notes, chart };
}

/** Notes beside the histogram: a flat plane, or NaN and infinite samples with their colour. @param {Channel} channel */
function notesOf({ stats: { min, max, count }, samples }) {
  const missing = samples.length - count;
  /** @type {(string | Node)[][]} */
  const notes = [];
  if (count > 0 && min === max) {
    notes.push([`All ${missing > 0 ? "other " : ""}samples are ${sampleText(min)}`]);
  }
  if (missing > 0) {
    const text = `${missing} of ${samples.length} samples are NaN or infinite, drawn ${NOT_A_NUMBER.name}`;
    notes.push([text, swatch(`rgb(${NOT_A_NUMBER.color})`)]);
  }
  return notes.map((parts) => element("p", { className: "note" }, ...parts));
}

/** Text such as `6 of 12 shown`; empty if all channels are shown, or one at a time. @param {ChannelGroup} group */
export function shownText({ channels, shown, composite }) {
  return composite && shown.length < channels.length ? `${shown.length} of ${channels.length} shown` : "";
}

/** Shows the count, with a button for all channels, and follows all changes of the group. @param {HTMLElement} host @param {ChannelGroup} group */
export function showCount(host, group) {
  const text = element("span");
  const all = element("button", { type: "button" });
  const paint = () => {
    text.textContent = shownText(group);
    const isAll = text.textContent === "";
    all.textContent = isAll ? `Show ${DISTINCT.length}` : "Show all";
    all.hidden = !group.composite || (isAll && group.channels.length <= DISTINCT.length);
  };
  all.addEventListener("click", () => group.show(text.textContent === "" ? DISTINCT.length : Infinity));
  group.addEventListener("change", paint);
  host.replaceChildren(text, all);
  paint();
}
