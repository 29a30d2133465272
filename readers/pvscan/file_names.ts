/**
 * How Prairie View names the files of a scan called NAME, by which one of them leads to `NAME.xml`.
 *
 *   NAME_Cycle00001_Ch1_000001.ome.tif                      image of version 5: cycle, channel, number of the frame
 *   NAME_Cycle00001_CurrentSettings_Ch1_000001.tif          the same of version 4
 *   NAME-Cycle00001_Ch1Source.tif                           frame on which the line of a line scan was drawn
 *   References/NAME-Cycle00002-Ch1-16bit-Reference.tif      the same frame; its number is that of the cycle and one
 */

/** The parts of a file name. */
export interface NamedPart {
  /** Image of a cycle, or the frame that a line was drawn on. */
  readonly kind: "image" | "source";
  /** Name of the scan. */
  readonly scan: string;
  /** Number of the cycle, from 1. */
  readonly cycle: number;
  /** True for a file that lies in a folder below that of the scan. */
  readonly below: boolean;
}

const IMAGE = /^(.+)_Cycle(\d+)_(?:.*_)?Ch\d+_\d+(?:\.ome)?\.tiff?$/i;
const SOURCE = /^(.+)-Cycle(\d+)_Ch\d+Source\.tiff?$/i;
const REFERENCE = /^(.+)-Cycle(\d+)[-_]Ch\d+-16bit-Reference\.tiff?$/i;

/** The parts of a file name, or `null` for any other name. */
export function namedPart(name: string): NamedPart | null {
  const image = IMAGE.exec(name);
  if (image) return part("image", image, 0);
  const source = SOURCE.exec(name);
  if (source) return part("source", source, 0);
  const reference = REFERENCE.exec(name);
  return reference && part("source", reference, 1);
}

function part(kind: NamedPart["kind"], found: RegExpExecArray, ahead: number): NamedPart {
  return { kind, scan: found[1] ?? "", cycle: Number(found[2]) - ahead, below: ahead > 0 };
}

/** Name of the frame that the line of an image was drawn on, which version 4 does not state; `null` for other names. */
export function sourceName(image: string): string | null {
  const found = /^(.+)_(Cycle\d+)_(?:.*_)?(Ch\d+)_\d+(?:\.ome)?(\.tiff?)$/i.exec(image);
  return found && `${found[1]}-${found[2]}_${found[3]}Source${found[4]}`;
}

/** True for samples that Prairie View has not converted into TIFF yet. */
export const isRawData = (name: string): boolean => /^CYCLE_\d+_RAWDATA_\d+/i.test(name);
