/** The planes that traces and events use: the shown line scan, or the means of the regions of images over time. */
import type { ImagePart } from "../../../measure/image_parts.ts";
import { makeTracedScan, type PartMeans, selectTracedRegions } from "../../../measure/image_traces.ts";
import { type Axis, isTime } from "../../../measure/axes.ts";
import { type BandRegion, findRegion, type Region, selectBands } from "../drawing/region.ts";
import { listMeasurableParts } from "../drawing/table.ts";
import type { KeptMeans } from "../drawing/pieces.ts";
import type { Scan } from "../drawing/scan.ts";
import type { Samples } from "../../../measure/line_scan.ts";
import type { ImageSource } from "./image_series.ts";

/** A line scan and its bands, or the means of images as one whose bands are their regions. */
export interface Traced {
  scan: Scan<Samples>;
  bands: readonly BandRegion[];
}

/** Colour of the whole image in charts. */
const WHOLE = "#56b4e9";

/** Facts of a place that belong to one image. */
const OF_IMAGE = ["Time point", "Focus plane", "Wavelength", "Projection"];

/** The scan of means, so that results of the same means hold. */
const scans: WeakMap<readonly PartMeans[], { of: Scan; scan: Scan<Samples> }> = new WeakMap();

/**
 * What is traced in a picture: of images, their measured means if these are there.
 *
 * @param axis of the means
 */
export function findTraced(
  scan: Scan,
  regions: readonly Region[],
  kept?: KeptMeans | null,
  axis?: ImageSource["axis"],
): Traced {
  if (scan.isLineScan) return { scan, bands: selectBands(regions) };
  if (!kept || axis === undefined || kept.parts.length === 0) return { scan, bands: [] };
  const parts = listMeasurableParts(regions);
  return {
    scan: scanOfMeans(scan, kept, axis),
    bands: selectTracedRegions(kept.parts, parts, scan.axes).map(({ columns: [from, to], ...region }) => ({
      ...region,
      color: findPartColor(regions, region),
      from,
      to,
    })),
  };
}

const findPartColor = (regions: readonly Region[], { id }: Pick<ImagePart, "id">) =>
  findRegion(regions, id)?.color ?? WHOLE;

function scanOfMeans(
  scan: Scan,
  { axis: over, parts, channels, at = [] }: KeptMeans,
  axis: ImageSource["axis"],
): Scan<Samples> {
  const former = scans.get(parts);
  if (former?.of === scan) return former.scan;
  const { shape, axes, channels: traced, timing } = makeTracedScan(parts, channels, axis);
  const own = scan.group.channels.flatMap((channel, i) =>
    traced[i] === undefined ? [] : [{ index: channel.index, name: channel.name, samples: traced[i].samples }]
  );
  const made: Scan<Samples> = {
    ...scan,
    group: {
      plane: { shape, axes: axes as [Axis, Axis] },
      channels: own,
      get shown() {
        const { channels, shown } = scan.group;
        return own.filter((_, i) => shown.includes(channels[i]!));
      },
    },
    axes: axes as [Axis, Axis],
    noun: "region",
    ...timing !== undefined && { timing },
    isLineScan: isTime(axis),
    isTyped: false,
    pixelTime: 0,
    place: () => [...scan.place().filter(([name]) => !OF_IMAGE.includes(name)), ...at],
    derived: () => `means-${over.toLowerCase()}`,
  };
  scans.set(parts, { of: scan, scan: made });
  return made;
}
