/**
 * The channels of one pane and which of them are shown: as a composite every channel that is switched on, otherwise
 * one at a time.
 */
import { Channel } from "./channel.js";

/** Emits `change` when a channel, its look or the composite switch changes. */
export class ChannelGroup extends EventTarget {
  #composite = true;
  #active = 0;
  /** What the composite showed when it was left. @type {boolean[]} */
  #chosen = [];

  /** @param {import("./loaded_planes.js").Group} fetched */
  constructor({ plane, channels }) {
    super();
    this.plane = plane;
    this.channels = channels.map((channel, position) => new Channel(channel, position, channels.length));
    this.#keepHues();
    this.channels.forEach((channel) => channel.addEventListener("change", () => this.#changed()));
  }

  get composite() {
    return this.#composite;
  }

  /** Leaving the composite shows one channel alone, the one last switched; entering it shows again what it showed before. */
  set composite(composite) {
    if (composite === this.#composite) return;
    this.#composite = composite;
    if (!composite) {
      this.#chosen = this.channels.map(({ visible }) => visible);
      if (!this.#chosen[this.#active]) this.#active = Math.max(0, this.#chosen.indexOf(true));
    }
    this.channels.forEach((channel, position) =>
      channel.visible = composite
        ? this.#chosen[position] || position === this.#active
        : position === this.#active
    );
    this.#changed();
  }

  /** Other planes of the same channels, in their order. @param {readonly Float32Array[]} planes */
  replaceSamples(planes) {
    this.channels.forEach((channel, position) => channel.replaceSamples(planes[position] ?? channel.samples));
  }

  /** Switches a channel: on or off in a composite, otherwise to this one alone. @param {number} position @param {boolean} [on] */
  toggle(position, on = !this.channels[position].visible) {
    if (this.#composite) this.channels[position].visible = on;
    else this.channels.forEach((channel, other) => channel.visible = other === position);
    if (this.channels[position].visible) this.#active = position;
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
