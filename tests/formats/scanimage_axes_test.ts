/**
 * The axes of ScanImage, mode by mode as in `docs/formats/tiff.md`. The first sample of a page is its number, so each plane
 * identifies its page; the expected page follows from the order in which each mode stores its frames.
 */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { type FrameStamp, scanImageBytes, type ScanImageFile } from "../fixtures/scanimage_files.ts";
import { codesOf } from "../warning_codes.ts";
import { firstsAt, sizesIn } from "../planes.ts";
import { withOpened } from "../temporary_files.ts";

/** Settings that all versions from 2016 on have. */
const SI = ["SI.VERSION_MAJOR = 2021", "SI.hRoiManager.scanFrameRate = 50"];

/** Frames 20 ms apart, numbered from 1. */
const regular = (frame: number): FrameStamp => ({
  number: frame + 1,
  acquisition: 1,
  inAcquisition: frame + 1,
  seconds: 0.02 * frame,
});

/** Two slices of two frames, a slice every 1.33 s, three volumes; each slice is an acquisition. */
const SLOW_SECONDS = [0, 0.017, 1.33, 1.347, 3.075, 3.092, 4.405, 4.422, 6.1, 6.117, 7.43, 7.447];
const slow = (frame: number): FrameStamp => ({
  number: frame + 1,
  acquisition: Math.floor(frame / 2) + 1,
  inAcquisition: frame % 2 + 1,
  seconds: SLOW_SECONDS[frame]!,
});

const FAST = [
  ...SI,
  "SI.hStackManager.enable = true",
  "SI.hStackManager.stackMode = 'fast'",
  "SI.hStackManager.framesPerSlice = 1",
  "SI.hStackManager.actualNumSlices = 3",
  "SI.hStackManager.numFramesPerVolume = 3",
  "SI.hStackManager.numFramesPerVolumeWithFlyback = 5",
  "SI.hStackManager.zs = [92 94 96]",
];

const SLOW = [
  ...SI,
  "SI.hStackManager.enable = true",
  "SI.hStackManager.stackMode = 'slow'",
  "SI.hStackManager.framesPerSlice = 2",
  "SI.hStackManager.actualNumSlices = 2",
  "SI.hStackManager.numVolumes = 3",
  "SI.hStackManager.numFramesPerVolume = 4",
  "SI.hStackManager.zs = [-11179.5 -11179.5 -11178.5 -11178.5]",
];

/** `lines` with those of `changes` in place of the lines of the same key. */
const changed = (lines: readonly string[], ...changes: string[]) => [
  ...lines.filter((line) => !changes.some((change) => change.split(" = ")[0] === line.split(" = ")[0])),
  ...changes,
];

/** What one mode is expected to give. */
interface Mode extends ScanImageFile {
  readonly sizes: string;
  /** Frame among the stored ones, `null` for one that is missing; by default frames are counted along the only axis. */
  readonly frame?: (t: number, z: number) => number | null;
  /** Step and unit of the axes that are asked about. */
  readonly steps?: Readonly<Record<string, readonly [number, string]>>;
  readonly times?: readonly number[] | null;
  /** Codes of all warnings. */
  readonly codes?: readonly string[];
}

/** Two volumes of three slices and two frames of the way back. */
const VOLUMES = { header: FAST, pages: 10, sizes: "T2 Z3", frame: (t: number, z: number) => 5 * t + z };

/** Four frames. */
const SERIES = { header: [...SI, "SI.hStackManager.enable = false"], pages: 4, sizes: "T4" };

const MODES: Readonly<Record<string, Mode>> = {
  "fast volumes: focus frames come first, those of the way back are not slices": {
    header: [...FAST, "SI.hChannels.channelSave = [1 2]", "SI.hRoiManager.scanVolumeRate = 10"],
    pages: 20,
    channels: 2,
    stamp: regular,
    sizes: "T2 C2 Z3",
    frame: (t, z) => 5 * t + z,
    // Five frames of 20 ms.
    steps: { T: [0.1, "seconds"], Z: [2, "um"] },
    times: [0, 0.1],
  },
  "fast volumes of several frames a slice: the step is that within a slice": {
    header: changed(
      FAST,
      "SI.hStackManager.framesPerSlice = 2",
      "SI.hStackManager.actualNumSlices = 2",
      "SI.hStackManager.numFramesPerVolume = 4",
      "SI.hStackManager.zs = [92 92 94 94]",
    ),
    pages: 10,
    stamp: regular,
    sizes: "T4 Z2",
    frame: (t, z) => 5 * Math.floor(t / 2) + 2 * z + t % 2,
    steps: { T: [0.02, "seconds"], Z: [2, "um"] },
    times: [0, 0.02, 0.1, 0.12],
    codes: ["step_uneven"],
  },
  "fast volumes whose way back is not stored: frame numbers skip it": {
    header: FAST,
    pages: 6,
    stamp: (frame) => {
      const number = 5 * Math.floor(frame / 3) + frame % 3;
      return { ...regular(number), seconds: 0.02 * number };
    },
    sizes: "T2 Z3",
    frame: (t, z) => 3 * t + z,
    steps: { T: [0.1, "seconds"] },
    times: [0, 0.1],
  },
  "fast volumes of 2016: the count of a volume includes the way back": {
    ...VOLUMES,
    header: [
      "SI.VERSION_MAJOR = '2016'",
      "SI.hFastZ.enable = 1",
      "SI.hFastZ.numFramesPerVolume = 5",
      "SI.hFastZ.numDiscardFlybackFrames = 2",
      "SI.hFastZ.numVolumes = 2",
      "SI.hStackManager.numSlices = 3",
      // A setting for slow stacks.
      "SI.hStackManager.framesPerSlice = 100",
      "SI.hRoiManager.scanVolumeRate = 4",
    ],
    steps: { T: [0.25, "seconds"] },
  },
  "fast volumes of version 5": {
    header: [
      "scanimage.SI5.VERSION_MAJOR = 5",
      "scanimage.SI5.fastZEnable = true",
      "scanimage.SI5.stackNumSlices = 3",
      "scanimage.SI5.fastZNumDiscardFrames = 1",
      "scanimage.SI5.fastZDiscardFlybackFrames = true",
      "scanimage.SI5.scanFramePeriod = 0.02",
      "scanimage.SI5.channelsSave = [1;2]",
      "scanimage.SI5.stackZStepSize = 4",
    ],
    pages: 16,
    channels: 2,
    sizes: "T2 C2 Z3",
    frame: (t, z) => 4 * t + z,
    // Four frames of 20 ms.
    steps: { T: [0.08, "seconds"], Z: [4, "um"] },
  },
  "a slow stack of several volumes: T is volumes times frames of a slice": {
    header: SLOW,
    pages: 12,
    stamp: slow,
    sizes: "T6 Z2",
    frame: (t, z) => 4 * Math.floor(t / 2) + 2 * z + t % 2,
    steps: { T: [0.017, "seconds"], Z: [1, "um"] },
    // Those of the first slice: frames 0, 1, 4, 5, 8 and 9.
    times: [0, 0.017, 3.075, 3.092, 6.1, 6.117],
    codes: ["step_uneven"],
  },
  "a slow stack with framesPerSlice Inf: stamps tell the frames of a slice": {
    header: changed(SLOW, "SI.hStackManager.framesPerSlice = Inf"),
    pages: 12,
    stamp: slow,
    sizes: "T6 Z2",
    frame: (t, z) => 4 * Math.floor(t / 2) + 2 * z + t % 2,
    codes: ["metadata_disagree", "step_uneven"],
  },
  "one slow stack of one frame a slice is Z alone": {
    header: changed(
      SLOW,
      "SI.hStackManager.framesPerSlice = 1",
      "SI.hStackManager.numVolumes = 1",
      "SI.hStackManager.numFramesPerVolume = 2",
      "SI.hStackManager.zs = [0;5]",
    ),
    pages: 2,
    stamp: (frame) => ({ ...regular(frame), acquisition: frame + 1 }),
    sizes: "Z2",
    steps: { Z: [5, "um"] },
  },
  "no stack: slices left over from an earlier one do not count": {
    header: [
      ...SERIES.header,
      "SI.hStackManager.numSlices = 11",
      "SI.hStackManager.framesPerSlice = 12",
      "SI.hStackManager.stackZStepSize = 187",
    ],
    pages: 12,
    stamp: regular,
    sizes: "T12",
    steps: { T: [0.02, "seconds"] },
  },
  "no stack, but the fast lens is on: it counts nothing without frames of a volume": {
    header: [...SERIES.header, "SI.hFastZ.enable = true", "SI.hStackManager.numSlices = 3"],
    pages: 6,
    sizes: "T6",
  },
  "actualNumSlices counts, numSlices does not": {
    ...VOLUMES,
    header: [...FAST, "SI.hStackManager.numSlices = 11"],
    steps: { T: [0.1, "seconds"] },
  },
  "numSlices alone, against the positions of the lens": {
    header: [
      ...SI,
      "SI.hStackManager.framesPerSlice = 2",
      "SI.hStackManager.numSlices = 11",
      "SI.hStackManager.zs = [0,5,10]",
    ],
    pages: 6,
    sizes: "T2 Z3",
    frame: (t, z) => 2 * z + t,
    codes: ["metadata_disagree"],
  },
  "averaged frames: those of a slice are divided, their distance is multiplied": {
    header: changed(
      SLOW,
      "SI.hStackManager.framesPerSlice = 12",
      "SI.hStackManager.numFramesPerVolume = 24",
      "SI.hStackManager.numVolumes = 1",
      "SI.hScan2D.logAverageFactor = 4",
      "SI.hStackManager.zs = [0 1]",
    ),
    pages: 6,
    sizes: "T3 Z2",
    frame: (t, z) => 3 * z + t,
    // Four frames of 20 ms.
    steps: { T: [0.08, "seconds"] },
  },
  "averaged frames of version 5 are numbered by the last frame of each": {
    header: [
      "scanimage.SI5.VERSION_MAJOR = 5",
      "scanimage.SI5.acqNumAveragedFrames = 5",
      "scanimage.SI5.acqNumFrames = 20",
      "scanimage.SI5.stackNumSlices = 1",
      "scanimage.SI5.scanFramePeriod = 0.02",
    ],
    pages: 4,
    stamp: (frame) => ({ number: 5 * frame + 5, seconds: 0.02 * (5 * frame + 4) }),
    sizes: "T4",
    steps: { T: [0.1, "seconds"] },
    times: [0, 0.1, 0.2, 0.3],
  },
  "averaged frames whose stamps contradict the factor": {
    ...SERIES,
    header: [...SI, "SI.hStackManager.numSlices = 1", "SI.hScan2D.logAverageFactor = 4"],
    stamp: regular,
    steps: { T: [0.02, "seconds"] },
    codes: ["metadata_disagree"],
  },
  "version 3.8, a stack of averaged frames": {
    header: [
      "state.acq.numberOfChannelsSave=2",
      "state.acq.numberOfZSlices=3",
      "state.acq.zStepSize=-5",
      "state.acq.numAvgFramesSave=2",
      "state.acq.averaging=1",
      "state.acq.numberOfFrames=4",
      "state.acq.frameRate=4",
    ],
    pages: 12,
    channels: 2,
    sizes: "T2 C2 Z3",
    frame: (t, z) => 2 * z + t,
    // Two frames of 250 ms.
    steps: { T: [0.5, "seconds"], Z: [5, "um"] },
  },
  "before version 3.7 the switch averages all frames of a slice": {
    header: [
      "state.acq.numberOfChannelsSave=1",
      "state.acq.numberOfZSlices=4",
      "state.acq.averaging=1",
      "state.acq.numberOfFrames=8",
    ],
    pages: 4,
    sizes: "Z4",
  },
  "a rate of the header that stamps contradict": {
    ...SERIES,
    header: changed(SERIES.header, "SI.hRoiManager.scanFrameRate = 7.98"),
    stamp: regular,
    steps: { T: [0.02, "seconds"] },
    times: [0, 0.02, 0.04, 0.06],
    codes: ["metadata_disagree"],
  },
  "slices that are not evenly spaced": {
    ...VOLUMES,
    header: changed(FAST, "SI.hStackManager.zs = [0 2 5]"),
    stamp: regular,
    steps: { Z: [1, "Pixels"] },
    codes: ["step_uneven"],
  },
  "positions of the lens against the declared step": {
    ...VOLUMES,
    header: [...FAST, "SI.hStackManager.actualStackZStepSize = 5"],
    steps: { Z: [2, "um"] },
    codes: ["metadata_disagree"],
  },
  "channels of the header against those that share a stamp": {
    ...SERIES,
    header: [...SERIES.header, "SI.hChannels.channelSave = [1;2]"],
    stamp: regular,
    codes: ["metadata_disagree"],
  },
  "frames that were lost leave their place": {
    ...SERIES,
    stamp: (frame) => regular(frame < 2 ? frame : frame + 1),
    sizes: "T5",
    frame: (t) => t === 2 ? null : t < 2 ? t : t - 1,
    steps: { T: [0.02, "seconds"] },
    times: null,
    codes: ["planes_missing"],
  },
  "frame numbers that do not ascend: pages are counted": {
    ...SERIES,
    stamp: (frame) => ({ ...regular(frame), number: [1, 2, 2, 4][frame]! }),
    times: null,
    codes: ["metadata_disagree"],
  },
  "times that do not ascend": {
    ...SERIES,
    stamp: (frame) => ({ ...regular(frame), seconds: [0, 0.04, 0.02, 0.06][frame]! }),
    // The rate of the header.
    steps: { T: [0.02, "seconds"] },
    times: [0, 0.04, 0.02, 0.06],
    codes: ["step_uneven", "metadata_disagree"],
  },
  "a last volume that was cut": {
    header: FAST,
    pages: 7,
    stamp: regular,
    sizes: "T2 Z3",
    frame: (t, z) => t === 1 && z === 2 ? null : 5 * t + z,
    codes: ["planes_missing"],
  },
  "more volumes announced than stored": {
    ...VOLUMES,
    header: [...FAST, "SI.hStackManager.actualNumVolumes = 100"],
    stamp: regular,
    codes: ["planes_missing"],
  },
  "neither frames nor slices: pages are counted": {
    ...SERIES,
    header: ["SI.VERSION_MAJOR = 2016"],
    codes: ["axes_assumed"],
  },
};

for (const [name, mode] of Object.entries(MODES)) {
  Deno.test(`ScanImage: ${name}`, () =>
    withOpened({ "a.tif": scanImageBytes(mode) }, async (acquisition) => {
      const { sizes, frame = (t, z) => t + z, channels = 1, steps = {}, times, codes } = mode;
      equal(sizesIn(acquisition), sizes);
      const size = (letter: string) => acquisition.axes.find((axis) => axis.name === letter)?.size ?? 1;
      for (let t = 0; t < size("T"); t += 1) {
        for (let z = 0; z < size("Z"); z += 1) {
          const expected = frame(t, z);
          for (let c = 0; c < channels; c += 1) {
            equal(acquisition.holds?.(c, { t, z, l: 0 }), expected !== null, `holds T=${t} Z=${z}`);
            const plane = firstsAt(acquisition, { t, z }, [c]);
            if (expected === null) await rejects(plane, { tag: "plane_not_found" });
            else deepEqual(await plane, [expected * channels + c], `T=${t} Z=${z} C=${c}`);
          }
        }
      }
      for (const [letter, [step, unit]] of Object.entries(steps)) {
        const axis = acquisition.axes.find((one) => one.name === letter)!;
        ok(Math.abs(axis.step - step) < 1e-6 * step, `${letter} is ${axis.step}, not ${step}`);
        equal(axis.unit, unit);
      }
      if (times !== undefined) {
        deepEqual(acquisition.times?.map((seconds) => Number(seconds.toFixed(6))) ?? null, times);
      }
      // Headers without saved channels are a warning too.
      const known = mode.header.some((line) => /hannelsSave|channelSave/.test(line)) ? [] : ["axes_assumed"];
      deepEqual(codesOf(acquisition.warnings).toSorted(), [...known, ...codes ?? []].toSorted());
    }));
}

Deno.test("ScanImage: stamps of version 5 are padded", () => {
  // As its program prints them: %16lu and %25.9f.
  const stamp = (frame: number) =>
    `Frame Number = ${String(frame + 1).padStart(16)}\nFrame Timestamp(s) = ${
      (frame / 4).toFixed(9).padStart(25)
    }\n`;
  const header = ["scanimage.SI5.channelsSave = 1", "scanimage.SI5.acqNumFrames = 3"];
  const bytes = scanImageBytes({ header, pages: 3, stamp });
  return withOpened({ "a.tif": bytes }, (acquisition) => deepEqual(acquisition.times, [0, 0.25, 0.5]));
});

Deno.test("ScanImage: counts the volumes and frames that are stored, not those that were announced or lost", async () => {
  const announced = [...FAST, "SI.hChannels.channelSave = 1", "SI.hStackManager.actualNumVolumes = 4"];
  /** The warning about missing planes of a file with these frames, counted from 1. */
  const warned = (header: readonly string[], frames: readonly number[]) =>
    withOpened({
      "a.tif": scanImageBytes({
        header,
        pages: frames.length,
        stamp: (frame) => regular(frames[frame]! - 1),
      }),
    }, ({ warnings }) => warnings.map(({ code, text }) => `${code}: ${text}`).join("; "));
  const first = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
  const volumes = (stored: string) => `planes_missing: The header announces 4 volumes, ${stored}`;
  equal(await warned(announced, first(10)), volumes("2 are stored here"));
  // The way back after the last volume holds no slices.
  equal(await warned(announced, first(8)), volumes("2 are stored here"));
  equal(await warned(announced, first(18)), "");
  equal(await warned(announced, first(7)), volumes("1 are stored here and 1 more in part"));
  // Frame 7, the second one of volume 2, was lost.
  equal(
    await warned(announced, first(15).filter((frame) => frame !== 7)),
    volumes("2 are stored here and 1 more in part"),
  );
  const series = [
    ...["SI.VERSION_MAJOR = 2021", "SI.hChannels.channelSave = 1", "SI.hStackManager.enable = false"],
    "SI.hStackManager.framesPerSlice = 20",
  ];
  const frames = "planes_missing: The header announces 20 frames, 9 are stored here";
  equal(await warned(series, first(10).filter((frame) => frame !== 4)), frames);
});
