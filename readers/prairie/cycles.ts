/** Groups the sequences of a document into scenes, and orders their frames by time and focus. */
import {
  findSetting,
  type PvFile,
  type PvFrame,
  type PvScan,
  type PvSequence,
  type PvState,
} from "../metadata/pvscan.ts";

/** Sequences of one scene, in document order. */
export interface CycleGroup {
  /** Axis along which the frames of a sequence follow one another; `line` if each frame is a line scan. */
  readonly axis: "line" | "Z" | "T";
  readonly sequences: readonly PvSequence[];
  readonly indices: readonly number[];
}

/**
 * Smallest distance of two distinct stage positions: in micrometres, if the size of the frame is unknown, and as a share of the
 * frame; neighbours in a grid overlap by less than half.
 */
const [LEAST_DISTANCE, DISTANCE_SHARE] = [1, 0.1];

/** Largest number of positions that are distinguished for one kind of sequence; each further sequence is a scene. */
const MAX_PLACES = 256;

const chooseCycleAxis = (type: string): CycleGroup["axis"] =>
  /line\s*scan/i.test(type) ? "line" : /ZSeries|Volume/i.test(type) ? "Z" : "T";

/** The settings of a frame, from the innermost level outwards. */
export function listLevelsOutwards(
  scan: PvScan,
  sequence: PvSequence,
  frame = sequence.frames[0],
): readonly PvState[] {
  return frame === undefined ? [sequence.state, scan.state] : [frame.state, sequence.state, scan.state];
}

/** The images of a frame by channel number, one per channel: the first that is named. */
export function selectChannelFiles({ files }: PvFrame): PvFile[] {
  const byNumber = new Map(files.toReversed().map((file) => [file.channel, file]));
  return [...byNumber.values()].sort((a, b) => a.channel - b.channel);
}

/**
 * The sequences as scenes. Sequences of a series (type `TSeries ...` or `ZSeries`) with equal frames at one stage position
 * are the time points of one scene; every other sequence is a scene.
 */
export function groupSequences(scan: PvScan): CycleGroup[] {
  const groups: (CycleGroup & { sequences: PvSequence[]; indices: number[] })[] = [];
  const byKind = new Map<string, { count: number; place: StagePosition; group: (typeof groups)[number] }[]>();
  scan.sequences.forEach((sequence, index) => {
    const { type, frames } = sequence;
    const count = frames.length;
    const axis = chooseCycleAxis(type);
    const isSeries = axis !== "line" && count > 0 && /^[TZ]Series/i.test(type);
    const known = isSeries ? byKind.getOrInsertComputed(describeSequenceKind(scan, sequence), () => []) : [];
    const place = readStagePosition(scan, sequence);
    // The last sequence may have been interrupted.
    const isLast = index === scan.sequences.length - 1;
    const own = known.find((one) =>
      (one.count === count || isLast && one.count > count) && isNear(one.place, place)
    );
    if (own) {
      own.group.sequences.push(sequence);
      own.group.indices.push(index);
      return;
    }
    const group = { axis, sequences: [sequence], indices: [index] };
    groups.push(group);
    if (known.length < MAX_PLACES) known.push({ count, place, group });
  });
  return groups;
}

function describeSequenceKind(scan: PvScan, sequence: PvSequence): string {
  const levels = listLevelsOutwards(scan, sequence);
  const sizes = ["linesPerFrame", "pixelsPerLine"].map((key) => findSetting(levels, key));
  const channels = (sequence.frames[0]?.files ?? []).map(({ channel }) => channel);
  return [sequence.type, ...sizes, ...channels].join("|");
}

/** A stage position in um, `null` if unknown, and the distance from which another position is distinct. */
interface StagePosition {
  readonly x: number | null;
  readonly y: number | null;
  readonly tile: number | null;
  readonly distance: number;
}

function readStagePosition(scan: PvScan, sequence: PvSequence): StagePosition {
  const levels = listLevelsOutwards(scan, sequence);
  const value = (key: string) => findSetting(levels, key);
  const width = (value("micronsPerPixel/XAxis") ?? 0) * (value("pixelsPerLine") ?? 0);
  const tile = value("xYStageGridIndex");
  return {
    x: value("positionCurrent/XAxis"),
    y: value("positionCurrent/YAxis"),
    tile: tile !== null && tile >= 0 ? tile : null,
    distance: Math.max(LEAST_DISTANCE, DISTANCE_SHARE * width),
  };
}

function isNear(a: StagePosition, b: StagePosition): boolean {
  if (a.tile !== b.tile) return false;
  return (["x", "y"] as const).every((axis) =>
    a[axis] === null || b[axis] === null || Math.abs(a[axis] - b[axis]) <= a.distance
  );
}

/** The frames of a scene, by time and focus. */
export class FrameGrid {
  readonly times: number;
  readonly slices: number;
  /** The first recorded frame of each time point. */
  readonly starts: readonly (PvFrame | undefined)[];
  /** Frames of each time point in the order of recording, and whether the focus moved backwards. */
  readonly #points: readonly { readonly frames: readonly PvFrame[]; readonly backward: boolean }[];

  constructor(scan: PvScan, { axis, sequences }: CycleGroup) {
    const runs = sequences.map((sequence) => focusRun(scan, sequence));
    this.#points = axis === "Z"
      // Fast focusing moves up in one cycle and down in the next.
      ? sequences.map(({ frames }, i) => ({ frames, backward: isReversed(runs[i]!, runs[0]!) }))
      : sequences.flatMap(({ frames }) => frames).map((frame) => ({ frames: [frame], backward: false }));
    this.times = Math.max(1, this.#points.length);
    this.slices = this.#points.reduce((most, { frames }) => Math.max(most, frames.length), 1);
    this.starts = this.#points.map(({ frames }) => frames[0]);
  }

  at(t: number, z: number): PvFrame | undefined {
    const { frames = [], backward = false } = this.#points[t] ?? {};
    return frames[backward ? this.slices - 1 - z : z];
  }

  /** The frame at each time and focus; `undefined` for one that was not recorded. */
  *places(): Generator<PvFrame | undefined> {
    for (let t = 0; t < this.times; t += 1) {
      for (let z = 0; z < this.slices; z += 1) yield this.at(t, z);
    }
  }

  /** The recorded frames. */
  frames(): IteratorObject<PvFrame> {
    return this.places().filter((frame) => frame !== undefined);
  }

  file(at: { readonly t: number; readonly z: number }, channel: number): PvFile | undefined {
    return this.at(at.t, at.z)?.files.find((file) => file.channel === channel);
  }
}

/** Focus of the first and the last frame of a sequence in um; each is `null` if unknown. */
function focusRun(scan: PvScan, sequence: PvSequence): (number | null)[] {
  return [sequence.frames[0], sequence.frames.at(-1)].map((frame) =>
    findSetting(listLevelsOutwards(scan, sequence, frame), "positionCurrent/ZAxis")
  );
}

/** Whether a focus run is opposite to the first one; for a single plane, whether it is nearer to the first run's end. */
function isReversed(
  [from, to]: readonly (number | null)[],
  [first, last]: readonly (number | null)[],
): boolean {
  if (from == null || to == null || first == null || last == null) return false;
  return from === to
    ? Math.abs(from - last) < Math.abs(from - first)
    : Math.sign(to - from) * Math.sign(last - first) < 0;
}
