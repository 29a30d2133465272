/** Several regions in one frame of ScanImage, one below the other; the rows between them show the way to the next one. */
import { unlessDamaged } from "../../errors.ts";
import { isJsonObject, type JsonObject, parseJsonText } from "../../metadata/json.ts";
import { type Warning, warning } from "../../warning.ts";
import type { ScanImageHeader } from "./scanimage_header.ts";

/** Pixel size and warning for a frame of regions. */
export interface Regions {
  /** Micrometres per pixel where all regions have the same size and field, else `null`. */
  readonly pixel: { readonly x: number; readonly y: number } | null;
  /** Warns that Y is not a length throughout; `null` for a single region. */
  readonly warning: Warning | null;
}

/** The regions of a frame, or `null` for a single field. */
export function regionsOf(header: ScanImageHeader): Regions | null {
  if (header.flag("hRoiManager.mroiEnable") !== true) return null;
  const fields = scanFields(header.regions);
  const count = fields?.length ?? "several";
  const text = `A frame holds ${count} regions one below the other; Y is not a length throughout`;
  return {
    pixel: fields && commonPixel(fields, header.positive("objectiveResolution")),
    warning: count === 1 ? null : warning("regions_stacked", text),
  };
}

/** A list, which Matlab writes as its item where it has one. */
const listOf = (value: unknown): JsonObject[] =>
  (Array.isArray(value) ? value : [value]).filter(isJsonObject);

const within = (value: unknown, key: string): unknown => isJsonObject(value) ? value[key] : undefined;

/** The first field of each region that was scanned; `null` where the header does not describe them. */
function scanFields(text: string): JsonObject[] | null {
  const document = unlessDamaged(() => parseJsonText(text, "the regions"), null);
  const group = within(within(document, "RoiGroups"), "imagingRoiGroup");
  const regions = listOf(within(group, "rois")).filter(({ enable }) => enable !== 0 && enable !== false);
  const fields = regions.flatMap(({ scanfields }) => listOf(scanfields).slice(0, 1));
  return fields.length > 0 ? fields : null;
}

/** @param resolution micrometres per degree of the scan angle, in which sizes are given */
function commonPixel(fields: readonly JsonObject[], resolution: number | null): Regions["pixel"] {
  const shapes = fields.map(({ sizeXY, pixelResolutionXY }) =>
    [sizeXY, pixelResolutionXY].flat().map(Number)
  );
  const [first] = shapes;
  if (resolution === null || !first || first.length !== 4 || !first.every((value) => value > 0)) return null;
  if (shapes.some((shape) => shape.join() !== first.join())) return null;
  const [width = 0, height = 0, columns = 1, rows = 1] = first;
  return { x: width * resolution / columns, y: height * resolution / rows };
}
