/**
 * Controls of one channel: a row with switch, range, Auto and look-up table, which opens to histogram, typed range,
 * gamma and Log. The browser remembers look-up table, gamma, Log and whether the row is open, by the name of the
 * channel, for the next file with such a channel; each file begins with its own range.
 */
import { counted, formatNumber } from "../../../measure/axes.ts";
import { contrastChart } from "./contrast_chart.ts";
import { byId, element, swatch, within } from "../controls/element.ts";
import { button } from "../controls/fields.ts";
import { takeNumbers } from "../controls/number_input.ts";
import { keep, kept } from "../controls/kept.ts";
import { DISTINCT, LUT_NAMES, lutColor, NOT_A_NUMBER } from "../picture/lut.ts";
import { sampleText } from "../picture/readout.ts";
import type { Channel } from "../picture/channel.ts";
import type { ChannelGroup } from "../picture/channel_group.ts";

/** Increase the number with every change of `Settings`. */
const KEY = "acq-server channels 1";

/** Number of recently used names to remember. */
const MOST_NAMES = 60;

/** What the browser remembers for a channel name. */
export type Settings = { lutName: string; gamma: number; isLog: boolean; isOpen: boolean };

/** The settings remembered for a channel name; null without any. */
export const channelSettings = (name: string): Settings | null =>
  entries().find(([other]) => other === name)?.[1] ?? null;

/** Remembers settings for a channel name, and forgets those of the name used longest ago. */
export function keepChannelSettings(name: string, settings: Settings): void {
  const others = entries().filter(([other]) => other !== name).slice(0, MOST_NAMES - 1);
  keep(KEY, [[name, settings], ...others]);
}

function entries(): [string, Settings][] {
  const list = kept(KEY);
  return Array.isArray(list) ? list : [];
}

/**
 * The card of `group.channels[position]`, made from the template of the page; it follows all changes of the channel.
 * `prefix` makes ids unique on the page.
 */
export function channelCard(
  group: ChannelGroup,
  position: number,
  prefix: string,
  onTyped: (fault: string | null) => void,
): HTMLElement {
  const channel = group.channels[position]!;
  const made = document.importNode(byId("card", HTMLTemplateElement).content, true);
  const card = within(made, ".card");
  const { name } = channel;
  for (const labelled of card.querySelectorAll("[aria-label]")) labelled.ariaLabel += ` ${name}`;
  card.ariaLabel = `${prefix === "reference" ? "Reference channel" : "Channel"} ${name}`;
  within(card, ".switch").title = `Show ${name}`;
  within(card, ".name").textContent = name;
  const visible = within(card, "#visible", HTMLInputElement);
  const dot = within(card, ".swatch");
  const range = within(card, ".range");
  const auto = within(card, "#auto");
  const lut = within(card, "#lut", HTMLSelectElement);
  lut.append(...LUT_NAMES.map((table) => element("option", { value: table, textContent: table })));
  const more = within(card, "#more");
  const body = within(card, "#body");
  const chart = contrastChart(within(body, ".histogram"), channel);
  const inputs = ["#Min", "#Max"].map((id) => within(body, id, HTMLInputElement));
  const gamma = within(body, "#gamma", HTMLInputElement);
  const log = within(body, "#log", HTMLInputElement);
  const notes = within(card, ".notes");
  notes.replaceChildren(...notesOf(channel));
  for (const part of card.querySelectorAll("[id]")) part.id = `${prefix}-${position}-${part.id}`;
  more.setAttribute("aria-controls", body.id);

  const numbers = inputs.map((input, end) => {
    input.addEventListener("input", () => input.dataset.typing = "yes");
    input.addEventListener("change", () => delete input.dataset.typing);
    const number = takeNumbers(input, {}, (value) => channel.setEnd(end, value), onTyped);
    input.after(number.note);
    return number;
  });
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
      input.value = texts[end]!;
      numbers[end]!.wrote(Number(texts[end]));
    });
    gamma.value = String(Math.log2(channel.gamma));
    const text = formatNumber(Number(channel.gamma.toPrecision(3)));
    gamma.ariaValueText = within(body, "output").textContent = text;
    if (!body.hidden) chart.paint();
  };
  // A histogram counts all samples, so draw it only when open.
  const paintBars = () => body.hidden || chart.paintBars(log.checked);
  const open = (isOpen: boolean) => {
    more.ariaExpanded = String(isOpen);
    body.hidden = !isOpen;
    if (isOpen) chart.paint();
  };
  const keepSettings = () => {
    const { lutName, gamma } = channel;
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
  const settings = channelSettings(name);
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

/** Notes beside the histogram: a flat plane, or NaN and infinite samples with their colour. */
function notesOf({ stats: { min, max, count }, samples }: Channel) {
  const missing = samples.length - count;
  const notes = [];
  if (count > 0 && min === max) {
    const text = `All ${missing > 0 ? "other " : ""}samples are ${sampleText(min)}`;
    notes.push(element("p", { className: "note" }, text));
  }
  if (missing > 0) {
    const text = `${counted(missing)} of ${
      counted(samples.length)
    } samples are NaN or infinite, drawn ${NOT_A_NUMBER.name}`;
    notes.push(element("p", { className: "note" }, text, swatch(`rgb(${NOT_A_NUMBER.color})`)));
  }
  return notes;
}

/** Text such as `6 of 12 shown`; empty if all channels are shown, or one at a time. */
export function shownText({ channels, shown, composite }: ChannelGroup): string {
  return composite && shown.length < channels.length ? `${shown.length} of ${channels.length} shown` : "";
}

/** Shows the count, with a button for all channels, and follows all changes of the group. */
export function showCount(host: HTMLElement, group: ChannelGroup): void {
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
