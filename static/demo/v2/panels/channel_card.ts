/**
 * Controls of one channel: a row with switch, range, Auto and look-up table, which opens to histogram, typed range,
 * gamma and Log. The browser remembers look-up table, gamma, Log and whether the row is open, by the name of the
 * channel, for the next file with such a channel; each file begins with its own range.
 */
import { formatCount, formatDigits } from "../../../measure/axes.ts";
import { makeContrastChart } from "./contrast_chart.ts";
import { byId, element, findWithin, makeSwatch } from "../controls/element.ts";
import { button } from "../controls/fields.ts";
import { takeNumbers } from "../controls/number_input.ts";
import { readKept, writeKept } from "../controls/kept.ts";
import { chooseLutColor, DISTINCT, LUT_NAMES, NOT_A_NUMBER } from "../picture/lut.ts";
import { sampleText } from "../picture/readout.ts";
import type { DisplayChannel } from "../picture/channel.ts";
import type { ChannelGroup } from "../picture/channel_group.ts";

/** Increase the number with every change of `ChannelDisplay`. */
const KEY = "acq-server channels 1";

/** Number of recently used names to remember. */
const MOST_NAMES = 60;

/** What the browser remembers for a channel name. */
export type ChannelDisplay = { lutName: string; gamma: number; isLog: boolean; isOpen: boolean };

/** The settings remembered for a channel name; null without any. */
export const readChannelSettings = (name: string): ChannelDisplay | null =>
  readEntries().find(([other]) => other === name)?.[1] ?? null;

/** Remembers settings for a channel name, and forgets those of the name used longest ago. */
export function keepChannelSettings(name: string, settings: ChannelDisplay): void {
  const others = readEntries().filter(([other]) => other !== name).slice(0, MOST_NAMES - 1);
  writeKept(KEY, [[name, settings], ...others]);
}

function readEntries(): [string, ChannelDisplay][] {
  const list = readKept(KEY);
  return Array.isArray(list) ? list : [];
}

/**
 * The card of `group.channels[position]`, made from the template of the page; it follows all changes of the channel.
 * `prefix` makes ids unique on the page.
 */
export const makeChannelCard = (
  group: ChannelGroup,
  position: number,
  prefix: string,
  onTyped: (fault: string | null) => void,
): HTMLElement => new ChannelCard(group, position, prefix, onTyped).element;

class ChannelCard {
  readonly element: HTMLElement;
  readonly #group;
  readonly #position;
  readonly #channel;
  readonly #chart;
  readonly #ends;
  readonly #visible;
  readonly #lut;
  readonly #more;
  readonly #body;
  readonly #gamma;
  readonly #log;

  constructor(
    group: ChannelGroup,
    position: number,
    prefix: string,
    onTyped: (fault: string | null) => void,
  ) {
    const channel = group.channels[position]!;
    this.#group = group;
    this.#position = position;
    this.#channel = channel;
    const made = document.importNode(byId("card", HTMLTemplateElement).content, true);
    const card = this.element = findWithin(made, ".card");
    this.#visible = findWithin(card, "#visible", HTMLInputElement);
    this.#lut = findWithin(card, "#lut", HTMLSelectElement);
    this.#lut.append(...LUT_NAMES.map((table) => element("option", { value: table, textContent: table })));
    this.#more = findWithin(card, "#more");
    const body = this.#body = findWithin(card, "#body");
    this.#chart = makeContrastChart(findWithin(body, ".histogram"), channel);
    this.#gamma = findWithin(body, "#gamma", HTMLInputElement);
    this.#log = findWithin(body, "#log", HTMLInputElement);
    const inputs = ["#Min", "#Max"].map((id) => findWithin(body, id, HTMLInputElement));
    const auto = findWithin(card, "#auto");
    this.#name(prefix);
    this.#ends = inputs.map((input, end) => {
      input.addEventListener("input", () => input.dataset.typing = "yes");
      input.addEventListener("change", () => delete input.dataset.typing);
      const number = takeNumbers(input, {}, (value) => channel.setEnd(end, value), onTyped);
      input.after(number.note);
      return { input, number };
    });
    auto.addEventListener("click", () => channel.autoRange());
    this.#listen();
    this.#recall();
    this.#show();
    // Drawing the picture has priority.
    requestAnimationFrame(() => setTimeout(() => this.#paintBars()));
  }

  /** Writes the name of the channel into the card, and makes its ids unique. */
  #name(prefix: string) {
    const [card, { name }] = [this.element, this.#channel];
    for (const labelled of card.querySelectorAll("[aria-label]")) labelled.ariaLabel += ` ${name}`;
    card.ariaLabel = `${prefix === "reference" ? "Reference channel" : "Channel"} ${name}`;
    findWithin(card, ".switch").title = `Show ${name}`;
    findWithin(card, ".name").textContent = name;
    for (const part of card.querySelectorAll("[id]")) part.id = `${prefix}-${this.#position}-${part.id}`;
    this.#more.setAttribute("aria-controls", this.#body.id);
  }

  #listen() {
    const [group, channel] = [this.#group, this.#channel];
    this.#visible.addEventListener("change", () => group.toggle(this.#position, this.#visible.checked));
    this.#lut.addEventListener("change", () => {
      channel.set({ lutName: this.#lut.value });
      this.#keep();
    });
    this.#more.addEventListener("click", () => {
      this.#open(this.#more.ariaExpanded !== "true");
      this.#paintBars();
      this.#keep();
    });
    this.#gamma.addEventListener("input", () => {
      channel.set({ gamma: 2 ** Number(this.#gamma.value) });
      this.#keep();
    });
    this.#log.addEventListener("change", () => {
      this.#paintBars();
      this.#keep();
    });
  }

  /** Takes the settings that are kept for the name of the channel. */
  #recall() {
    const settings = readChannelSettings(this.#channel.name);
    if (settings !== null) {
      this.#log.checked = settings.isLog;
      this.#channel.set({ lutName: settings.lutName, gamma: settings.gamma });
    }
    this.#open(settings?.isOpen ?? false);
  }

  /** Shows the channel, and follows it from now on. */
  #show() {
    const notes = findWithin(this.element, ".notes");
    const showNotes = () => notes.replaceChildren(...makeChannelNotes(this.#channel));
    this.#group.addEventListener("change", () => this.#paint());
    this.#channel.addEventListener("samples", () => {
      showNotes();
      this.#paintBars();
      this.#paint();
    });
    showNotes();
    this.#paint();
  }

  #paint() {
    const [card, channel] = [this.element, this.#channel];
    const [low, high] = channel.range;
    this.#visible.checked = channel.visible;
    this.#visible.type = this.#group.composite ? "checkbox" : "radio";
    card.classList.toggle("off", !channel.visible);
    this.#lut.value = channel.lutName;
    findWithin(card, ".swatch").style.background = chooseLutColor(channel.lutName);
    const texts = [low, high].map((value) => formatDigits(value, high - low));
    findWithin(card, ".range").textContent = texts.join(" – ");
    for (const [end, { input, number }] of this.#ends.entries()) {
      if (document.activeElement === input && input.dataset.typing) continue;
      input.value = texts[end]!;
      number.wrote(Number(texts[end]));
    }
    this.#gamma.value = String(Math.log2(channel.gamma));
    const text = formatDigits(Number(channel.gamma.toPrecision(3)));
    this.#gamma.ariaValueText = findWithin(this.#body, "output").textContent = text;
    if (!this.#body.hidden) this.#chart.paint();
  }

  /** A histogram counts all samples, so it is drawn only when open. */
  #paintBars() {
    if (!this.#body.hidden) this.#chart.paintBars(this.#log.checked);
  }

  #open(isOpen: boolean) {
    this.#more.ariaExpanded = String(isOpen);
    this.#body.hidden = !isOpen;
    if (isOpen) this.#chart.paint();
  }

  #keep() {
    const { name, lutName, gamma } = this.#channel;
    keepChannelSettings(name, { lutName, gamma, isLog: this.#log.checked, isOpen: !this.#body.hidden });
  }
}

/** Notes beside the histogram: a flat plane, or NaN and infinite samples with their colour. */
function makeChannelNotes({ stats: { min, max, count }, samples }: DisplayChannel) {
  const missing = samples.length - count;
  const notes = [];
  if (count > 0 && min === max) {
    const text = `All ${missing > 0 ? "other " : ""}samples are ${sampleText(min)}`;
    notes.push(element("p", { className: "note" }, text));
  }
  if (missing > 0) {
    const text = `${formatCount(missing)} of ${
      formatCount(samples.length)
    } samples are NaN or infinite, drawn ${NOT_A_NUMBER.name}`;
    notes.push(element("p", { className: "note" }, text, makeSwatch(`rgb(${NOT_A_NUMBER.color})`)));
  }
  return notes;
}

/** Text such as `6 of 12 shown`; empty if all channels are shown, or one at a time. */
export function formatShownCount({ channels, shown, composite }: ChannelGroup): string {
  return composite && shown.length < channels.length ? `${shown.length} of ${channels.length} shown` : "";
}

/** Shows the count, with a button for all channels, and follows all changes of the group. */
export function showCount(host: HTMLElement, group: ChannelGroup): void {
  const text = element("span");
  const all = button("", () => group.show(text.textContent === "" ? DISTINCT.length : Infinity));
  const paint = () => {
    text.textContent = formatShownCount(group);
    const isAll = text.textContent === "";
    all.textContent = isAll ? `Show ${DISTINCT.length}` : "Show all";
    all.hidden = !group.composite || (isAll && group.channels.length <= DISTINCT.length);
  };
  group.addEventListener("change", paint);
  host.replaceChildren(text, all);
  paint();
}
