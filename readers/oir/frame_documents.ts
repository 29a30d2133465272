/** Frame documents: size of the stored planes and position of each frame in time, depth and wavelength. */
import { DecodeFailed, unlessDamaged } from "../errors.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { addWarning, type Warning, warning } from "../warning.ts";
import { MAX_TIME_RECORDS, timesFrom } from "../metadata/time_stamps.ts";
import { child, descendants, type XmlElement } from "../metadata/xml.ts";
import type { FrameIndex } from "./chunk_name.ts";
import { type DocumentParser, isCount, numberIn, readDocuments } from "./documents.ts";
import type { FileScan } from "./file_scan.ts";

/** Size and sample width of the stored planes. */
export interface FrameGeometry {
  /** Samples of one row. */
  readonly width: number;
  /** Rows of a frame; in a line scan those of the overview. */
  readonly height: number;
  /** Bytes per sample; 0 where it is given per component, `null` where it is not given. */
  readonly depth: number | null;
  /** True for samples of one colour image. */
  readonly rgb: boolean;
}

/** Axes on which a frame has a position, and the unit of its number. */
export type PositionAxis = "TIMELAPSE" | "ZSTACK" | "LAMBDA";

/** One frame document. */
export interface FrameDocument {
  /** Or why the document has none. */
  readonly geometry: FrameGeometry | string;
  /** `TIMELAPSE` in milliseconds, `ZSTACK` in micrometres, `LAMBDA` in nanometres. */
  readonly positions: ReadonlyMap<string, number>;
}

/** Frame documents that are searched for one that can be read. */
const MAX_SEARCHED = 256;

/** Bytes of a frame document's block; they have about 2 kB. */
const MAX_FRAME_BYTES = 1 << 20;

/** Frame documents of all files of an acquisition, read when asked for. */
export class FrameDocuments {
  /** Documents that could not be read so far. */
  readonly warnings: Warning[] = [];
  readonly #scans: readonly FileScan[];
  readonly #parser: DocumentParser;
  readonly #stop: StopFlag;
  readonly #parsed = new Map<string, FrameDocument | null>();

  /** Reads nothing yet; `parser` bounds all documents together. */
  constructor(scans: readonly FileScan[], parser: DocumentParser, stop: StopFlag) {
    this.#scans = scans;
    this.#parser = parser;
    this.#stop = stop;
  }

  /**
   * Geometry of the first frame document that has one.
   *
   * @throws {DecodeFailed} the first documents lack one
   */
  geometry(): FrameGeometry {
    let searched = 0;
    let fault: string | null = null;
    for (const [scan, at] of this.#places()) {
      const geometry = this.#read(scan, at)?.geometry;
      if (typeof geometry === "object") return geometry;
      if (geometry) fault ??= `the frame document at ${scan.frames[at]} ${geometry}`;
      if ((searched += 1) >= MAX_SEARCHED) break;
    }
    throw new DecodeFailed(
      fault ??
        (searched === 0
          ? "the file lacks the frame document that states the size of its frames"
          : `the first ${searched} frame documents cannot be read`),
    );
  }

  /** Position of a frame on an axis, or `null` when no document states it. */
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
   * Seconds of each time point from the first, at the first wavelength and depth; `null` where one is not stated, where they do
   * not rise, and above {@linkcode MAX_TIME_RECORDS} time points, since each takes a document.
   */
  times(first: FrameIndex, count: number): number[] | null {
    if (count < 2 || count > MAX_TIME_RECORDS) return null;
    const found = new Map<number, number>();
    let searched = 0;
    for (const [scan, at] of this.#places()) {
      const [t = 0, l = 0, z = 0] = scan.frames.slice(at + 2, at + 5);
      if (l !== first.l || z !== first.z || found.has(t)) continue;
      if ((searched += 1) > MAX_TIME_RECORDS) break;
      const time = this.#read(scan, at)?.positions.get("TIMELAPSE");
      if (time !== undefined) found.set(t, time);
    }
    const times = Array.from({ length: count }, (_, i) => found.get(first.t + i) ?? NaN);
    return timesFrom(times, 1000);
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
    const [offset = 0, length = 0] = scan.frames.slice(at, at + 2);
    const key = `${this.#scans.indexOf(scan)}:${offset}`;
    const known = this.#parsed.get(key);
    if (known !== undefined) return known;
    const document = length <= MAX_FRAME_BYTES ? this.#parse(scan, offset, length) : null;
    this.#parsed.set(key, document);
    if (document === null) {
      addWarning(
        this.warnings,
        warning("metadata_damaged", `The frame document at ${offset} cannot be read`),
      );
    }
    return document;
  }

  #parse(scan: FileScan, offset: number, length: number): FrameDocument | null {
    // A document that does not parse counts as missing; the next one has the same geometry.
    return unlessDamaged(() => {
      const stored = readDocuments(scan.file, { offset, length }).find((d) => d.name === "frameProperties");
      return stored ? frameDocument(this.#parser.parse(stored)) : null;
    }, null);
  }
}

function frameDocument(root: XmlElement): FrameDocument {
  const positions = new Map<string, number>();
  for (const element of descendants(root, "axisValue")) {
    const type = child(element, "axisType")?.text;
    const position = numberIn(child(element, "position"));
    if (type && position !== null) positions.set(type, position);
  }
  const definition = descendants(root, "imageDefinition").find((element) => child(element, "width"));
  return { geometry: geometryOf(definition), positions };
}

function geometryOf(definition: XmlElement | undefined): FrameGeometry | string {
  if (!definition) return "does not state the size of the frame";
  const [width, height, depth] = ["width", "height", "depth"].map((name) =>
    numberIn(child(definition, name))
  );
  if (!isCount(width) || !isCount(height)) {
    const stated = (name: string) => (child(definition, name)?.text || "nothing").slice(0, 40);
    return `states an impossible size: width ${stated("width")}, height ${stated("height")}`;
  }
  const rgb = child(definition, "colorType")?.text.toUpperCase() === "RGB";
  return { width, height, depth: depth ?? null, rgb };
}
