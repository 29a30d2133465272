/** Which image file is the plane at a time, wavelength, focus and channel. */
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import { MAX_CHANNELS } from "../io/limits.ts";
import type { PlaneIndex, StackSizes } from "../tiff/stack.ts";
import type { PlaneName } from "./plane_names.ts";

/** Letters that planes are placed by. */
const LETTERS = ["T", "L", "Z", "C"] as const;

/** Memory of a plane: its name and its key. */
const PLANE_BYTES = 300;

/** The planes of one image. */
export class PlaneGrid {
  /** Length of each axis: the largest number that a file has. */
  readonly sizes: Required<StackSizes>;
  readonly #names = new Map<string, string>();

  /**
   * Places planes by their numbers.
   *
   * @param channels fewest channels
   * @throws {DecodeFailed} there are more channels than are served
   */
  constructor(planes: readonly PlaneName[], channels: number) {
    const sizes = { T: 1, L: 1, Z: 1, C: channels };
    for (const { name, numbers } of planes) {
      for (const letter of LETTERS) sizes[letter] = Math.max(sizes[letter], numbers.get(letter) ?? 1);
      this.#names.set(LETTERS.map((letter) => numbers.get(letter) ?? 1).join(" "), name);
    }
    // Each has a name and a colour, whether or not it is stored.
    if (sizes.C > MAX_CHANNELS) {
      throw new DecodeFailed(`there are planes up to channel ${sizes.C}, more than ${MAX_CHANNELS}`);
    }
    this.sizes = sizes;
  }

  /** Planes that are stored. */
  get stored(): number {
    return this.#names.size;
  }

  /** Bytes of memory, from above. */
  get indexBytes(): number {
    return this.#names.size * PLANE_BYTES;
  }

  /** Names of the planes, those of the first position first. */
  names(): string[] {
    const first = Array.from(
      { length: Math.min(this.sizes.C, this.stored) },
      (_, channel) => this.find({ t: 0, l: 0, z: 0, channel }),
    );
    return [...new Set([...first.filter((name) => name !== null), ...this.#names.values()])];
  }

  /** Name of the plane at an index, or `null` where none is stored. */
  find({ t, l, z, channel }: PlaneIndex): string | null {
    return this.#names.get(`${t + 1} ${l + 1} ${z + 1} ${channel + 1}`) ?? null;
  }

  /** Name of the plane at an index. @throws {PlaneNotFound} none is stored */
  name(index: PlaneIndex): string {
    const found = this.find(index);
    if (found === null) throw new PlaneNotFound(`there is no image for ${this.#called(index)}`);
    return found;
  }

  /** `C002Z003`: as in the names of files, the axes that have more than one position. */
  #called({ t, l, z, channel }: PlaneIndex): string {
    const numbers = { C: channel + 1, Z: z + 1, L: l + 1, T: t + 1 };
    const used = (["C", "Z", "L", "T"] as const).filter((letter) => letter === "C" || this.sizes[letter] > 1);
    return used.map((letter) => `${letter}${String(numbers[letter]).padStart(3, "0")}`).join("");
  }
}
