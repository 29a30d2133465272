/** Every plane of every scene of the ND2 files that a writer in Python made, with the facts that it wrote into them. */
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

const FIXTURES = new URL("../fixtures/nd2/", import.meta.url);

interface Fixture {
  readonly file: string;
  readonly scenes: readonly {
    readonly name: string | null;
    readonly sizes: Readonly<Partial<Record<AxisLetter, number>>>;
    /** The start of a hash by `t,z,l,channel`. */
    readonly planes: Readonly<Record<string, string>>;
    /** Time point and focus plane of frames that are not in the file. */
    readonly missing: readonly (readonly [number, number])[];
  }[];
  readonly channels: readonly (readonly [name: string, color: string | null])[];
  readonly dtype: string;
  readonly steps: Readonly<Partial<Record<AxisLetter, readonly [number, string]>>>;
  readonly date: string;
  readonly time: string;
  readonly times: readonly number[] | null;
  /** A part of each warning. */
  readonly warnings: readonly string[];
}

const EXPECTED: readonly Fixture[] = JSON.parse(Deno.readTextFileSync(new URL("expected.json", FIXTURES)));

function checkFacts(acquisition: Acquisition, fixture: Fixture, scenes: Scenes): void {
  const { channels, axes, date, time, times } = acquisition;
  deepEqual(channels.map(({ name, color }) => [name, color]), fixture.channels);
  deepEqual(new Set(channels.map(({ sampleType }) => sampleType)), new Set([fixture.dtype]));
  for (const { name, step, unit } of axes) {
    const [wanted, label] = fixture.steps[name] ?? [1, "Pixels"];
    ok(Math.abs(step - wanted) < 1e-9 && unit === label, `${name} ${step} ${unit}`);
  }
  deepEqual([date, time], [fixture.date, fixture.time]);
  deepEqual(times === null, fixture.times === null);
  times?.forEach((seconds, i) => ok(Math.abs(seconds - fixture.times![i]!) < 1e-9));
  const warnings = [...textsOf(acquisition.warnings), ...textsOf(scenes.warnings)];
  equal(warnings.length, fixture.warnings.length, warnings.join("\n"));
  fixture.warnings.forEach((part) => ok(warnings.some((warning) => warning.includes(part)), part));
}

for (const fixture of EXPECTED) {
  Deno.test(`every plane of every scene of ${fixture.file}`, async () => {
    const path = fileURLToPath(new URL(fixture.file, FIXTURES));
    const files = new FileAccess();
    try {
      const opened = await openChosen(chooseFormat(path, SUPPORTED_EXTENSIONS, files), files, null);
      const { scenes } = opened;
      deepEqual([opened.scene, scenes.count], [0, fixture.scenes.length]);
      checkFacts(opened.acquisition, fixture, scenes);
      const entries = scenes.entries(scenes.count);
      for (const [scene, { name, sizes, planes, missing }] of fixture.scenes.entries()) {
        deepEqual(entries[scene], { name, sizes });
        const acquisition = await scenes.open(scene);
        deepEqual(sizesOf(acquisition.axes), sizes);
        const count = (sizes.T ?? 1) * (sizes.Z ?? 1) * (sizes.C ?? 1);
        equal(Object.keys(planes).length, count - missing.length * (sizes.C ?? 1));
        // Backwards, so that no plane is found by following the one before it.
        for (const [at, hash] of Object.entries(planes).reverse()) {
          equal(await hashAt(acquisition, at), hash, `scene ${scene} ${at}`);
        }
        for (const [t, z] of missing) {
          await rejects(acquisition.plan([0], { t, z, l: 0 }), { tag: "PlaneNotFound" });
        }
        await checkRows(acquisition, someRanges(acquisition.channels[0]!.rows));
      }
      const documents = documentsOf(opened.acquisition);
      ok(documents.length >= 2);
      for (const { mediaType, text } of documents) {
        if (mediaType === "application/json") ok(JSON.parse(text));
        else ok(text.startsWith("<"));
      }
    } finally {
      files.close();
    }
    await rejects(openHere(path, () => {}, fixture.scenes.length), { tag: "SceneOutOfRange" });
  });
}
