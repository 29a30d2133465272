/** Still images of NWB: datasets along x and y, with colours along a third axis. */
import { DecodeFailed } from "../errors.ts";
import type { Hdf5File } from "../hdf5/file.ts";
import { OptionalMetadata } from "../hdf5/optional.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { axesOf, calibrated, known } from "../metadata/axes.ts";
import { channelsOf, COLOURS } from "../metadata/channels.ts";
import type { Acquisition } from "../reader.ts";
import { planOf, requireSamples, sessionMoment } from "./scene.ts";

/** Micrometres in a centimetre. */
const UM_IN_CM = 10_000;

/** Opens a still image. @throws {DecodeFailed} it is none */
export function openStill(file: Hdf5File, source: ByteSource, path: string): Acquisition {
  const dataset = file.dataset(path);
  const { shape, sampleType } = dataset;
  const colours = shape.length === 3 ? shape[2]! : 1;
  if (shape.length !== 2 && (shape.length !== 3 || colours < 3 || colours > 4)) {
    throw new DecodeFailed(
      `${path} has ${shape.join(" x ")} samples, an image needs columns, rows and colours`,
    );
  }
  const [columns, rows] = shape as [number, number];
  requireSamples(dataset, rows, columns);
  const metadata = new OptionalMetadata();
  // Pixels per centimetre.
  const resolution =
    metadata.read("The resolution", () => file.numbers(path, "resolution")?.[0], undefined) ?? NaN;
  const step = known(calibrated(UM_IN_CM / resolution, "um"));
  const names = shape.length === 3 ? [...COLOURS, "Alpha"].slice(0, colours) : [null];
  return {
    axes: axesOf({ C: names.length, Y: rows, X: columns }, step ? { Y: step, X: step } : {}),
    channels: channelsOf(names.map((name) => ({ name })), { sampleType: sampleType!, rows, columns }),
    ...sessionMoment(file),
    fileSize: source.size,
    reference: null,
    warnings: metadata.warnings,
    indexBytes: 1000,
    documents: () => {},
    plan: planOf(source, { rows, columns }, (channel) => ({
      dataset,
      rowAxis: 1,
      columnAxis: 0,
      at: shape.length === 3 ? [0, 0, channel] : [0, 0],
      columns,
    })),
  };
}
