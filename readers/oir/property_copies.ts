/** The two copies of the image properties: a snapshot after the first frame, and what was true at the end. */
import { type Warning, warning } from "../warning.ts";
import type { ImageProperties } from "./image_properties.ts";

/**
 * The last copy of the properties, completed from the first: that one is a snapshot after the first frame. The
 * scanned line is taken from the snapshot, which describes what was drawn before the scan.
 */
export function mergeProperties(first: ImageProperties, last: ImageProperties): ImageProperties {
  const channels = new Map(last.channels);
  for (const [id, channel] of first.channels) {
    const known = channels.get(id);
    channels.set(id, known ? { ...known, name: known.name ?? channel.name } : channel);
  }
  return {
    created: last.created ?? first.created,
    channels,
    pixel: last.pixel.x.unit === "Pixels" ? first.pixel : last.pixel,
    pixelVaries: last.pixelVaries || first.pixelVaries,
    axes: new Map([...[...first.axes].filter(([type]) => !known(last, type)), ...last.axes]),
    disabledAxes: new Set([...last.disabledAxes, ...first.disabledAxes]),
    seriesInterval: last.seriesInterval ?? first.seriesInterval,
    seriesIntervals: [...last.seriesIntervals, ...first.seriesIntervals],
    pixelTime: last.pixelTime ?? first.pixelTime,
    roundtrip: last.roundtrip ?? first.roundtrip,
    width: last.width ?? first.width,
    depths: last.depths.length > 0 ? last.depths : first.depths,
    overview: last.overview ?? first.overview,
    region: first.region || last.region,
    line: first.line ?? last.line,
  };
}

const known = ({ axes, disabledAxes }: ImageProperties, type: string) =>
  axes.has(type) || disabledAxes.has(type);

/** What both copies state, and state differently, in a warning; they are written from the same settings. */
export function disagreement(last: ImageProperties, first: ImageProperties): Warning[] {
  const types = [...first.axes.keys(), ...first.disabledAxes].filter((type) => known(last, type)).sort();
  const stated: Readonly<Record<string, (copy: ImageProperties) => unknown>> = {
    "the names of the channels": ({ channels }) => [...channels].map(([id, { name }]) => [id, name]).sort(),
    "the axes": (copy) => types.map((type) => [type, copy.axes.get(type)?.maxSize ?? copy.axes.has(type)]),
    "the pixel size": ({ pixel }) => pixel.x.unit === "Pixels" ? null : pixel,
    "the date": ({ created }) => created,
    "the interval of the series": ({ seriesInterval }) => seriesInterval,
    "the size of the overview": ({ overview }) => overview,
    "the scanned line": ({ line }) => line,
  };
  const named = Object.keys(stated).filter((what) => {
    const [a, b] = [last, first].map((copy) => JSON.stringify(stated[what]!(copy) ?? null));
    return a !== b && a !== "null" && b !== "null";
  });
  return named.length === 0 ? [] : [
    warning(
      "metadata_disagree",
      `The two copies of the image properties disagree about ${named.join(" and ")}`,
    ),
  ];
}
