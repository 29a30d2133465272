/** Wheels of PyPI (PEP 427): one a system, with the executable among the scripts, so that it runs without Python. */
import { createHash } from "node:crypto";
import { executableEntry, textEntry, zip } from "../archive.ts";
import type { PackageFile, PackageTexts } from "./npm.ts";
import { commitTime, packageReadme, type Platform, repositoryText, SUMMARY, VERSION } from "./release.ts";

/** Bytes that PyPI takes for a file of a new project. */
export const LARGEST_WHEEL = 100e6;

/** The wheel of a system. @throws {Error} it is larger than PyPI takes */
export function wheel(platform: Platform, executable: Uint8Array, texts: PackageTexts): PackageFile {
  const { licences, repository } = texts;
  const [data, info] = [`acq_server-${VERSION}.data`, `acq_server-${VERSION}.dist-info`];
  const entries = [
    executableEntry(`${data}/scripts/${platform.executable}`, executable),
    textEntry(
      `${info}/METADATA`,
      [
        "Metadata-Version: 2.4",
        "Name: acq-server",
        `Version: ${VERSION}`,
        `Summary: ${SUMMARY}`,
        "License-Expression: MIT",
        "License-File: LICENSE",
        "License-File: THIRD_PARTY.txt",
        "Requires-Python: >=3.8",
        ...(repository === undefined ? [] : [`Project-URL: Source, https://github.com/${repository}`]),
        "Description-Content-Type: text/markdown",
        "",
        packageReadme("uvx acq-server", repository),
      ].join("\n"),
    ),
    textEntry(
      `${info}/WHEEL`,
      `Wheel-Version: 1.0\nGenerator: acq-server\nRoot-Is-Purelib: false\nTag: py3-none-${platform.wheel}\n`,
    ),
    textEntry(`${info}/licenses/LICENSE`, repositoryText("LICENSE")),
    textEntry(`${info}/licenses/THIRD_PARTY.txt`, licences),
  ];
  const lines = entries.map(({ path, bytes }) =>
    `${path},sha256=${createHash("sha256").update(bytes).digest("base64url")},${bytes.length}`
  );
  const record = textEntry(`${info}/RECORD`, [...lines, `${info}/RECORD,,`, ""].join("\n"));
  const name = `acq_server-${VERSION}-py3-none-${platform.wheel}.whl`;
  const bytes = zip([...entries, record], commitTime());
  if (bytes.length >= LARGEST_WHEEL) {
    throw new Error(`"${name}" has ${bytes.length} bytes, of which PyPI takes ${LARGEST_WHEEL}`);
  }
  return { name, bytes };
}
