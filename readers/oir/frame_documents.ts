/** Frame documents: size of the stored planes, and position of each frame in time, depth and wavelength. */
import { DecodeFailed } from "../errors.ts";
import { unlessLost } from "../warning.ts";
import { MAX_TIME_RECORDS, scaleStamps } from "../metadata/time_stamps.ts";
import type { TimeStamps } from "../reader.ts";
import { findChild, findDescendants, type XmlElement } from "../metadata/xml.ts";
import type { FileScan, FrameIndex } from "./file_scan.ts";
import {
  type DocumentParser,
  findDefinedSize,
  findElementNumber,
  type ImageSize,
  readDocuments,
} from "./documents.ts";

/** Size and sample width of the stored planes; for a line scan, `height` is that of the overview. */
export interface FrameGeometry extends ImageSize {
  /** Bytes per sample; 0 if they are stated per component, `null` if they are not stated. */
  readonly depth: number | null;
  /** True if the channels are the samples of one colour image. */
  readonly rgb: boolean;
}

/** Axes along which a frame has a position: in milliseconds, micrometres and nanometres. */
export type PositionAxis = "TIMELAPSE" | "ZSTACK" | "LAMBDA";

interface FrameDocument {
  /** Geometry, or the reason why the document has none. */
  readonly geometry: FrameGeometry | string;
  readonly positions: ReadonlyMap<string, number>;
}

/** Largest block of a frame document in bytes; usual blocks have about 2 kB. */
const MAX_FRAME_BYTES = 1 << 20;

/** Frame documents of all files of an acquisition, read on demand. */
export class FrameDocuments {
  readonly #scans: readonly FileScan[];
  readonly #parser: DocumentParser;

  /** Reads nothing yet; `parser` limits all documents together and collects their warnings. */
  constructor(scans: readonly FileScan[], parser: DocumentParser) {
    this.#scans = scans;
    this.#parser = parser;
  }

  /** Geometry of the frames, from their first document. @throws {DecodeFailed} it is missing, damaged or has no geometry */
  geometry(): FrameGeometry {
    const [first] = this.#places();
    if (first === undefined) {
      throw new DecodeFailed("the file lacks the frame document that states the size of its frames");
    }
    const geometry = this.#read(...first)?.geometry ?? "cannot be read";
    if (typeof geometry === "object") return geometry;
    const [scan, at] = first;
    throw new DecodeFailed(`the frame document at ${scan.frames[at]} ${geometry}`);
  }

  /** Position of a frame along an axis; `null` if no document states it. */
  position(frame: FrameIndex, axis: PositionAxis): number | null {
    for (const [scan, at] of this.#places()) {
      const [t, l, z] = scan.frames.slice(at + 2, at + 5);
      if (t === frame.t && l === frame.l && z === frame.z) {
        return this.#read(scan, at)?.positions.get(axis) ?? null;
      }
    }
    return null;
  }

  /**
   * The times of the time points, at the first wavelength and depth; `null` without any. Each needs a document, so at most the first
   * {@linkcode MAX_TIME_RECORDS} are read.
   */
  stamps(first: FrameIndex, count: number): TimeStamps | null {
    if (count < 2) return null;
    const found = new Map<number, number>();
    let searched = 0;
    for (const [scan, at] of this.#places()) {
      const [t = 0, l = 0, z = 0] = scan.frames.slice(at + 2, at + 5);
      if (l !== first.l || z !== first.z || found.has(t)) continue;
      if ((searched += 1) > MAX_TIME_RECORDS) break;
      const time = this.#read(scan, at)?.positions.get("TIMELAPSE");
      if (time !== undefined) found.set(t, time);
    }
    const length = Math.min(count, MAX_TIME_RECORDS);
    const milliseconds = Array.from({ length }, (_, i) => found.get(first.t + i) ?? NaN);
    return milliseconds.every(Number.isNaN) ? null : scaleStamps(milliseconds, 1000, length < count);
  }

  *#places(): Generator<[FileScan, number]> {
    for (const scan of this.#scans) {
      for (let at = 0; at < scan.frames.length; at += 5) {
        this.#parser.stop.check();
        yield [scan, at];
      }
    }
  }

  #read(scan: FileScan, at: number): FrameDocument | null {
    const [offset = 0, length = 0] = scan.frames.slice(at, at + 2);
    return unlessLost(this.#parser.warnings, `The frame document at ${offset}`, () => {
      if (length > MAX_FRAME_BYTES) throw new DecodeFailed(`it has ${length} bytes`);
      const found = readDocuments(scan.file, { offset, length });
      const stored = found.find(({ name }) => name === "frameProperties");
      if (stored === undefined) throw new DecodeFailed("its block holds no such document");
      return readFrameDocument(this.#parser.parse(stored));
    });
  }
}

function readFrameDocument(root: XmlElement): FrameDocument {
  const positions = new Map<string, number>();
  for (const element of findDescendants(root, "axisValue")) {
    const type = findChild(element, "axisType")?.text;
    const position = findElementNumber(findChild(element, "position"));
    if (type && position !== null) positions.set(type, position);
  }
  const definition = findDescendants(root, "imageDefinition").find((element) => findChild(element, "width"));
  if (!definition) return { geometry: "does not state the size of the frame", positions };
  const textOf = (name: string) => (findChild(definition, name)?.text || "nothing").slice(0, 40);
  const size = findDefinedSize(definition);
  if (!size) {
    const text = `states an impossible size: width ${textOf("width")}, height ${textOf("height")}`;
    return { geometry: text, positions };
  }
  const rgb = textOf("colorType").toUpperCase() === "RGB";
  return { geometry: { ...size, depth: findElementNumber(findChild(definition, "depth")), rgb }, positions };
}
