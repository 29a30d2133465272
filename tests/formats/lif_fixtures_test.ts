/** Every plane of every image of the LIF and LOF files that a writer in Python made, with the facts that it wrote into them. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { documentsOf } from "../../readers/io/document_list.ts";
import { chooseFormat, openChosen } from "../../readers/choose_format.ts";
import { FileAccess } from "../../readers/io/random_access.ts";
import { type Acquisition, type AxisLetter, type Scenes, sizesOf } from "../../readers/reader.ts";
import { SUPPORTED_EXTENSIONS } from "../../readers/format.ts";
import { openHere } from "../load_here.ts";
import { hashAt } from "../plane_hash.ts";
import { checkRows, someRanges } from "../row_ranges.ts";
import { textsOf } from "../warning_texts.ts";

const FIXTURES = new URL("../fixtures/lif/", import.meta.url);

type Sizes = Readonly<Partial<Record<AxisLetter, number>>>;

interface ExpectedImage {
  readonly name: string | null;
  readonly sizes: Sizes;
  /** The start of a hash by `t,z,l,channel`. */
  readonly planes: Readonly<Record<string, string>>;
  /** Time point and focus plane of planes that are not in the file. */
  readonly missing: readonly (readonly [number, number])[];
  /** Rows that are stored, where that is not all. */
  readonly lines?: number;
  /** Step and unit of the rows, where they are no lengths. */
  readonly rowStep?: readonly [number, string];
  /** Names of the channels, where they are not those of the file. */
  readonly channels?: readonly string[];
  readonly dtype?: string;
  /** A part of each warning about this image. */
  readonly warnings?: readonly string[];
}

interface Fixture {
  readonly file: string;
  readonly scenes: readonly ExpectedImage[];
  /** Index of the image that is opened. */
  readonly own: number;
  readonly channels: readonly (readonly [name: string, color: string | null])[];
  readonly dtype: string;
  readonly steps: Readonly<Partial<Record<AxisLetter, readonly [number, string]>>>;
  readonly date: string;
  readonly time: string;
  readonly times: readonly number[] | null;
  /** A part of each warning about the file and the opened image. */
  readonly warnings: readonly string[];
}

const EXPECTED: readonly Fixture[] = JSON.parse(Deno.readTextFileSync(new URL("expected.json", FIXTURES)));

const near = (a: number, b: number) => Math.abs(a - b) < 1e-9;

function checkFacts(acquisition: Acquisition, fixture: Fixture, scenes: Scenes): void {
  const { channels, axes, date, time, times } = acquisition;
  deepEqual(channels.map(({ name, color }) => [name, color]), fixture.channels);
  deepEqual(new Set(channels.map(({ sampleType }) => sampleType)), new Set([fixture.dtype]));
  for (const { name, step, unit } of axes) {
    const [wanted, label] = name === "Y" && fixture.scenes[fixture.own]!.rowStep ||
      (fixture.steps[name] ?? [1, "Pixels"]);
    ok(near(step, wanted) && unit === label, `${name} ${step} ${unit}`);
  }
  deepEqual([date, time], [fixture.date, fixture.time]);
  deepEqual(times === null, fixture.times === null);
  times?.forEach((seconds, i) => ok(near(seconds, fixture.times![i]!)));
  checkWarnings([...textsOf(acquisition.warnings), ...textsOf(scenes.warnings)], fixture.warnings);
}

function checkWarnings(warnings: readonly string[], parts: readonly string[]): void {
  equal(warnings.length, parts.length, warnings.join("\n"));
  parts.forEach((part) => ok(warnings.some((warning) => warning.includes(part)), part));
}

async function checkImage(acquisition: Acquisition, image: ExpectedImage): Promise<void> {
  const { sizes, planes, missing, channels, dtype, rowStep } = image;
  deepEqual(sizesOf(acquisition.axes), sizes);
  const count = (sizes.T ?? 1) * (sizes.Z ?? 1) * (sizes.L ?? 1) * (sizes.C ?? 1);
  equal(Object.keys(planes).length, count - missing.length * (sizes.C ?? 1));
  // Backwards, so that no plane is found by following the one before it.
  for (const [at, hash] of Object.entries(planes).reverse()) {
    equal(await hashAt(acquisition, at), hash, `${image.name} ${at}`);
  }
  for (const [t, z] of missing) {
    await rejects(acquisition.plan([0], { t, z, l: 0 }), { tag: "PlaneNotFound" });
  }
  await checkRows(acquisition, someRanges(image.lines ?? sizes.Y!));
  if (channels) deepEqual(acquisition.channels.map(({ name }) => name), channels);
  if (dtype) equal(acquisition.channels[0]!.sampleType, dtype);
  const rows = acquisition.axes.at(-2)!;
  if (rowStep) ok(near(rows.step, rowStep[0]) && rows.unit === rowStep[1], `${rows.step} ${rows.unit}`);
  if (image.warnings) checkWarnings(textsOf(acquisition.warnings), image.warnings);
  const plan = await acquisition.plan([0], { t: 0, z: 0, l: 0 });
  equal(plan.rows, image.lines ?? sizes.Y);
  checkWarnings(textsOf(plan.warnings), image.lines ? [`${image.lines} of ${sizes.Y} lines are stored`] : []);
}

for (const fixture of EXPECTED) {
  Deno.test(`every plane of every image of ${fixture.file}`, async () => {
    const path = fileURLToPath(new URL(fixture.file, FIXTURES));
    const files = new FileAccess();
    try {
      const opened = await openChosen(chooseFormat(path, SUPPORTED_EXTENSIONS, files), files, null);
      const { scenes } = opened;
      deepEqual([opened.scene, scenes.own, scenes.count], [fixture.own, fixture.own, fixture.scenes.length]);
      checkFacts(opened.acquisition, fixture, scenes);
      deepEqual(scenes.entries(scenes.count), fixture.scenes.map(({ name, sizes }) => ({ name, sizes })));
      deepEqual(scenes.entries(1), [{ name: fixture.scenes[0]!.name, sizes: fixture.scenes[0]!.sizes }]);
      for (const [scene, image] of fixture.scenes.entries()) {
        await checkImage(await scenes.open(scene), image);
      }
      const [document, ...more] = documentsOf(opened.acquisition);
      deepEqual([document?.mediaType, more.length], ["application/xml", 0]);
      ok(document?.text.startsWith("<"));
    } finally {
      files.close();
    }
    await rejects(openHere(path, () => {}, fixture.scenes.length), { tag: "SceneOutOfRange" });
  });
}
