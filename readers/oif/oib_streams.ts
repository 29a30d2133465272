/** The files of an OIB: streams of a compound file with neutral names, which the stream `OibInfo.txt` maps. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed, NoImage, quoted } from "../errors.ts";
import { listed, warning } from "../warning.ts";
import { CompoundFile } from "./compound_file.ts";
import { calledBy, NAME_BYTES, type NamedStreams } from "./named_streams.ts";
import { Settings } from "./settings.ts";

/** The stream that maps names. */
const INFO = "OibInfo.txt";

const SECTION = "OibSaveInfo";

/**
 * Reads the directory of an OIB.
 *
 * @throws {NoImage} a compound file of another program
 * @throws {DecodeFailed} it is damaged, or compressed as no known file is
 */
export function oibStreams(file: ByteSource): NamedStreams {
  const compound = new CompoundFile(file);
  const source = compound.open(INFO, calledBy(INFO));
  if (source === null) {
    throw new NoImage(`it is a compound file without "${INFO}": another program's, not FluoView's`);
  }
  const info = Settings.read(source);
  const compression = info.text(SECTION, "Compression") ?? "None";
  if (compression.toLowerCase() !== "none") {
    throw new DecodeFailed(`its streams are compressed (${quoted(compression)}), which is not read`);
  }
  const main = info.text(SECTION, "MainFileName");
  const settings = main === null
    ? null
    : compound.open(main, calledBy(lastPart(info.text(SECTION, main) ?? main)));
  if (main === null || settings === null) {
    throw new DecodeFailed(
      `"${INFO}" names ${main === null ? "no stream" : quoted(main)} as the main settings${
        main === null ? "" : ", which is not in the file"
      }`,
    );
  }
  const { streams, warnings } = mapped(info, compound, main);
  return {
    settings,
    names: [...streams.values()].map(({ name }) => name).sort(),
    fileSize: file.size,
    warnings: [...compound.warnings, ...warnings],
    indexBytes: compound.indexBytes + streams.size * 2 * NAME_BYTES,
    open(name: string): ByteSource | null {
      const found = streams.get(name.toLowerCase());
      return found === undefined ? null : compound.open(found.stream, calledBy(found.name));
    },
  };
}

/** True for a compound file that FluoView wrote. */
export function isOib(file: ByteSource): boolean {
  try {
    return new CompoundFile(file).open(INFO, INFO) !== null;
  } catch (error) {
    if (error instanceof DecodeFailed) return false;
    throw error;
  }
}

interface Mapped {
  readonly name: string;
  readonly stream: string;
}

/** Streams that are there, by the names of their files in lower case. @throws {DecodeFailed} two have one name */
function mapped(info: Settings, compound: CompoundFile, main: string) {
  const streams = new Map<string, Mapped>();
  const present = new Set(compound.names);
  const missing: string[] = [];
  const values = info.sections.find(({ name }) => name === SECTION)?.values ?? [];
  for (const [stream, value] of values) {
    if (!/^Stream\d+$/i.test(stream) || stream === main) continue;
    const name = lastPart(value);
    if (!present.has(stream)) {
      missing.push(name);
      continue;
    }
    const other = streams.get(name.toLowerCase());
    if (other !== undefined) {
      throw new DecodeFailed(`the streams "${other.stream}" and "${stream}" are both ${quoted(name)}`);
    }
    streams.set(name.toLowerCase(), { name, stream });
  }
  const warnings = missing.length === 0 ? [] : [
    warning(
      "file_missing",
      `Files that "${INFO}" names are missing: ${listed(missing.map(quoted))}`,
    ),
  ];
  return { streams, warnings };
}

/** The name of a file behind its storage, without the marks of some exports (`GST...=`) in it. */
export function lastPart(value: string): string {
  const name = value.slice(Math.max(value.lastIndexOf("/"), value.lastIndexOf("\\")) + 1);
  const mark = name.indexOf("GST");
  const end = name.lastIndexOf("=");
  return mark >= 0 && end > mark ? name.slice(0, mark) + name.slice(end + 1) : name;
}
