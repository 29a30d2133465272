/** The reference image: an overview with chunks of its own, on which the line of a line scan was drawn. */
import { buildChannels } from "../metadata/channels.ts";
import {
  buildReferenceAxes,
  makeStraightPath,
  NO_PATH,
  NO_REFERENCE,
  type ReferenceResult,
  warnReferenceLost,
} from "../metadata/reference.ts";
import { MAX_PLANE_SAMPLES } from "../io/limits.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import type { PlanePlan, SampleType } from "../reader.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import type { OirMetadata } from "./metadata.ts";
import type { ImageSize } from "./documents.ts";
import type { FileScan } from "./file_scan.ts";
import type { FrameGeometry } from "./frame_documents.ts";
import { chooseTypeOfBytes, orderIds } from "./main_image.ts";
import { assemblePlane, readChunkedPlane } from "./plane_chunks.ts";

/** Describes the reference image of an acquisition. @param geometry of the main image */
export function readOirReference(
  scans: readonly FileScan[],
  geometry: FrameGeometry,
  metadata: OirMetadata,
  stop: StopFlag,
): ReferenceResult {
  // Continuation files may repeat the reference image.
  const scan = scans.find(({ reference }) => reference.size > 0);
  const [source, ...others] = scan?.reference ?? [];
  if (!scan || !source) return NO_REFERENCE;
  const { properties, camera } = metadata;
  const warnings = others.map(([name]) =>
    warnReferenceLost(`A second reference image (${name}) is not served`)
  );

  const [sourceName, chunksOf] = source;
  const ids = orderIds(new Set(chunksOf.keys()), properties);
  const stored = ids.map((id) => ({
    id,
    plane: assemblePlane([{ file: scan.file, chunks: chunksOf.get(id) ?? [] }]),
  }));
  const most = stored.reduce((bytes, { plane }) => Math.max(bytes, plane.source.size), 0);
  const arranged = findArrangement(most, geometry, metadata);
  if (arranged === null) {
    const text = `The reference image is left out: the arrangement of its ${most} bytes is unknown`;
    return { reference: null, warnings: [...warnings, warnReferenceLost(text)] };
  }
  const { width: columns, height: rows, sampleType } = arranged;
  const complete = stored.filter(({ plane }) =>
    plane.source.size >= rows * columns * SAMPLE_BYTES[sampleType]
  );
  const left = ids.length - complete.length;
  if (left > 0) {
    warnings.push(
      warnReferenceLost(
        `${left} of ${ids.length} channels of the reference image are incomplete and left out`,
      ),
    );
  }
  const nameOf = sourceName.startsWith("CAMERA")
    ? (id: string) => camera.names.get(id) ?? properties.channels.get(id)?.name
    : (id: string) => properties.channels.get(id)?.name ?? camera.names.get(id);
  const named = complete.map(({ id }) => ({ name: nameOf(id) }));
  const { line } = properties;
  return {
    reference: {
      axes: buildReferenceAxes({ rows, columns }, properties.pixel),
      channels: buildChannels(named, { sampleType, rows, columns }),
      ...line ? makeStraightPath(line) : NO_PATH,
      plan: () => Promise.resolve(planOverview(complete.map(({ plane }) => plane), arranged, stop)),
    },
    warnings,
  };
}

/** The decoding of one plane for each channel. */
const planOverview = (
  planes: readonly ReturnType<typeof assemblePlane>[],
  { width: columns, height: rows, sampleType }: ImageSize & { readonly sampleType: SampleType },
  stop: StopFlag,
): PlanePlan => ({
  rows,
  columns,
  warnings: [],
  decode: (targets) =>
    Promise.try(() => {
      for (const [i, plane] of planes.entries()) {
        const what = `channel ${i} of the reference image`;
        readChunkedPlane(plane, { sampleType, first: 0 }, targets[i]!, what, stop);
      }
    }),
});

/**
 * Size and sample type of the reference image; `null` if they are unknown. The sample type of a described camera takes precedence
 * over that of the main image, which a scanned overview also has, and a stated size over one that the number of pixels suggests.
 */
function findArrangement(
  bytes: number,
  geometry: FrameGeometry,
  { camera, definitions, properties: { overview } }: OirMetadata,
): ImageSize & { readonly sampleType: SampleType } | null {
  const statedSize = (pixels: number) =>
    [...definitions, ...overview ? [overview] : []].find(({ width, height }) => width * height === pixels);
  /** A square, or an image with the width or height of the main image, unless a larger size is stated. */
  const likelySize = (pixels: number): ImageSize | undefined => {
    if (definitions.some(({ width, height }) => width * height > pixels)) return undefined;
    const root = Math.round(Math.sqrt(pixels));
    if (root * root === pixels) return { width: root, height: root };
    const { width, height } = geometry;
    if (pixels % height === 0) return { width: pixels / height, height };
    return pixels % width === 0 ? { width, height: pixels / width } : undefined;
  };
  for (const sizeOf of [statedSize, likelySize]) {
    for (
      const sampleType of new Set([camera.depth ?? geometry.depth, geometry.depth].map(chooseTypeOfBytes))
    ) {
      const pixels = Math.floor(bytes / SAMPLE_BYTES[sampleType]);
      const size = pixels > 0 && pixels <= MAX_PLANE_SAMPLES ? sizeOf(pixels) : undefined;
      if (size) return { ...size, sampleType };
    }
  }
  return null;
}
