/** Wheels of PyPI (PEP 427): the executable of each system among the scripts, so that it runs without Python, and the client. */
import { createHash } from "node:crypto";
import { FORMATS } from "../../readers/formats.ts";
import { type ArchiveEntry, executableEntry, textEntry, zip } from "../archive.ts";
import type { PackageFile, PackageTexts } from "./npm.ts";
import {
  commitTime,
  KEYWORDS,
  packageReadme,
  type Platform,
  repositoryText,
  SUMMARY,
  VERSION,
} from "./release.ts";

/** Bytes that PyPI takes for a file of a new project. */
export const LARGEST_WHEEL = 100e6;

/** The wheel of a system. @throws {Error} it is larger than PyPI takes */
export function wheel(platform: Platform, executable: Uint8Array, texts: PackageTexts): PackageFile {
  const { licences, repository } = texts;
  const data = `acq_server-${VERSION}.data`;
  return wheelFile({
    name: "acq-server",
    tag: `py3-none-${platform.wheel}`,
    metadata: [`Summary: ${SUMMARY}`, "License-File: THIRD_PARTY.txt", "Requires-Python: >=3.8"],
    readme: packageReadme("uvx acq-server", repository),
    repository,
    entries: [
      executableEntry(`${data}/scripts/${platform.executable}`, executable),
      textEntry(`${infoFolder("acq-server")}/licenses/THIRD_PARTY.txt`, licences),
    ],
  });
}

/** The wheel of the client in Python, with its reader for napari. */
export function clientWheel(repository: string | undefined): PackageFile {
  return wheelFile({
    name: "acq-client",
    tag: "py3-none-any",
    metadata: [
      "Summary: Opens microscope files through acq-server and reads their planes as NumPy arrays",
      "Requires-Python: >=3.9",
      "Requires-Dist: numpy",
      "Provides-Extra: dask",
      'Requires-Dist: dask[array]; extra == "dask"',
      "Provides-Extra: xarray",
      'Requires-Dist: dask[array]; extra == "xarray"',
      'Requires-Dist: xarray; extra == "xarray"',
      "Provides-Extra: napari",
      'Requires-Dist: dask[array]; extra == "napari"',
      'Requires-Dist: napari>=0.6; extra == "napari"',
      "Classifier: Framework :: napari",
      "Classifier: Typing :: Typed",
    ],
    readme: repositoryText(".ci/client_wheel.md"),
    repository,
    entries: [
      textEntry("acq_client/__init__.py", repositoryText("examples/python/acq_client.py")),
      textEntry("acq_client/napari_acq.py", repositoryText("examples/python/napari_acq.py")),
      textEntry("acq_client/napari.yaml", napariManifest()),
      textEntry("acq_client/py.typed", ""),
      textEntry(
        `${infoFolder("acq-client")}/entry_points.txt`,
        "[napari.manifest]\nacq-client = acq_client:napari.yaml\n",
      ),
    ],
  });
}

/** What napari reads of the plugin (npe2), as JSON, which is YAML too. */
function napariManifest(): string {
  const extensions = FORMATS.flatMap(({ extensions }) => extensions);
  const command = "acq-client.read";
  return JSON.stringify(
    {
      name: "acq-client",
      display_name: "acq-server",
      contributions: {
        commands: [{
          id: command,
          title: "Open with acq-server",
          python_name: "acq_client.napari_acq:napari_get_reader",
        }],
        readers: [{
          command,
          filename_patterns: [...new Set(extensions)].map((extension) => `*${extension}`),
          accepts_directories: true,
        }],
      },
    },
    null,
    2,
  ) + "\n";
}

/** What wheels differ in. */
interface WheelParts {
  readonly name: "acq-server" | "acq-client";
  /** Of Python, its ABI and the system. */
  readonly tag: string;
  /** Lines of METADATA that others do not have. */
  readonly metadata: readonly string[];
  readonly readme: string;
  readonly repository: string | undefined;
  readonly entries: readonly ArchiveEntry[];
}

const infoFolder = (name: WheelParts["name"]) => `${name.replace("-", "_")}-${VERSION}.dist-info`;

/** A wheel with the licence and the files that describe it. @throws {Error} it is larger than PyPI takes */
function wheelFile({ name, tag, metadata, readme, repository, entries }: WheelParts): PackageFile {
  const info = infoFolder(name);
  const all = [
    ...entries,
    textEntry(
      `${info}/METADATA`,
      [
        "Metadata-Version: 2.4",
        `Name: ${name}`,
        `Version: ${VERSION}`,
        "License-Expression: MIT",
        "License-File: LICENSE",
        `Keywords: ${KEYWORDS.join(",")}`,
        ...metadata,
        ...(repository === undefined ? [] : [`Project-URL: Source, https://github.com/${repository}`]),
        "Description-Content-Type: text/markdown",
        "",
        readme,
      ].join("\n"),
    ),
    textEntry(
      `${info}/WHEEL`,
      `Wheel-Version: 1.0\nGenerator: acq-server\nRoot-Is-Purelib: ${tag.endsWith("-any")}\nTag: ${tag}\n`,
    ),
    textEntry(`${info}/licenses/LICENSE`, repositoryText("LICENSE")),
  ];
  const lines = all.map(({ path, bytes }) =>
    `${path},sha256=${createHash("sha256").update(bytes).digest("base64url")},${bytes.length}`
  );
  const record = textEntry(`${info}/RECORD`, [...lines, `${info}/RECORD,,`, ""].join("\n"));
  const file = `${name.replace("-", "_")}-${VERSION}-${tag}.whl`;
  const bytes = zip([...all, record], commitTime());
  if (bytes.length >= LARGEST_WHEEL) {
    throw new Error(`"${file}" has ${bytes.length} bytes, of which PyPI takes ${LARGEST_WHEEL}`);
  }
  return { name: file, bytes };
}
