/**
 * Olympus OIF and OIB, as FluoView writes them for FV1000, FV1200 and FV10i.
 *
 *   NAME.oif         main settings: axes, channels, steps, date. Settings are text in UTF-16, `[Section]`, `Key=Value`
 *   NAME.oif.files   folder beside it
 *     s_C001Z002T003.tif      a plane: one page of TIFF. In a line scan its rows are lines
 *     s_C001Z002T003.pty      settings of that plane: its time, the time of a line
 *     s_C001-R001.tif, .pty   reference image
 *     s_LUT1.lut, s_N-N.roi   lookup tables, regions
 *   NAME.oib         the same files as streams of a compound file, named by the stream `OibInfo.txt`
 *
 * Refused: compressed streams; an OIF without its folder; images of several samples, or of other than 8 or 16 bits; two
 * files for one plane; a first plane that is unlike the others.
 */
import { basename } from "node:path";
import { startsWith } from "../format.ts";
import { firstMoment } from "../metadata/moment.ts";
import type { FileAccess } from "../io/random_access.ts";
import { type Acquisition, oneScene, type Scenes, type Source } from "../reader.ts";
import { acquisitionOf } from "../tiff/acquisition.ts";
import { PlaneFiles } from "../tiff/plane_files.ts";
import { tagMoment } from "../tiff/opened.ts";
import type { Stack } from "../tiff/stack.ts";
import { lineScanIn, stepsOf } from "./calibration.ts";
import { SIGNATURE } from "./compound_file.ts";
import { addSettings } from "./documents.ts";
import { countDoubts, plannedLines, rowDoubts, sizeDoubts } from "./doubts.ts";
import { folderStreams } from "./folder_streams.ts";
import { tableColor } from "./lookup_table.ts";
import { type MainSettings, mainSettings, plannedSize } from "./main_settings.ts";
import type { NamedStreams } from "./named_streams.ts";
import { oibStreams } from "./oib_streams.ts";
import { placesOf } from "./places.ts";
import { PlaneGrid } from "./plane_grid.ts";
import { type PlaneName, type PlaneNames, planeNames } from "./plane_names.ts";
import { PlaneSettings, settingsName } from "./plane_settings.ts";
import { referenceImage } from "./reference_image.ts";
import { regionName } from "./scan_line.ts";
import { Settings } from "./settings.ts";
import { timesOf } from "./time_points.ts";

/** Memory of the settings of an acquisition and of what is told of it. */
const BASE_BYTES = 256 << 10;

/** Channels whose lookup tables are read, each a few reads. */
const MAX_COLORS = 64;

/** What all images of an acquisition share. */
interface OpenedOif {
  readonly files: FileAccess;
  readonly streams: NamedStreams;
  readonly settings: Settings;
  readonly main: MainSettings;
  readonly names: PlaneNames;
}

/** Opens an OIF with its folder, a file of the folder, or an OIB. @throws {DecodeFailed} it is damaged or refused */
export function scenes(source: Source): Promise<Scenes> {
  return Promise.try(() => {
    const opened = openOif(source);
    const { places, warnings } = placesOf(opened.names.planes);
    const [only] = places;
    if (places.length <= 1) {
      const image = imageOf(opened, only?.planes ?? []);
      return { ...oneScene(image), warnings };
    }
    const own = places.findIndex(({ planes }) => planes.some(({ name }) => name === basename(source.path)));
    return {
      count: places.length,
      own: Math.max(0, own),
      warnings,
      entries: (most) =>
        places.slice(0, most).map(({ number }) => ({ name: `Point ${number ?? 1}`, sizes: {} })),
      open: (scene) => Promise.try(() => imageOf(opened, places[scene]?.planes ?? [])),
    };
  });
}

function openOif({ path, files }: Source): OpenedOif {
  const file = files.open(path);
  const head = file.read(0, Math.min(SIGNATURE.length, file.size), "the start");
  const streams = startsWith(head, ...SIGNATURE) ? oibStreams(file) : folderStreams(path, files);
  const settings = Settings.read(streams.settings);
  return { files, streams, settings, main: mainSettings(settings), names: planeNames(streams.names) };
}

/** Everything but the samples of the image that some planes make. */
function imageOf(opened: OpenedOif, planes: readonly PlaneName[]): Acquisition {
  const { files, streams, main, names } = opened;
  const grid = new PlaneGrid(planes, Math.min(plannedSize(main, "C"), Math.max(1, main.channels.length)));
  const images = PlaneFiles.open(grid.names().map((name) => ({ name })), streams.open, files);
  const { name = "", tiff, page } = images.first;
  const settings = new PlaneSettings(streams);
  const stack = stackOf(opened, { grid, images, settings });
  const reference = referenceImage({
    streams,
    files,
    settings,
    main,
    names: names.references,
    plane: { name, columns: page.width },
  });
  const warnings = [
    ...streams.warnings,
    ...names.warnings,
    ...stack.warnings,
    ...settings.warnings,
    ...reference.warnings,
  ];
  const acquisition = acquisitionOf({ ...stack, warnings }, tiff.first, files.stop);
  const texts = new Set(
    [...grid.names().slice(0, grid.sizes.C), ...names.references.map((one) => one.name)]
      .flatMap((image) => [settingsName(image), regionName(settings.of(image))]).filter((one) =>
        one !== null
      ),
  );
  return {
    ...acquisition,
    reference: reference.reference,
    ...streams.paths && { files: streams.paths },
    documents: (list) => addSettings(list, streams, [...texts]),
  };
}

/** The planes of an image. */
function stackOf(
  { files, streams, settings: text, main }: OpenedOif,
  { grid, images, settings }: {
    readonly grid: PlaneGrid;
    readonly images: PlaneFiles;
    readonly settings: PlaneSettings;
  },
): Stack {
  const { name = "", tiff, page } = images.first;
  const isLine = main.rows === "T";
  const layout = isLine ? images.tallest(firstPlanes(grid)) : page;
  const plane = settings.of(name);
  const times = timesOf(grid, settings, files.stop);
  const sources = { settings: text, main, plane, times };
  const steps = stepsOf(sources);
  return {
    sizes: grid.sizes,
    layout,
    calibrations: steps.calibrations,
    ...isLine && {
      lineScan: lineScanIn(sources, steps),
      plannedLines: Math.max(plannedLines(main), layout.height),
    },
    names: Array.from({ length: grid.sizes.C }, (_, c) => main.channels[c] ?? null),
    colors: colorsOf(grid, settings, streams),
    times,
    moment: firstMoment(main.moment, tagMoment(tiff.first)),
    fileSize: streams.fileSize,
    warnings: [
      ...rowDoubts(main, layout.height),
      ...countDoubts(main, grid),
      ...sizeDoubts(main, plane, page),
      ...steps.warnings,
    ],
    indexBytes: BASE_BYTES + streams.indexBytes + grid.indexBytes + PlaneFiles.indexBytes,
    holds: (index) => grid.find(index) !== null,
    plane: (index) => images.get({ name: grid.name(index) }, layout, isLine),
  };
}

/** The first plane of each channel that has one. */
const firstPlanes = (grid: PlaneGrid) =>
  Array.from({ length: grid.sizes.C }, (_, channel) => grid.find({ t: 0, l: 0, z: 0, channel }))
    .map((name) => name === null ? null : { name });

/** Colours of the channels by the tables of their first planes. */
function colorsOf(grid: PlaneGrid, settings: PlaneSettings, streams: NamedStreams): (string | null)[] {
  return Array.from({ length: grid.sizes.C }, (_, channel) => {
    const name = channel < MAX_COLORS ? grid.find({ t: 0, l: 0, z: 0, channel }) : null;
    return name === null ? null : tableColor(settings.of(name), streams, settings.warnings);
  });
}
