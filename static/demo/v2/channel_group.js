/**
 * The channels of one pane and which of them are shown: as a composite every channel that is switched on, otherwise
 * one at a time.
 */
import { Channel } from "./channel.js";

/** Emits `change` when a channel, its look or the composite switch changes. */
export class ChannelGroup extends EventTarget {
  #composite = true;
  #active = 0;

  /** @param {{plane: object, channels: object[]}} fetched */
  constructor({ plane, channels }) {
    super();
    this.plane = plane;
    this.channels = channels.map((channel, position) => new Channel(channel, position));
    this.#keepHues();
    this.channels.forEach((channel) => channel.addEventListener("change", () => this.#changed()));
  }

  get composite() {
    return this.#composite;
  }

  /** Leaving the composite shows the active channel alone; entering it shows all. */
  set composite(composite) {
    this.#composite = composite;
    this.channels.forEach((channel, position) => channel.visible = composite || position === this.#active);
    this.#changed();
  }

  /** The channel that snippets speak of: the one last touched, or the first that is shown when that one is switched off. */
  get active() {
    return this.channels[this.#active];
  }

  /** Switches a channel: on or off in a composite, otherwise to this one alone. */
  toggle(position, on = !this.channels[position].visible) {
    if (this.#composite) this.channels[position].visible = on;
    else this.channels.forEach((channel, other) => channel.visible = other === position);
    const isShown = this.channels[position].visible || this.shown.length === 0;
    this.#active = isShown ? position : this.channels.indexOf(this.shown[0]);
    this.#changed();
  }

  /** Makes a channel the active one. */
  activate(position) {
    if (position === this.#active) return;
    this.#active = position;
    this.#changed();
  }

  get shown() {
    return this.channels.filter(({ visible }) => visible);
  }

  /** Red, green and blue samples begin with one range for all: each with its own would turn the colours. */
  #keepHues() {
    const colors = this.channels.slice(0, 3);
    if (colors.map(({ name }) => name).join() !== "Red,Green,Blue") return;
    const ranges = colors.map(({ range }) => range);
    const low = Math.min(...ranges.map(([min]) => min));
    const high = Math.max(...ranges.map(([, max]) => max));
    colors.forEach((channel) => channel.setRange(low, high));
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
