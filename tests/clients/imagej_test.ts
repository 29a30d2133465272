/**
 * examples/imagej in ImageJ under Xvfb against a server process. Skipped, with a line, where one of them is not installed:
 * Debian's package imagej has `ij.jar`.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { FROM_SOURCE, ROOT, ServerProcess } from "../binary/server_process.ts";
import { busyServer } from "./busy_server.ts";
import { expectedFile, firstPlanes, FIXTURES } from "../fixtures/expected.ts";
import { output, programTest } from "../programs.ts";
import { temporaryFolder } from "../temporary_files.ts";

const JAR = "/usr/share/java/ij.jar";
const ignore = !existsSync(JAR);
if (ignore) console.log(`Skipped: the macro for ImageJ needs ${JAR}`);

/** Paths of programs. */
interface ImageJ {
  readonly timeout: string;
  readonly java: string;
  readonly xvfb: string;
  readonly sh: string;
}

interface Image {
  readonly title: string;
  /** Columns, rows, channels, slices, frames, bits. */
  readonly dimensions: string;
  /** Steps along x, y, z and t. */
  readonly steps: string;
  readonly labels: string[];
  readonly selection: string;
  /** SHA-256 of each plane as little-endian float32, in the order channels, slices, frames. */
  readonly planes: string[];
  /** The ImageJ description in its TIFF file. */
  readonly description: string;
}

/** What ImageJ shows after the macro has run. */
async function opened(
  { timeout, java, xvfb }: ImageJ,
  argument: string,
  folder: string,
  encoding = "UTF-8",
): Promise<Image[]> {
  const macro = join(ROOT, "examples", "imagej", "acq_open.ijm");
  const script = join(ROOT, "tests", "clients", "imagej_cases.ijm");
  // An error is a dialog, which nobody would close.
  await output(timeout, [
    ...[
      "90",
      xvfb,
      "-a",
      java,
      "-Xmx512m",
      `-Duser.home=${folder}`,
      `-Dfile.encoding=${encoding}`,
      `-Djava.io.tmpdir=${folder}`,
      "-cp",
      JAR,
      "ij.ImageJ",
      "-ijpath",
      folder,
    ],
    ...["-batch", script, `${macro}|${folder}|${argument}`],
    // A proxy of the environment is passed by; at this one nobody listens.
  ], { env: { http_proxy: "http://127.0.0.1:9", LC_ALL: "C.UTF-8" } });
  const lines = Deno.readTextFileSync(join(folder, "open.txt")).trimEnd().split("\n");
  return Array.from({ length: Math.ceil(lines.length / 5) }, (_, i) => {
    const [title = "", dimensions = "", steps = "", labels = "", selection = ""] = lines.slice(
      5 * i,
      5 * i + 5,
    );
    const [columns = 0, rows = 0] = dimensions.split(" ").map(Number);
    const raw = Deno.readFileSync(join(folder, `${i + 1}.raw`));
    const view = new DataView(raw.buffer);
    const little = new Float32Array(raw.length / 4).map((_, at) => view.getFloat32(4 * at));
    const planes = Array.from(
      { length: little.length / (rows * columns) },
      (_, at) => {
        const plane = little.slice(at * rows * columns, (at + 1) * rows * columns);
        return createHash("sha256").update(new Uint8Array(plane.buffer)).digest("hex");
      },
    );
    const tiff = new TextDecoder("latin1").decode(Deno.readFileSync(join(folder, `${i + 1}.tif`)));
    const description = /ImageJ=[^\0]*/.exec(tiff)?.[0] ?? "";
    return {
      title,
      dimensions,
      steps,
      labels: labels.trim().split(" "),
      selection: selection.trim(),
      planes,
      description,
    };
  });
}

interface Opening {
  readonly file: string;
  /** Name of the file where it is opened. */
  readonly as: string;
  /** Before the path in the argument of the macro. */
  readonly words?: string;
  /** In which Java writes text: UTF-8 unless set otherwise, as by Windows. */
  readonly encoding?: string;
}

function imagejTest(
  name: string,
  fn: (imagej: ImageJ, server: ServerProcess, folder: string) => Promise<void>,
): void {
  programTest(["java", "xvfb-run", "timeout", "sh", "curl"], {
    name: `imagej: ${name}`,
    ignore,
    async fn([java = "", xvfb = "", timeout = "", sh = ""]) {
      using temporary = temporaryFolder();
      await using server = await ServerProcess.start(FROM_SOURCE);
      await fn({ java, xvfb, timeout, sh }, server, temporary.path);
    },
  });
}

function openingTest(name: string, opening: Opening, check: (images: Image[]) => void): void {
  imagejTest(name, async (imagej, server, folder) => {
    const path = join(folder, opening.as);
    Deno.copyFileSync(join(FIXTURES, opening.file), path);
    const argument = `${server.baseUrl}/ ${opening.words ?? ""}${path}`;
    check(await opened(imagej, argument, folder, opening.encoding));
    assert.match(server.stderr, /DELETE \/api\/v2\/sessions\/\w{8}… 200/);
  });
}

openingTest(
  "a line scan with its reference and the line in it",
  { file: "oir/line_scan.oir", as: "line_scan.oir" },
  (images) => {
    const { scenes: [first], reference } = expectedFile("oir", "line_scan.oir");
    const [overview, scan] = images as [Image, Image];
    assert.equal(images.length, 2);
    assert.deepEqual([overview.title, scan.title], ["line_scan.oir reference", "line_scan.oir"]);
    assert.deepEqual([overview.dimensions, scan.dimensions], ["8 8 2 1 1 32", "6 40 2 1 1 32"]);
    assert.deepEqual([overview.planes, scan.planes], [reference!.planes, firstPlanes(first!)]);
    assert.deepEqual([overview.selection, scan.selection], ["1,2 4,6", ""]);
    assert.match(scan.steps, /^0\.45 0\.0021\d* 1 /);
    assert.match(scan.description, /unit=(um|micron|\\u00B5m|µm)\n/);
    assert.match(scan.description, /yunit=seconds\n/);
    assert.deepEqual(scan.labels, ["CH1", "CH2"]);
  },
);

const planesOf = (folder: string, file: string, scene = 0) =>
  expectedFile(folder, file).scenes[scene]!.planes;

const MOSAIC = 'a "mosaic" \\n.czi';
const MOSAIC_PLANES = firstPlanes(expectedFile("czi", "lib_mosaic.czi").scenes[0]!);
const MISSING = createHash("sha256").update(new Uint8Array(new Float32Array(5 * 9).fill(NaN).buffer)).digest(
  "hex",
);

/** Images that are opened alone: title, dimensions and the starts of the hashes of their planes. */
const ALONE: Record<
  string,
  [opening: Opening, title: string, dimensions: RegExp, planes: readonly string[]]
> = {
  // The order of positions is that of an ImageJ stack.
  "a stack of channels, focus planes and time points": [
    { file: "lsm/series_tzc.lsm", as: "s.lsm" },
    "s.lsm",
    /^13 9 2 2 3 32$/,
    Object.values(planesOf("lsm", "series_tzc.lsm")),
  ],
  "a mosaic of two channels": [
    { file: "czi/lib_mosaic.czi", as: MOSAIC },
    MOSAIC,
    /^39 36 2 1 1 32$/,
    MOSAIC_PLANES,
  ],
  "a name outside the encoding of the system": [
    { file: "czi/lib_mosaic.czi", as: "µ 鼠.czi", encoding: "ISO-8859-1" },
    "",
    /^39 36 2 1 1 32$/,
    MOSAIC_PLANES,
  ],
  "a scene of several, with its time points": [
    { file: "nd2/positions.nd2", as: "positions.nd2", words: "scene=2 " },
    "positions.nd2 scene 2",
    / 32$/,
    Object.values(planesOf("nd2", "positions.nd2", 1)),
  ],
  "an interrupted series has NaN for missing planes": [
    { file: "nd2/zlib.nd2", as: "zlib.nd2" },
    "zlib.nd2",
    /^5 9 1 1 4 32$/,
    [0, 1, 2, 3].map((t) => planesOf("nd2", "zlib.nd2")[`${t},0,0,0`] ?? MISSING),
  ],
};

for (const [name, [opening, title, dimensions, planes]] of Object.entries(ALONE)) {
  openingTest(name, opening, ([image, ...others]) => {
    assert.deepEqual(others, []);
    if (title !== "") assert.equal(image!.title, title);
    assert.match(image!.dimensions, dimensions);
    assert.deepEqual(image!.planes.map((hash, i) => hash.slice(0, planes[i]?.length)), planes);
  });
}

imagejTest("a busy server is retried after `Retry-After`", async (imagej, server, folder) => {
  const of = /^POST \/api\/v2\/open$|\/channels\/0*1\/data/;
  await using busy = busyServer(server.baseUrl, { of, times: 2, retryAfter: 1 });
  const [overview, scan] = await opened(
    imagej,
    `${busy.base} ${join(FIXTURES, "oir", "line_scan.oir")}`,
    folder,
  );
  const { scenes: [first], reference } = expectedFile("oir", "line_scan.oir");
  assert.deepEqual([overview!.planes, scan!.planes], [reference!.planes, firstPlanes(first!)]);
  const [opens, ...others] = [...busy.asked.values()];
  assert.equal(opens!.length, 3);
  for (const [i, at] of opens!.slice(1).entries()) assert(at - opens![i]! >= 1000);
  // The first refusal of a plane goes to the curl that requests all of them.
  assert.deepEqual(others.map((times) => times.length), [3, 3]);
  for (const [, second, third] of others) assert(third! - second! >= 1000);
});

imagejTest("a plane that cannot be read leaves no session and no files", async (imagej, server, folder) => {
  const of = /\/channels\/0*1\/data/;
  // An hour is longer than it waits.
  await using refusing = busyServer(server.baseUrl, { of, times: 9, retryAfter: 3600 });
  const argument = `${refusing.base} ${join(FIXTURES, "oir", "line_scan.oir")}`;
  await assert.rejects(opened(imagej, argument, folder), Deno.errors.NotFound);
  assert.deepEqual([...Deno.readDirSync(folder)].filter(({ name }) => name.startsWith("acq_")), []);
  assert.match(server.stderr, /DELETE \/api\/v2\/sessions\/\w{8}… 200/);
});

imagejTest(
  "errors have codes, and scenes in them count from 1",
  async ({ java, sh, timeout }, server, folder) => {
    const positions = join(FIXTURES, "nd2", "positions.nd2");
    const macro = join(folder, "error.ijm");
    const cases = [
      [`${server.baseUrl} scene=0 ${positions}`, /^scene_out_of_range: There is no "scene=0"; scenes/],
      [
        `${server.baseUrl} scene=9 ${positions}`,
        /^scene_out_of_range: There is no scene 9; there are 1 to 3$/m,
      ],
      [`${server.baseUrl} /nowhere.tif`, /^path_not_found: Cannot open/],
      ["http://127.0.0.1:9 /x.tif", /^server_unreachable: No acq-server answers/],
    ] as const;
    for (const [argument, message] of cases) {
      const run = [join(ROOT, "examples", "imagej", "acq_open.ijm"), argument].map((text) =>
        JSON.stringify(text)
      );
      Deno.writeTextFileSync(macro, `runMacro(${run});`);
      // Without a display the message is printed.
      const options = ["-Djava.awt.headless=true", `-Duser.home=${folder}`, "-cp", JAR];
      const command = [java, ...options, "ij.ImageJ", "-batch", macro];
      const said = await output(sh, ["-c", '"$@" 2>&1 || true', "sh", timeout, "60", ...command]);
      assert.match(said.trim(), message);
    }
  },
);
