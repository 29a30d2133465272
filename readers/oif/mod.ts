/**
 * Olympus OIF and OIB, as written by FluoView for FV1000, FV1200 and FV10i.
 *
 *   NAME.oif         main settings: axes, channels, steps, date. Settings are text in UTF-16, `[Section]`, `Key=Value`
 *   NAME.oif.files   folder beside it
 *     s_C001Z002T003.tif      a plane: a TIFF with one page. In a line scan its rows are lines
 *     s_C001Z002T003.pty      settings of that plane: its time, the time of a line
 *     s_C001-R001.tif, .pty   reference image
 *     s_LUT1.lut, s_N-N.roi   lookup tables, regions
 *   NAME.oib         the same files as streams of a compound file, whose stream `OibInfo.txt` maps their names
 *
 * Not supported: compressed streams, an OIF without its folder, planes unlike the first one.
 */
import { basename } from "node:path";
import { startsWith } from "../first_bytes.ts";
import type { FileAccess } from "../io/file_access.ts";
import { chooseMoment } from "../metadata/moment.ts";
import { type Acquisition, oneScene, type Scenes, type Source } from "../reader.ts";
import { describeStack } from "../tiff/acquisition.ts";
import { PlaneFiles } from "../tiff/plane_files.ts";
import { type Stack, tagMoment } from "../tiff/stack.ts";
import { SIGNATURE } from "./compound_file.ts";
import {
  countDoubts,
  findPlannedLines,
  findPlannedSize,
  type MainSettings,
  parseMainSettings,
  readLineScan,
  readMainSteps,
  warnAboutRows,
  warnAboutSizes,
} from "./main_settings.ts";
import { namePatterns, PlaneSettings, readNamedImages } from "./plane_settings.ts";
import { PlaneGrid, type PlaneName, type PlaneNames, sortPlaneNames } from "./planes.ts";
import { readOifReference } from "./reference_image.ts";
import { OifSettings } from "./settings.ts";
import { type NamedStreams, openFolderStreams, openOibStreams } from "./streams.ts";

interface OpenedOif {
  readonly files: FileAccess;
  readonly streams: NamedStreams;
  readonly settings: OifSettings;
  readonly main: MainSettings;
  readonly names: PlaneNames;
  readonly planes: PlaneSettings;
}

/** Opens an OIF with its folder, a file in the folder, or an OIB. @throws {DecodeFailed} it is damaged or not supported */
export function scenes({ path, files }: Source): Promise<Scenes> {
  return Promise.try(() => {
    const file = files.open(path);
    const head = file.read(0, Math.min(SIGNATURE.length, file.size), "the start");
    const streams = startsWith(head, ...SIGNATURE) ? openOibStreams(file) : openFolderStreams(path, files);
    const settings = OifSettings.read(streams.settings);
    const planes = new PlaneSettings(streams);
    planes.warnings.push(...settings.warnings);
    const named = readNamedImages(streams, planes, files.stop);
    const names = sortPlaneNames(streams.names, named, namePatterns(settings));
    const opened = { files, streams, settings, main: parseMainSettings(settings), names, planes };
    const { places } = names;
    if (places.length <= 1) return oneScene(openOifScene(opened, places[0]?.planes ?? []));
    const own = places.findIndex(({ planes }) => planes.some(({ name }) => name === basename(path)));
    return {
      count: places.length,
      own: Math.max(0, own),
      warnings: [],
      entries: (most) =>
        places.slice(0, most).map(({ number }) => ({ name: `Point ${number ?? 1}`, sizes: {} })),
      open: (scene) => Promise.try(() => openOifScene(opened, places[scene]?.planes ?? [])),
    };
  });
}

function openOifScene(opened: OpenedOif, planes: readonly PlaneName[]): Acquisition {
  const { files, streams, main, names } = opened;
  const grid = new PlaneGrid(planes, Math.min(findPlannedSize(main, "C"), Math.max(1, main.channels.length)));
  const images = PlaneFiles.open(listKnownPlaces(grid.names()), streams.open, files);
  const { name = "", tiff, page } = images.first;
  const settings = new PlaneSettings(streams, opened.planes);
  const stack = buildOifStack(opened, grid, images, settings);
  const plane = { name, columns: page.width };
  const reference = readOifReference({ streams, files, settings, main, names: names.references, plane });
  const warnings = [streams, names, stack, settings, reference].flatMap(({ warnings }) => warnings);
  const acquisition = describeStack({ ...stack, warnings }, tiff.first, files.stop);
  const described = [...grid.names().slice(0, grid.sizes.C), ...names.references.map((one) => one.name)];
  return {
    ...acquisition,
    reference: reference.reference,
    ...streams.paths && { files: () => streams.paths!(names.strangers) },
    documents: (list) => settings.addTo(list, described),
  };
}

function buildOifStack(
  { files, streams, settings: text, main, names }: OpenedOif,
  grid: PlaneGrid,
  images: PlaneFiles,
  settings: PlaneSettings,
): Stack {
  const { name = "", tiff, page } = images.first;
  const isLine = main.rows === "T";
  const layout = isLine ? images.tallest(listKnownPlaces(grid.firsts())) : page;
  const plane = settings.of(name);
  const sources = { settings: text, main, plane };
  const steps = readMainSteps(sources);
  return {
    sizes: grid.sizes,
    layout,
    calibrations: steps.calibrations,
    ...isLine && {
      lineScan: readLineScan(sources, steps.calibrations.Y),
      plannedLines: Math.max(findPlannedLines(main), layout.height),
    },
    names: Array.from({ length: grid.sizes.C }, (_, c) => main.channels[c] ?? null),
    colors: settings.colors(grid.firsts()),
    stamps: settings.stamps(grid, files.stop),
    moment: chooseMoment(main.moment, tagMoment(tiff.first)),
    fileSize: streams.fileSize(names.strangers),
    warnings: [
      ...warnAboutRows(main, layout.height),
      ...countDoubts(main, grid),
      ...warnAboutSizes(main, plane, page),
      ...steps.warnings,
    ],
    // 256 KiB for settings and warnings; a name and its key for each plane.
    indexBytes: (256 << 10) + streams.indexBytes + 300 * grid.stored + PlaneFiles.indexBytes,
    holds: (index) => grid.find(index) !== null,
    plane: (index) => images.get({ name: grid.name(index) }, layout, isLine),
  };
}

const listKnownPlaces = (names: readonly (string | null)[]) =>
  names.filter((name) => name !== null).map((name) => ({ name }));
