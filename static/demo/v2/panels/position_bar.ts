/** Sliders for time, focus and wavelength, play, and the list of scenes. */
import { formatQuantity, isTime } from "../../../measure/axes.ts";
import { byId, element, findWithin } from "../controls/element.ts";
import { takeNumbers } from "../controls/number_input.ts";
import type { OpenResponse } from "../../../client/v2/acq-client.ts";
import type { PlaneIndices } from "./plane_steps.ts";

/** Name of an axis in requests. */
export type AxisName = "t" | "z" | "l";

const AXES: readonly { name: AxisName; word: string }[] = [
  { name: "t", word: "Time" },
  { name: "z", word: "Focus" },
  { name: "l", word: "Wavelength" },
];

/** Number of further positions to fetch ahead. */
const AHEAD = 2;

/** Suffix of the name of an accepted scene. */
const ACCEPTED = " · accepted";

/** The controls for position and scene. */
export class PositionBar {
  readonly #onStep;
  #info: OpenResponse | null = null;
  place: PlaneIndices = { t: 0, z: 0, l: 0 };
  /** Axis and direction of the last step. */
  #way: { axis: AxisName; by: number } = { axis: "t", by: 1 };
  /** Pictures per second. */
  #rate = 10;
  /** Names in the list of scenes. */
  #sceneNames: readonly string[] = [];
  /** Aborts playback. */
  #playing: AbortController | null = null;

  /** @param onStep settles when the position is shown or obsolete */
  constructor(
    onStep: (place: PlaneIndices, ahead: PlaneIndices[]) => Promise<void>,
    onScene: (scene: number) => void,
  ) {
    this.#onStep = onStep;
    for (const { name } of AXES) {
      const slider = byId(`position-${name}`, HTMLInputElement);
      slider.addEventListener("input", () => {
        this.pause();
        this.#go(name, Number(slider.value) - this.place[name]);
      });
    }
    byId("play").addEventListener("click", () => this.togglePlay());
    const rate = byId("rate", HTMLInputElement);
    rate.closest("label")!.append(
      takeNumbers(rate, { min: 0.1, max: 60 }, (typed) => this.#rate = typed).note,
    );
    const scenes = byId("scene", HTMLSelectElement);
    scenes.addEventListener("change", () => onScene(Number(scenes.value)));
  }

  get hasSteps(): boolean {
    return AXES.some(({ name }) => this.#size(name) > 1);
  }

  show(info: OpenResponse, position: PlaneIndices, isSample: boolean): void {
    this.pause();
    this.#info = info;
    // A changed file may be shorter.
    const inside = (name: AxisName) => Math.min(position[name], this.#size(name) - 1);
    this.place = { t: inside("t"), z: inside("z"), l: inside("l") };
    const axis = AXES.find(({ name }) => this.#size(name) > 1)?.name ?? "l";
    this.#way = { axis, by: 1 };
    const { scenes = [], scene = 0 } = info;
    const list = byId("scene", HTMLSelectElement);
    const names = scenes.map(({ name, sizes }) => [name, formatSizes(sizes)].filter(Boolean).join(" · "));
    // Making thousands of options again would take a second.
    if (names.length !== this.#sceneNames.length || names.some((name, i) => name !== this.#sceneNames[i])) {
      this.#sceneNames = names;
      list.replaceChildren(
        ...scenes.map(({ index }, i) => element("option", { value: String(index), textContent: names[i]! })),
      );
    }
    // The scene that was open may be marked as accepted.
    for (const [i, option] of [...list.options].entries()) {
      if (option.textContent !== names[i]) option.textContent = names[i]!;
    }
    list.value = String(scene);
    byId("scene-choice").hidden = scenes.length < 2;
    for (const { name } of AXES) {
      byId(`position-${name}`, HTMLInputElement).max = String(this.#size(name) - 1);
      byId(`axis-${name}`).hidden = this.#size(name) < 2;
    }
    byId("player").hidden = !this.hasSteps;
    byId("positions").hidden = isSample || (!this.hasSteps && scenes.length < 2);
    this.#paint();
  }

  /** Shows whether the open scene is accepted. */
  accept(isAccepted: boolean): void {
    const [option] = byId("scene", HTMLSelectElement).selectedOptions;
    if (option === undefined) return;
    option.textContent = option.textContent.replace(ACCEPTED, "") + (isAccepted ? ACCEPTED : "");
  }

  hide(): void {
    this.pause();
    byId("positions").hidden = true;
  }

  /** Steps along an axis; stays inside it. */
  step(name: AxisName, by: number): void {
    if (byId("positions").hidden) return;
    this.pause();
    this.#go(name, by);
  }

  togglePlay(): void {
    if (this.#playing !== null) this.pause();
    else if (this.hasSteps) this.#play();
  }

  pause(): void {
    this.#playing?.abort();
    this.#setPlaying(null);
  }

  #go(name: AxisName, by: number) {
    const wanted = Math.min(this.#size(name) - 1, Math.max(0, this.place[name] + by));
    if (wanted === this.place[name]) return;
    this.#way = { axis: name, by: Math.sign(by) };
    this.place = { ...this.place, [name]: wanted };
    this.#paint();
    this.#onStep(this.place, this.#ahead(false));
  }

  async #play() {
    const playing = new AbortController();
    this.#setPlaying(playing);
    const { axis } = this.#way;
    this.#way = { axis, by: 1 };
    let due = performance.now();
    while (!playing.signal.aborted) {
      this.place = { ...this.place, [axis]: (this.place[axis] + 1) % this.#size(axis) };
      this.#paint();
      await this.#onStep(this.place, this.#ahead(true));
      // A late picture delays all following ones.
      due = Math.max(performance.now(), due + 1000 / this.#rate);
      await new Promise((done) => setTimeout(done, due - performance.now()));
    }
  }

  /** Likely next positions. @param isRound whether the first position follows the last */
  #ahead(isRound: boolean) {
    const { axis, by } = this.#way;
    const size = this.#size(axis);
    return Array.from({ length: AHEAD }, (_, i) => this.place[axis] + (i + 1) * by)
      .map((index) => isRound ? index % size : index)
      .filter((index) => index >= 0 && index < size)
      .map((index) => ({ ...this.place, [axis]: index }));
  }

  #size(name: AxisName) {
    return this.#info?.header.sizes[name.toUpperCase()] ?? 1;
  }

  #paint() {
    for (const { name, word } of AXES) {
      const index = this.place[name];
      const slider = byId(`position-${name}`, HTMLInputElement);
      slider.value = String(index);
      const count = `${index + 1} / ${this.#size(name)}`;
      const where = [count, this.#physical(name, index)].filter(Boolean).join(" · ");
      slider.ariaValueText = `${word} ${where}`;
      findWithin(byId(`axis-${name}`), "output").textContent = where;
    }
  }

  /** Time or depth of an index; empty if unknown. */
  #physical(name: AxisName, index: number) {
    const { header, times } = this.#info as OpenResponse;
    const at = header.dims.findIndex((dim) => dim === name.toUpperCase());
    const unit = header.physicalUnitsLabels[at] ?? "Pixels";
    const value = index * (header.physicalUnits[at] ?? 1);
    const time = (name === "t" ? times?.[index] : undefined) ?? (isTime({ unit }) ? value : undefined);
    if (time !== undefined) return `${time.toFixed(time < 10 ? 3 : 1)} s`;
    return unit === "Pixels" ? "" : formatQuantity(value, { unit });
  }

  #setPlaying(playing: AbortController | null) {
    this.#playing = playing;
    byId("play").ariaPressed = String(playing !== null);
    byId("play").textContent = playing === null ? "Play" : "Pause";
  }
}

/** Singular and plural names of the axes of a size. */
const WORDS: Readonly<Record<string, readonly [string, string]>> = {
  C: ["channel", "channels"],
  T: ["time point", "time points"],
  Z: ["focus plane", "focus planes"],
  L: ["wavelength", "wavelengths"],
};

/** Sizes of a scene, such as `64 × 48 · 12 time points`. */
function formatSizes({ X, Y, ...others }: Record<string, number>) {
  const rest = Object.entries(others).map(([name, size]) => {
    const [one, several] = WORDS[name] ?? [name, name];
    return `${size} ${size === 1 ? one : several}`;
  });
  return [...(X !== undefined && Y !== undefined ? [`${X} × ${Y}`] : []), ...rest].join(" · ");
}
