/** Lets the user show an image as a line scan if its file does not; the calibration is typed or read from a text file. */
import { roundToDigits } from "../../../measure/axes.ts";
import { readCalibration, readFrameInterval } from "../../../measure/calibration_text.ts";
import { Emitter, type Plain } from "../controls/emitter.ts";
import { element } from "../controls/element.ts";
import { button, choiceField, fieldRow, numberField } from "../controls/fields.ts";
import { makeHelpLink } from "../controls/help.ts";
import { panel } from "./panel.ts";
import type { TypedScan } from "../../../measure/typed_scan.ts";

/** Most bytes of a text file that are read: such files have some kilobytes. */
const MOST_BYTES = 4 << 20;

/** Emits `treat` with what was typed, and `back`. */
export class TypedPanel extends Emitter<{ treat: TypedScan; back: Plain }> {
  /** Path of the file that the numbers were typed for. */
  #path = "";
  /** Name of the text file that the numbers come from; empty once one of them is typed. */
  #textFile = "";
  readonly #time = choiceField("Time runs along", "typed-time", [
    { value: "rows" as const, name: "rows (down)" },
    { value: "columns" as const, name: "columns (to the right)" },
  ]);
  readonly #line = this.#field("Time per line", "typed-line", NaN, "ms");
  readonly #pixel = this.#field("Distance per pixel", "typed-pixel", NaN, "µm");
  readonly #pixelTime = this.#field("Time per pixel", "typed-pixel-time", 0, "µs");
  readonly #file = element("input", {
    type: "file",
    id: "typed-file",
    accept: ".txt,.csv,text/*",
    hidden: true,
  });
  readonly #status = element("p", { className: "hint", role: "status" });
  readonly #treat = button("Treat as line scan", () => this.#order(), { id: "typed-treat" });
  readonly #back = button("Show as image", () => this.emit("back"), { id: "typed-back" });
  readonly #texts: () => Promise<readonly string[]>;
  /** Path of the file whose texts were searched for the time between frames. */
  #searched = "";
  readonly element: HTMLDetailsElement;

  /** @param texts the metadata documents of the shown file */
  constructor(texts: () => Promise<readonly string[]>) {
    super();
    this.#texts = texts;
    const fromText = button("From a text file…", () => this.#file.click(), {
      title: "Takes the numbers from the text that the microscope wrote",
    });
    this.#file.addEventListener("change", () => {
      const [file] = this.#file.files ?? [];
      if (file !== undefined) this.#read(file);
      this.#file.value = "";
    });
    this.element = element(
      "details",
      { id: "measure-typed" },
      element("summary", { textContent: "Treat as line scan" }),
      makeHelpLink("treat-an-image-as-a-line-scan", "Treat as line scan"),
      panel(
        element("p", {
          className: "hint",
          textContent:
            "The file does not say that this is a line scan. With time and distance typed here, traces, " +
            "velocities and events can be measured; every table says that they were typed.",
        }),
        fieldRow(this.#time.label, this.#line.label, this.#pixel.label, this.#pixelTime.label),
        fieldRow(fromText, this.#file),
        this.#status,
        fieldRow(this.#treat, this.#back),
      ),
    );
    this.element.addEventListener("toggle", () => void this.#propose());
  }

  /** Fills in the time between frames that ImageJ wrote, unless a number was typed. */
  async #propose() {
    const path = this.#path;
    if (!this.element.open || this.element.hidden || this.#searched === path) return;
    this.#searched = path;
    // Without its documents the file states nothing.
    const texts = await this.#texts().catch(() => []);
    const seconds = texts.map(readFrameInterval).find((value) => value !== undefined);
    if (seconds === undefined || this.#path !== path || this.#line.input.value !== "") return;
    this.#line.number = roundToDigits(seconds * 1e3, 12);
    this.#status.textContent =
      `The file states ${this.#line.number} ms between frames (finterval of ImageJ).`;
  }

  #field(name: string, id: string, value: number, unit: string) {
    const typed = () => {
      this.#textFile = "";
      this.#status.textContent = "";
    };
    const isRequired = Number.isNaN(value);
    const field = numberField(name, id, value, typed, { min: isRequired ? 1e-6 : 0, unit });
    field.input.required = isRequired;
    return field;
  }

  /** Treats the image as a line scan, or says which number is missing. */
  #order() {
    const fields = [this.#line, this.#pixel, this.#pixelTime];
    const wrong = fields.find(({ input, number }) =>
      Number.isNaN(number) || input.matches("[aria-invalid=true]")
    );
    if (wrong === undefined) return this.emit("treat", this.#typed);
    wrong.input.setAttribute("aria-invalid", "true");
    wrong.input.focus();
    this.#status.textContent = `${wrong.label.querySelector("span")?.textContent} must be a number above 0.`;
  }

  async #read(file: File) {
    const bytes = new Uint8Array(await file.slice(0, MOST_BYTES).arrayBuffer());
    const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
    const calibration = readCalibration(new TextDecoder(isWide ? "utf-16le" : "utf-8").decode(bytes));
    const { secondsPerLine, micrometresPerPixel, secondsPerPixel } = calibration;
    const found = ([
      [this.#line, secondsPerLine, 1e3, "ms per line"],
      [this.#pixel, micrometresPerPixel, 1, "µm per pixel"],
      [this.#pixelTime, secondsPerPixel, 1e6, "µs per pixel"],
    ] as const).filter(([, value]) => value !== undefined).map(([field, value = NaN, scale, unit]) => {
      field.number = roundToDigits(value * scale, 12);
      return `${field.number} ${unit}`;
    });
    // The time per pixel alone does not make a line scan.
    const isPart = secondsPerLine === undefined || micrometresPerPixel === undefined;
    if (found.length > 0) this.#textFile = file.name;
    this.#status.textContent = found.length === 0
      ? `${file.name} states no time per line, distance per pixel or time per pixel.`
      : `${file.name}: ${found.join(", ")}.${isPart ? " Type what is missing." : ""}`;
  }

  #clear() {
    this.#line.number = this.#pixel.number = NaN;
    this.#pixelTime.number = 0;
    this.#textFile = this.#status.textContent = "";
  }

  get #typed(): TypedScan {
    const secondsPerPixel = this.#pixelTime.number / 1e6;
    return {
      time: this.#time.select.value as TypedScan["time"],
      secondsPerLine: this.#line.number / 1000,
      micrometresPerPixel: this.#pixel.number,
      ...secondsPerPixel > 0 && { secondsPerPixel },
      ...this.#textFile !== "" && { textFile: this.#textFile },
    };
  }

  /**
   * @param typed calibration of the shown line scan; null for an image
   * @param path of its file
   */
  show(isOffered: boolean, typed: TypedScan | null, path: string): void {
    this.element.hidden = !isOffered;
    this.#back.hidden = typed === null;
    // Numbers of another file may not hold.
    if (path !== this.#path) this.#clear();
    this.#path = path;
    if (isOffered) void this.#propose();
    if (typed === null) return;
    this.#time.select.value = typed.time;
    this.#line.number = roundToDigits(typed.secondsPerLine * 1000, 12);
    this.#pixel.number = typed.micrometresPerPixel;
    this.#pixelTime.number = roundToDigits((typed.secondsPerPixel ?? 0) * 1e6, 12);
    this.#textFile = typed.textFile ?? "";
  }
}
