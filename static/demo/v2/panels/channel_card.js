/**
 * Controls of one channel: a row with switch, range, Auto and look-up table, which opens to histogram, typed range,
 * gamma and Log. The browser remembers look-up table, gamma, Log and whether the row is open, by the name of the
 * channel, for the next file with such a channel; each file begins with its own range.
 */
import { formatNumber } from "../../../measure/axes.js";
import { contrastChart } from "./contrast_chart.js";
import { element, swatch } from "../controls/element.js";
import { button, onNumber } from "../controls/fields.js";
import { keep, kept } from "../controls/kept.js";
import { DISTINCT, LUT_NAMES, lutColor, NOT_A_NUMBER } from "../picture/lut.js";
import { sampleText } from "../picture/readout.js";

/** @import { Place } from "../controls/kept.js" */
/** @import { Channel } from "../picture/channel.js" */
/** @import { ChannelGroup } from "../picture/channel_group.js" */

/** Range of gamma as a power of two in both directions: 0.25 to 4. */
const GAMMA_POWER = 2;

/** Increase the number with every change of `Settings`. */
const KEY = "acq-server channels 1";

/** Number of recently used names to remember. */
const MOST_NAMES = 60;

/** @typedef {{lutName: string, gamma: number, isLog: boolean, isOpen: boolean}} Settings */

/** @param {string} name @param {() => Place} [place] @returns {Settings | null} */
export function channelSettings(name, place) {
  return entries(place).find(([other]) => other === name)?.[1] ?? null;
}

/** @param {string} name @param {Settings} settings @param {() => Place} [place] */
export function keepChannelSettings(name, settings, place) {
  const others = entries(place).filter(([other]) => other !== name).slice(0, MOST_NAMES - 1);
  keep(KEY, [[name, settings], ...others], place);
}

/** @param {() => Place} [place] @returns {[string, Settings][]} */
function entries(place) {
  const list = kept(KEY, place);
  return Array.isArray(list) ? list : [];
}

/**
 * The card of `group.channels[position]`; it follows all changes of the channel.
 *
 * @param {ChannelGroup} group
 * @param {number} position
 * @param {string} prefix makes ids unique on the page
 * @param {(message: string | null) => void} onTyped receives the fault of a typed number, or null
 */
export function channelCard(group, position, prefix, onTyped) {
  const channel = group.channels[position];
  const { visible, dot, range, lut, auto, more, chart, inputs, log, gamma, gammaText, notes, body, card } =
    partsOf(channel, `${prefix}-${position}`);
  card.ariaLabel = `${prefix === "reference" ? "Reference channel" : "Channel"} ${channel.name}`;

  const paint = () => {
    const [low, high] = channel.range;
    visible.checked = channel.visible;
    visible.type = group.composite ? "checkbox" : "radio";
    card.classList.toggle("off", !channel.visible);
    lut.value = channel.lutName;
    dot.style.background = lutColor(channel.lutName);
    const texts = [low, high].map((value) => formatNumber(value, high - low));
    range.textContent = texts.join(" – ");
    inputs.forEach((input, end) => {
      if (document.activeElement === input && input.dataset.typing) return;
      input.value = texts[end];
      input.removeAttribute("aria-invalid");
    });
    gamma.value = String(Math.log2(channel.gamma));
    gamma.ariaValueText = gammaText.textContent = formatNumber(Number(channel.gamma.toPrecision(3)));
    if (!body.hidden) chart.paint();
  };
  // A histogram counts all samples, so draw it only when open.
  const paintBars = () => body.hidden || chart.paintBars(log.checked);
  const open = (/** @type {boolean} */ isOpen) => {
    more.ariaExpanded = String(isOpen);
    body.hidden = !isOpen;
    if (isOpen) chart.paint();
  };
  const keepSettings = () => {
    const { name, lutName, gamma } = channel;
    keepChannelSettings(name, { lutName, gamma, isLog: log.checked, isOpen: !body.hidden });
  };

  visible.addEventListener("change", () => group.toggle(position, visible.checked));
  lut.addEventListener("change", () => {
    channel.set({ lutName: lut.value });
    keepSettings();
  });
  auto.addEventListener("click", () => channel.autoRange());
  more.addEventListener("click", () => {
    open(more.ariaExpanded !== "true");
    paintBars();
    keepSettings();
  });
  gamma.addEventListener("input", () => {
    channel.set({ gamma: 2 ** Number(gamma.value) });
    keepSettings();
  });
  log.addEventListener("change", () => {
    paintBars();
    keepSettings();
  });
  inputs.forEach((input, end) => {
    input.addEventListener("input", () => input.dataset.typing = "yes");
    input.addEventListener("change", () => delete input.dataset.typing);
    onNumber(input, (value) => channel.setEnd(end, value), onTyped);
  });
  const settings = channelSettings(channel.name);
  if (settings !== null) {
    log.checked = settings.isLog;
    channel.set({ lutName: settings.lutName, gamma: settings.gamma });
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

/** The elements of a card. @param {Channel} channel @param {string} prefix of their ids */
function partsOf(channel, prefix) {
  const { name } = channel;
  const id = (/** @type {string} */ part) => `${prefix}-${part}`;
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
    "aria-controls": id("body"),
  });
  const label = element(
    "label",
    { className: "switch", title: `Show ${name}` },
    visible,
    dot,
    element("span", { className: "name", textContent: name }),
  );
  const chart = contrastChart(channel);
  const inputs = [["Min", "Minimum"], ["Max", "Maximum"]].map(([part, end]) =>
    element("input", {
      type: "text",
      inputMode: "decimal",
      id: id(part),
      autocomplete: "off",
      "aria-label": `${end} of ${name}`,
      spellcheck: false,
    })
  );
  const to = element("span", { className: "to", textContent: "to" });
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
  const body = element(
    "div",
    { className: "card-body", id: id("body") },
    chart.chart,
    element("div", { className: "card-row" }, inputs[0], to, inputs[1]),
    element(
      "div",
      { className: "card-row" },
      element("label", { className: "check gamma-choice" }, "Gamma", gamma),
      gammaText,
      element("label", { className: "check", title: "Logarithmic counts (l)" }, log, "Log"),
    ),
  );
  const head = element("div", { className: "card-head" }, label, range, auto, lut, more);
  const card = element("div", { className: "card", role: "group" }, head, notes, body);
  return { visible, dot, range, lut, auto, more, chart, inputs, log, gamma, gammaText, notes, body, card };
}

/** Notes beside the histogram: a flat plane, or NaN and infinite samples with their colour. @param {Channel} channel */
function notesOf({ stats: { min, max, count }, samples }) {
  const missing = samples.length - count;
  const notes = [];
  if (count > 0 && min === max) {
    const text = `All ${missing > 0 ? "other " : ""}samples are ${sampleText(min)}`;
    notes.push(element("p", { className: "note" }, text));
  }
  if (missing > 0) {
    const text = `${missing} of ${samples.length} samples are NaN or infinite, drawn ${NOT_A_NUMBER.name}`;
    notes.push(element("p", { className: "note" }, text, swatch(`rgb(${NOT_A_NUMBER.color})`)));
  }
  return notes;
}

/** Text such as `6 of 12 shown`; empty if all channels are shown, or one at a time. @param {ChannelGroup} group */
export function shownText({ channels, shown, composite }) {
  return composite && shown.length < channels.length ? `${shown.length} of ${channels.length} shown` : "";
}

/** Shows the count, with a button for all channels, and follows all changes of the group. @param {HTMLElement} host @param {ChannelGroup} group */
export function showCount(host, group) {
  const text = element("span");
  const all = button("", () => group.show(text.textContent === "" ? DISTINCT.length : Infinity));
  const paint = () => {
    text.textContent = shownText(group);
    const isAll = text.textContent === "";
    all.textContent = isAll ? `Show ${DISTINCT.length}` : "Show all";
    all.hidden = !group.composite || (isAll && group.channels.length <= DISTINCT.length);
  };
  group.addEventListener("change", paint);
  host.replaceChildren(text, all);
  paint();
}
