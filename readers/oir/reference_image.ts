/** The reference image: an overview, stored as chunks of its own, on which the line of a line scan was drawn. */
import type { Calibration } from "../axes.ts";
import { channelNames } from "../channel_names.ts";
import { MAX_PLANE_SAMPLES } from "../limits.ts";
import type { PlanePlan, Reference, SampleType } from "../reader.ts";
import { SAMPLE_BYTES } from "../to_float32.ts";
import type { FileScan } from "./file_scan.ts";
import type { FrameGeometry } from "./frame_documents.ts";
import type { ImageProperties } from "./image_properties.ts";
import { orderedIds } from "./main_image.ts";
import { assemblePlane, readPlane, type StoredPlane } from "./plane_chunks.ts";

/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** What is known of the reference image besides its chunks. */
export interface ReferenceFacts {
  /** Sample type of the main image, which a scanned overview shares. */
  readonly sampleType: SampleType;
  /** Sample type of camera pictures, where it is told. */
  readonly cameraSampleType: SampleType | null;
  readonly properties: ImageProperties;
  readonly geometry: FrameGeometry;
  /** Sizes from image definition documents. */
  readonly definitions: readonly ImageSize[];
}

/** The reference image, or `null` and why a stored one is left out. */
export interface ReferenceResult {
  readonly reference: Reference | null;
  readonly warnings: readonly string[];
}

/** Describes the reference image of an acquisition. */
export function referenceImage(scans: readonly FileScan[], facts: ReferenceFacts): ReferenceResult {
  const sources = [...new Set(scans.flatMap((scan) => [...scan.reference.keys()]))];
  const source = sources[0];
  if (source === undefined) return { reference: null, warnings: [] };
  const { properties } = facts;
  const sampleType = (source.startsWith("CAMERA") ? facts.cameraSampleType : null) ?? facts.sampleType;
  const warnings = sources.slice(1).map((name) => `A second reference image (${name}) is not served`);

  const holders = scans.flatMap((scan) => {
    const channels = scan.reference.get(source);
    return channels ? [{ file: scan.file, channels }] : [];
  });
  const ids = orderedIds(new Set(holders.flatMap((h) => [...h.channels.keys()])), properties);
  const stored = ids.map((id) =>
    assemblePlane(holders.flatMap(({ file, channels }) => {
      const chunks = channels.get(id);
      return chunks ? [{ file, chunks }] : [];
    }))
  );
  const most = Math.max(...stored.map((plane) => plane.bytes));
  const size = sizeOf(Math.floor(most / SAMPLE_BYTES[sampleType]), facts);
  if (typeof size === "string") {
    return { reference: null, warnings: [...warnings, `The reference image is left out: ${size}`] };
  }
  const { width, height } = size;
  const needed = width * height * SAMPLE_BYTES[sampleType];
  const complete = ids.map((id, i) => ({ id, plane: stored[i]! })).filter(({ plane }) =>
    plane.bytes >= needed
  );
  const left = ids.length - complete.length;
  if (left > 0) {
    warnings.push(`${left} of ${ids.length} channels of the reference image are incomplete and left out`);
  }
  const names = channelNames(complete.map(({ id }) => properties.channels.find((c) => c.id === id)?.name));
  const { line } = properties;
  const axis = (name: "Y" | "X", size: number, { step, unit }: Calibration) => ({ name, size, step, unit });
  return {
    reference: {
      axes: [axis("Y", height, properties.pixel.y), axis("X", width, properties.pixel.x)],
      channels: names.map((name, index) => ({ index, name, sampleType, rows: height, columns: width })),
      lineRoi: line,
      scanPath: line && { x: [line[0], line[2]], y: [line[1], line[3]] },
      plan: () => Promise.resolve(planOf(complete.map(({ plane }) => plane), size, sampleType)),
    },
    warnings,
  };
}

function planOf(planes: readonly StoredPlane[], size: ImageSize, sampleType: SampleType): PlanePlan {
  return {
    rows: size.height,
    columns: size.width,
    warnings: [],
    decode: (targets) =>
      Promise.try(() => {
        for (const [i, target] of targets.entries()) {
          readPlane(planes[i]!, sampleType, target, `channel ${i} of the reference image`);
        }
      }),
  };
}

/** Size of the reference image, first from what states it exactly, then from its number of pixels; or why none. */
function sizeOf(pixels: number, { definitions, properties, geometry }: ReferenceFacts): ImageSize | string {
  if (pixels === 0) return "none of its samples are stored";
  if (pixels > MAX_PLANE_SAMPLES) return `it has ${pixels} pixels, more than ${MAX_PLANE_SAMPLES}`;
  const stated = [...definitions, ...(properties.overview ? [properties.overview] : [])];
  const fitting = stated.find(({ width, height }) => width * height === pixels);
  if (fitting) return fitting;
  const larger = definitions.find(({ width, height }) => width * height > pixels);
  if (larger) return `${pixels} of its ${larger.width} x ${larger.height} pixels are stored`;
  const root = Math.round(Math.sqrt(pixels));
  if (root * root === pixels) return { width: root, height: root };
  if (pixels % geometry.height === 0) return { width: pixels / geometry.height, height: geometry.height };
  if (pixels % geometry.width === 0) return { width: geometry.width, height: pixels / geometry.width };
  return `nothing says how its ${pixels} pixels are arranged`;
}
