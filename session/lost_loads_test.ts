import assert from "node:assert/strict";
import { join } from "node:path";
import { fakePool } from "../tests/fake_decode_workers.ts";
import { until } from "../tests/deadline.ts";
import { inFolder } from "../tests/temporary_files.ts";

/** Start of an HDF5 file (HDF5 File Format Specification, section II.A). */
const HDF5 = Uint8Array.of(0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0);

/** Writes a file, whose name tells the worker how to behave, in a folder of its own. */
function put(folder: string, name: string, behaviour: string, bytes: Uint8Array): string {
  Deno.mkdirSync(join(folder, name));
  const path = join(folder, name, behaviour);
  Deno.writeFileSync(path, bytes);
  return path;
}

for (const [format, bytes] of [["HDF5", HDF5], ["another format", new Uint8Array(20)]] as const) {
  Deno.test(`a lost load is refused at once for ten minutes, unless the file changes (${format})`, () =>
    inFolder(async (_, folder) => {
      using fake = fakePool(4);
      const path = put(folder, "a", "never", bytes);
      await fake.stopped(path);
      fake.clock.move(2000);
      assert.equal(fake.pool.counts.lost, 1);
      const earlier = { tag: "load_timeout", message: /"never" was opened less than ten minutes ago/ };
      await assert.rejects(fake.load(path), earlier);
      fake.clock.move(599_000);
      await assert.rejects(fake.load(path), earlier);
      assert.equal(fake.pool.counts.lost, 1);
      // Other bytes are another file, and another name is one, too.
      assert.equal((await fake.load(put(folder, "b", "plan", bytes))).planes.length, 1);
      fake.clock.move(1000);
      await fake.stopped(path);
      fake.clock.move(2000);
      await until(() => fake.pool.counts.lost === 2);
      Deno.writeFileSync(path, new Uint8Array(50));
      await fake.stopped(path);
    }));
}

Deno.test("two workers may be lost to HDF5; then other HDF5 files are refused until one comes back", () =>
  inFolder(async (_, folder) => {
    using fake = fakePool(4);
    const late = put(folder, "a", "late", HDF5);
    // Behind a user block of 1024 bytes.
    const moved = new Uint8Array(1040);
    moved.set(HDF5, 1024);
    const losing = fake.stopped(late);
    await fake.stopped(put(folder, "b", "never", moved));
    await losing;
    fake.clock.move(2000);
    assert.equal(fake.pool.counts.lost, 2);
    const good = put(folder, "c", "plan", HDF5);
    await assert.rejects(fake.load(good), {
      tag: "too_many_opens",
      message: /"plan" is HDF5, and 2 stopped loads of HDF5 files do not end/,
    });
    assert.equal((await fake.load(put(folder, "d", "plan", new Uint8Array(20)))).planes.length, 1);
    await until(() => fake.pool.counts.lost === 1);
    assert.equal((await fake.load(good)).planes.length, 1);
  }));
