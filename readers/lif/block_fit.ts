/** Whether the samples that a document describes are those of their block: a description that lost a part is told by it. */
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import { type Warning, warning } from "../warning.ts";
import type { Block } from "./container.ts";
import { DIM, type ImageLayout, type Joined, lengthOf } from "./image_layout.ts";

/** Rows of colour pixels end at a multiple of this. */
const ROW_ALIGNMENT = 4;

/** What does not fit, for the user. */
export function fitWarnings(layout: ImageLayout, block: Block): Warning[] {
  const { channels, columns, sampleType, bytes } = layout;
  const pixel = columns[0]?.step ?? SAMPLE_BYTES[sampleType];
  const [first, second] = channels;
  const inside = first !== undefined && second !== undefined &&
    Math.abs(second.offset - first.offset) < pixel;
  const interleaved = inside && all(layout).every(({ step }) => step >= pixel);
  const unnamed = interleaved && channels.some(({ tag }) => tag === 0)
    ? [
      warning("metadata_missing", "The file does not state which samples of a pixel are red, green and blue"),
    ]
    : channels.some(({ described }) => described.tag === null)
    ? [warning("metadata_missing", "The file does not state of every channel whether it is a colour")]
    : [];
  if (block.size < bytes) {
    return [
      ...unnamed,
      warning("planes_missing", `The image needs ${bytes} bytes, but its block has ${block.size}`),
    ];
  }
  const described = describedBytes(layout);
  const most = described + (interleaved ? paddingOf(layout) : 0);
  const fits = block.size === bytes && bytes === described || bytes <= block.size && block.size <= most;
  return fits ? unnamed : [
    ...unnamed,
    warning(
      "metadata_disagree",
      `The described samples take ${described} of the ${block.size} bytes of their block`,
    ),
  ];
}

const all = ({ positions, rows, columns, others }: ImageLayout): Joined => [
  ...[positions.t, positions.z, positions.l].flat(),
  ...rows,
  ...columns,
  ...others,
];

/** Bytes of all samples. */
const describedBytes = (layout: ImageLayout) =>
  lengthOf(all(layout)) * layout.channels.length * SAMPLE_BYTES[layout.sampleType];

/** Bytes between the rows of colour pixels. */
function paddingOf(layout: ImageLayout): number {
  const [row, column] = [layout.rows.at(-1), layout.columns[0]];
  if (!row || !column || row.id !== DIM.y) return 0;
  const padding = row.step - column.step * column.count;
  if (padding < 0 || padding >= ROW_ALIGNMENT) return 0;
  return padding * lengthOf(all(layout)) / column.count;
}
