/** Wrong headers and stamps of ScanImage: planes are right, or a warning says that their order is assumed. */
import fc from "fast-check";
import { equal, ok } from "node:assert/strict";
import type { Acquisition } from "../../readers/reader.ts";
import { PlaneNotFound } from "../../readers/errors.ts";
import { type FrameStamp, scanImageBytes } from "../fixtures/scanimage_files.ts";
import { openHere } from "../load_here.ts";
import { firstsAt } from "../planes.ts";
import { inFolder } from "../temporary_files.ts";
import { codesOf } from "../warning_codes.ts";

const FRAMES = 12;

const counts = fc.oneof(
  fc.integer({ min: 0, max: 14 }).map(String),
  fc.constantFrom("1e15", "-3", "NaN", "Inf", "[]", "2147483648", "0.5", "1e400", "true"),
);

/** Any mode, with counts that need not fit each other. */
const headers = fc.record({
  enable: fc.constantFrom("true", "false", null),
  mode: fc.constantFrom("'fast'", "'slow'", null),
  fastZ: fc.constantFrom("true", "false", null),
  framesPerSlice: fc.option(counts),
  actualNumSlices: fc.option(counts),
  numSlices: fc.option(counts),
  numFramesPerVolume: fc.option(counts),
  numFramesPerVolumeWithFlyback: fc.option(counts),
  numVolumes: fc.option(counts),
  average: fc.option(counts),
  channels: fc.constantFrom("1", "[1 2]", "[1;2;3]", null),
  zs: fc.constantFrom("[0 1 2]", "[0 1 1 5]", "[NaN 1e308 -1e308]", "0", null),
}).map((fields) => {
  const keys: Record<string, string> = {
    enable: "hStackManager.enable",
    mode: "hStackManager.stackMode",
    fastZ: "hFastZ.enable",
    average: "hScan2D.logAverageFactor",
    channels: "hChannels.channelSave",
  };
  const lines = Object.entries(fields).flatMap(([key, value]) =>
    value === null ? [] : [`SI.${keys[key] ?? `hStackManager.${key}`} = ${value}`]
  );
  return ["SI.VERSION_MAJOR = 2021", ...lines];
});

const stamp = fc.record({
  number: fc.oneof(
    fc.integer({ min: 0, max: 30 }),
    fc.constantFrom("NaN", "-1", "99999999999999999999", "1e9", "", "123456789"),
  ),
  seconds: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constantFrom("NaN", "-1.000", "1e300", "Inf")),
  acquisition: fc.integer({ min: 0, max: 5 }),
  inAcquisition: fc.integer({ min: 0, max: 30 }),
});

/** Stamps of honest frames, of which some are replaced. */
const stamps = fc.array(fc.option(fc.option(stamp), { nil: undefined, freq: 3 }), {
  minLength: FRAMES,
  maxLength: FRAMES,
}).chain((lies) => fc.constantFrom(lies, lies.map(() => undefined)));

/** The stamp of a page of a file where so many pages share one. */
function honest(page: number, channels: number): FrameStamp {
  const frame = Math.floor(page / channels);
  return { number: frame + 1, acquisition: 1, inAcquisition: frame + 1, seconds: 0.02 * frame };
}

/** Codes of warnings about an uncertain order of planes. */
const DOUBTS = new Set(["metadata_disagree", "axes_assumed", "planes_missing"]);

Deno.test("serves no wrong plane without a warning for wrong headers and stamps", () =>
  inFolder(async (put) => {
    const property = fc.asyncProperty(
      headers,
      stamps,
      fc.integer({ min: 1, max: 3 }),
      async (header, lies, channels) => {
        const numbers = lies.map((lie, frame) => lie === undefined ? honest(frame, channels) : lie);
        const stamp = (frame: number) => numbers[frame] ?? null;
        const path = put("a_00001_00001.tif", scanImageBytes({ header, pages: FRAMES, stamp }));
        await openHere(path, async (acquisition) => {
          const size = (letter: string) => acquisition.axes.find(({ name }) => name === letter)?.size ?? 1;
          const [T, Z, C] = [size("T"), size("Z"), size("C")];
          ok(T * Z * C <= 8 * FRAMES, `${T} x ${Z} x ${C} of ${FRAMES} pages`);
          ok(acquisition.times === null || acquisition.times.length === T);
          ok(acquisition.axes.every(({ step }) => Number.isFinite(step) && step > 0));
          const certain = !codesOf(acquisition.warnings).some((code) => DOUBTS.has(code));
          const seen = new Set<number>();
          for (let t = 0; t < T; t += 1) {
            for (let z = 0; z < Z; z += 1) {
              for (let c = 0; c < C; c += 1) {
                const page = await pageAt(acquisition, { t, z }, c);
                equal(page !== null, acquisition.holds!(c, { t, z, l: 0 }));
                if (page === null) continue;
                ok(!seen.has(page), `page ${page} twice`);
                seen.add(page);
                equal(page % C, c, "channels change fastest");
                // Without a doubt, stamps and the order of pages agree on each plane.
                const [stamped, first] = [numbers[page], numbers[0]].map((one) => Number(one?.number || NaN));
                if (certain && !Number.isNaN(stamped! - first!)) {
                  equal(stamped! - first!, Math.floor(page / C));
                }
              }
            }
          }
        });
      },
    );
    await fc.assert(property, { numRuns: 400, interruptAfterTimeLimit: 60_000 });
  }));

/** The page that is served, `null` for a plane that is missing. */
const pageAt = (acquisition: Acquisition, at: { t: number; z: number }, channel: number) =>
  firstsAt(acquisition, at, [channel]).then(([page]) => page!, (error) => {
    if (error instanceof PlaneNotFound) return null;
    throw error;
  });
