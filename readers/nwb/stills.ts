/** Still images of NWB: datasets along x and y, with colours along a third axis. */
import { DecodeFailed } from "../errors.ts";
import type { Hdf5File } from "../hdf5/file.ts";
import { OptionalMetadata } from "../hdf5/optional.ts";
import { planDatasets } from "../hdf5/planes.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { buildAxes, convertStep, keepCalibrated } from "../metadata/axes.ts";
import { buildChannels, COLOURS } from "../metadata/channels.ts";
import { type Acquisition, type SceneEntry, sizesOf } from "../reader.ts";
import { readSessionMoment, requireSamples } from "./scene.ts";

/** Micrometres in a centimetre. */
const UM_IN_CM = 10_000;

/** A still with its sizes. @throws {DecodeFailed} the dataset is not an image */
function layOutStill(file: Hdf5File, path: string) {
  const dataset = file.dataset(path);
  const { shape } = dataset;
  const [width = 0, height = 0, colours = 1] = shape;
  if (shape.length !== 2 && (shape.length !== 3 || colours < 3 || colours > 4)) {
    throw new DecodeFailed(
      `${path} has ${shape.join(" x ")} samples, an image needs columns, rows and colours`,
    );
  }
  const sizes = { C: colours, Y: height, X: width };
  requireSamples(dataset, sizes.Y, sizes.X);
  return { dataset, sizes };
}

/** Lengths of the axes of a still. @throws {DecodeFailed} the dataset is not an image */
export const readStillLengths = (file: Hdf5File, path: string): SceneEntry["sizes"] =>
  sizesOf(buildAxes(layOutStill(file, path).sizes, {}));

/** Opens a still image. @throws {DecodeFailed} the dataset is not an image */
export function openStill(file: Hdf5File, source: ByteSource, path: string): Acquisition {
  const { dataset, sizes } = layOutStill(file, path);
  const { shape, sampleType } = dataset;
  const { C: colours, Y: rows, X: columns } = sizes;
  const metadata = new OptionalMetadata();
  // Pixels per centimetre.
  const resolution =
    metadata.read("The resolution", () => file.numbers(path, "resolution")?.[0], undefined) ?? NaN;
  const step = keepCalibrated(convertStep(UM_IN_CM / resolution, "um"));
  const names = shape.length === 3 ? [...COLOURS, "Alpha"].slice(0, colours) : [null];
  return {
    axes: buildAxes(sizes, step ? { Y: step, X: step } : {}),
    channels: buildChannels(names.map((name) => ({ name })), { sampleType: sampleType!, rows, columns }),
    ...readSessionMoment(file, metadata),
    fileSize: source.size,
    reference: null,
    warnings: metadata.warnings,
    indexBytes: 1000,
    documents: () => {},
    plan: (wanted, _position, rowRange) =>
      Promise.try(() => {
        const planes = wanted.map((channel) => {
          const at = shape.length === 3 ? [0, 0, channel] : [0, 0];
          return { dataset, rowAxis: 1, columnAxis: 0, at, columns };
        });
        return planDatasets(source, { rows, columns }, planes, rowRange);
      }),
  };
}
