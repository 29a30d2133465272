/**
 * The channels of one pane and which of them are shown: as a composite every channel that is switched on, otherwise
 * one at a time.
 */
import { Channel } from "./channel.js";

/** @import { Axis } from "../../../measure/axes.js" */
/** @import { PlaneInfo } from "../../../client/v2/acq-client.d.ts" */
/** @import { LoadedChannel } from "./channel.js" */

/** @typedef {{shape: readonly [number, number], axes: readonly [Axis, Axis]}} Plane */

/** @typedef {{plane: PlaneInfo, channels: LoadedChannel[]}} LoadedGroup planes of one geometry */

/** @typedef {"merged" | "split" | "single"} Mode one over the other, one below the other, or one at a time */

/** Emits `change` when a channel, its look or the composite switch changes. */
export class ChannelGroup extends EventTarget {
  #composite = true;
  #isSplit = false;
  #active = 0;
  /** What the composite showed when it was left. */
  #chosen = /** @type {boolean[]} */ ([]);

  /** @param {{plane: Plane, channels: readonly LoadedChannel[]}} fetched */
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
        ? this.#chosen[position] === true || position === this.#active
        : position === this.#active
    );
    this.#changed();
  }

  /** Other planes of the same channels, in their order. @param {readonly Float32Array[]} planes */
  replaceSamples(planes) {
    this.channels.forEach((channel, position) => channel.replaceSamples(planes[position] ?? channel.samples));
  }

  /**
   * What a picture shows of many samples is another part of them: ranges that nobody has chosen follow.
   *
   * @param {((channel: Channel) => Float32Array) | null} seen at home; null for the samples themselves
   */
  see(seen) {
    if (seen === null && this.channels.every((channel) => channel.seen === null)) return;
    for (const channel of this.channels) channel.seen = seen && (() => seen(channel));
    this.channels.forEach((channel) => channel.isAuto && channel.autoRange());
    this.#keepHues();
  }

  /** How channels are shown. @returns {Mode} */
  get mode() {
    return !this.#composite ? "single" : this.#isSplit ? "split" : "merged";
  }

  set mode(mode) {
    this.#isSplit = mode === "split";
    this.composite = mode !== "single";
    this.#changed();
  }

  /** Whether shown channels lie below each other instead of one over the other; only in the composite. */
  get isSplit() {
    return this.#isSplit && this.#composite && this.shown.length > 1;
  }

  /** Switches a channel: on or off in a composite, otherwise to this one alone. @param {number} position @param {boolean} [on] */
  toggle(position, on) {
    const channel = this.channels[position];
    if (channel === undefined) return;
    if (this.#composite) channel.visible = on ?? !channel.visible;
    else this.channels.forEach((channel, other) => channel.visible = other === position);
    if (channel.visible) this.#active = position;
    this.#changed();
  }

  /** Shows so many of the first channels, in a composite. @param {number} count */
  show(count) {
    this.channels.forEach((channel, position) => channel.visible = position < count);
    this.#changed();
  }

  get shown() {
    return this.channels.filter(({ visible }) => visible);
  }

  /** Red, green and blue samples begin with one range for all: each with its own would turn the colours. */
  #keepHues() {
    const colors = this.channels.slice(0, 3);
    if (colors.map(({ name }) => name).join() !== "Red,Green,Blue") return;
    if (!colors.every(({ isAuto }) => isAuto)) return;
    const ranges = colors.map(({ range }) => range);
    const low = Math.min(...ranges.map(([min]) => min));
    const high = Math.max(...ranges.map(([, max]) => max));
    colors.forEach((channel) => channel.setRange(low, high, true));
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
