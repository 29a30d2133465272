/** The channels of one pane: a composite shows every enabled channel, other modes show one at a time. */
import { Emitter, type Plain } from "../controls/emitter.ts";
import { DisplayChannel, type LoadedChannel } from "./channel.ts";
import type { Axis } from "../../../measure/axes.ts";
import type { PlaneInfo } from "../../../client/v2/acq-client.ts";

/** Geometry of planes: `[rows, columns]`, and the axes of rows and columns. */
export type GroupGeometry = { shape: readonly [number, number]; axes: readonly [Axis, Axis] };

/** Planes of one geometry. */
export type LoadedGroup = { plane: PlaneInfo; channels: LoadedChannel[] };

/** Overlaid, one below the other, or one at a time. */
export type Mode = "merged" | "split" | "single";

/** Emits `change` when a channel, its look or the composite switch changes. */
export class ChannelGroup extends Emitter<{ change: Plain }> {
  #mode: Mode = "merged";
  #active = 0;
  /** Visibility in the composite before leaving it. */
  #chosen = ([] as boolean[]);
  readonly plane: GroupGeometry;
  readonly channels: DisplayChannel[];

  constructor({ plane, channels }: { plane: GroupGeometry; channels: readonly LoadedChannel[] }) {
    super();
    this.plane = plane;
    this.channels = channels.map((channel, position) =>
      new DisplayChannel(channel, position, channels.length)
    );
    this.#keepHues();
    this.channels.forEach((channel) => channel.addEventListener("change", () => this.emit("change")));
  }

  get mode(): Mode {
    return this.#mode;
  }

  /** Leaving the composite shows only the channel switched last; entering it restores the visibility. */
  set mode(mode) {
    const wasComposite = this.composite;
    this.#mode = mode;
    const { composite } = this;
    if (wasComposite && !composite) {
      this.#chosen = this.channels.map(({ visible }) => visible);
      if (!this.#chosen[this.#active]) this.#active = Math.max(0, this.#chosen.indexOf(true));
    }
    if (composite !== wasComposite) {
      this.#show((position) => position === this.#active || (composite && this.#chosen[position]!));
    }
    this.emit("change");
  }

  get composite(): boolean {
    return this.#mode !== "single";
  }

  #show(isShown: (position: number) => boolean) {
    this.channels.forEach((channel, position) => channel.set({ visible: isShown(position) }));
  }

  /** Replaces the planes of all channels, in their order. */
  replaceSamples(planes: readonly Float32Array[]): void {
    this.channels.forEach((channel, position) => channel.replaceSamples(planes[position] ?? channel.samples));
  }

  /**
   * Updates automatic ranges after the reduction to pixels has changed.
   *
   * @param seen returns the samples of the home view; null for all samples
   */
  see(seen: ((channel: DisplayChannel) => Float32Array) | null): void {
    if (seen === null && this.channels.every((channel) => channel.seen === null)) return;
    for (const channel of this.channels) channel.seen = seen && (() => seen(channel));
    this.channels.forEach((channel) => channel.isAuto && channel.autoRange());
    this.#keepHues();
  }

  /** Whether several channels are shown below each other. */
  get isSplit(): boolean {
    return this.#mode === "split" && this.shown.length > 1;
  }

  /** Toggles a channel in a composite; otherwise shows only this channel. */
  toggle(position: number, on?: boolean): void {
    const channel = this.channels[position];
    if (channel === undefined) return;
    if (this.composite) channel.set({ visible: on ?? !channel.visible });
    else this.#show((other) => other === position);
    if (channel.visible) this.#active = position;
    this.emit("change");
  }

  /** Shows the first `count` channels as a composite. */
  show(count: number): void {
    this.#show((position) => position < count);
    this.emit("change");
  }

  get shown(): DisplayChannel[] {
    return this.channels.filter(({ visible }) => visible);
  }

  /** Red, green and blue samples share their initial range: separate ranges would shift the colours. */
  #keepHues() {
    const colors = this.channels.slice(0, 3);
    if (colors.map(({ name }) => name).join() !== "Red,Green,Blue") return;
    if (!colors.every(({ isAuto }) => isAuto)) return;
    const ranges = colors.map(({ range }) => range);
    const low = Math.min(...ranges.map(([min]) => min));
    const high = Math.max(...ranges.map(([, max]) => max));
    colors.forEach((channel) => channel.setRange(low, high, true));
  }
}
