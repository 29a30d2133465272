/** Frame documents: the geometry of the stored planes and where each frame lies in time, depth and wavelength. */
import { DecodeFailed } from "../errors.ts";
import type { StopFlag } from "../stop_flag.ts";
import { child, descendant, type XmlElement } from "../xml.ts";
import { type FrameIndex, parseFrameId } from "./chunk_name.ts";
import { numberIn, parseDocument, readDocuments } from "./documents.ts";
import type { FileScan } from "./file_scan.ts";

/** Size and sample width of the stored planes. */
export interface FrameGeometry {
  /** Samples of one row. */
  readonly width: number;
  /** Rows of a frame; in a line scan those of the overview. */
  readonly height: number;
  /** Bytes per sample; 0 where it is given per component, `null` where it is not given. */
  readonly depth: number | null;
  readonly rgb: boolean;
}

/** Axes on which a frame has a position, and the unit of its number. */
export type PositionAxis = "TIMELAPSE" | "ZSTACK" | "LAMBDA";

/** One frame document. */
export interface FrameDocument {
  readonly frame: FrameIndex | null;
  readonly geometry: FrameGeometry | null;
  /** `TIMELAPSE` in milliseconds, `ZSTACK` in micrometres, `LAMBDA` in nanometres. */
  readonly positions: ReadonlyMap<string, number>;
}

/** Frame documents looked through for one of a given frame when the order of blocks does not tell. */
const MAX_SEARCHED = 256;

/** Bytes of a frame document's block; they have about 2 kB. */
const MAX_FRAME_BYTES = 1 << 20;

/** Frame documents of all files of an acquisition, read when asked for. */
export class FrameDocuments {
  readonly #scans: readonly FileScan[];
  readonly #stop: StopFlag;
  readonly #parsed = new Map<string, FrameDocument | null>();

  constructor(scans: readonly FileScan[], stop: StopFlag) {
    this.#scans = scans;
    this.#stop = stop;
  }

  /**
   * Geometry of the first frame document that has one.
   *
   * @throws {DecodeFailed} none of the first documents has one
   */
  geometry(): FrameGeometry {
    let searched = 0;
    for (const [scan, at] of this.#places()) {
      const geometry = this.#read(scan, at)?.geometry;
      if (geometry) return geometry;
      if ((searched += 1) >= MAX_SEARCHED) break;
    }
    throw new DecodeFailed(
      searched === 0 ? "no frame document says how large the frames are" : "no frame document can be read",
    );
  }

  /** Position of a frame on an axis, or `null` when no document states it. */
  position(frame: FrameIndex, axis: PositionAxis): number | null {
    const same = (other: FrameIndex) => other.t === frame.t && other.l === frame.l && other.z === frame.z;
    let searched = 0;
    for (const [scan, at] of this.#places()) {
      if (searched >= MAX_SEARCHED) break;
      const next = { t: scan.frames[at + 2]!, l: scan.frames[at + 3]!, z: scan.frames[at + 4]! };
      if (!same(next)) continue;
      searched += 1;
      const document = this.#read(scan, at);
      if (document && (document.frame === null || same(document.frame))) {
        return document.positions.get(axis) ?? null;
      }
    }
    searched = 0;
    for (const [scan, at] of this.#places()) {
      const document = this.#read(scan, at);
      if (document?.frame && same(document.frame)) return document.positions.get(axis) ?? null;
      if ((searched += 1) >= MAX_SEARCHED) break;
    }
    return null;
  }

  *#places(): Generator<[FileScan, number]> {
    for (const scan of this.#scans) {
      for (let at = 0; at < scan.frames.length; at += 5) {
        this.#stop.check();
        yield [scan, at];
      }
    }
  }

  #read(scan: FileScan, at: number): FrameDocument | null {
    const [offset, length] = [scan.frames[at]!, scan.frames[at + 1]!];
    const key = `${this.#scans.indexOf(scan)}:${offset}`;
    const known = this.#parsed.get(key);
    if (known !== undefined) return known;
    const document = length <= MAX_FRAME_BYTES ? parseFrame(scan, offset, length) : null;
    this.#parsed.set(key, document);
    return document;
  }
}

function parseFrame(scan: FileScan, offset: number, length: number): FrameDocument | null {
  try {
    const stored = readDocuments(scan.file, { offset, length }).find((d) => d.name === "frameProperties");
    return stored ? frameDocument(parseDocument(stored)) : null;
  } catch (error) {
    // A document that does not parse counts as missing; the next one has the same geometry.
    if (error instanceof DecodeFailed) return null;
    throw error;
  }
}

function frameDocument(root: XmlElement): FrameDocument {
  const id = root.attributes.id ?? child(child(root, "general"), "name")?.text ?? "";
  const positions = new Map<string, number>();
  for (const element of elements(root, "axisValue")) {
    const type = child(element, "axisType")?.text;
    const position = numberIn(child(element, "position"));
    if (type && position !== null) positions.set(type, position);
  }
  const definition = elements(root, "imageDefinition").find((element) => child(element, "width"));
  return { frame: parseFrameId(id), geometry: definition ? geometryOf(definition) : null, positions };
}

function geometryOf(definition: XmlElement): FrameGeometry | null {
  const [width, height, depth] = ["width", "height", "depth"].map((name) =>
    numberIn(child(definition, name))
  );
  if (!isCount(width) || !isCount(height)) return null;
  return {
    width,
    height,
    depth: depth ?? null,
    rgb: child(definition, "colorType")?.text.toUpperCase() === "RGB",
  };
}

const isCount = (value: number | null | undefined): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 1;

/** All descendants with a local name, in document order. */
export function elements(root: XmlElement, name: string): XmlElement[] {
  return root.children.flatMap((c) => [...(c.name === name ? [c] : []), ...elements(c, name)]);
}

/** Width and height of a document whose root is an image definition, or of one below it. */
export function definedSize(root: XmlElement): { width: number; height: number } | null {
  const holder = child(root, "width") ? root : descendant(root, "imageDefinition");
  const [width, height] = [numberIn(child(holder, "width")), numberIn(child(holder, "height"))];
  return isCount(width) && isCount(height) ? { width, height } : null;
}
