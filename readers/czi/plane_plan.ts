/** Plans planes: locates their subblocks, and checks them against the file before a sample is read. */
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import {
  type Division,
  largerMemory,
  NO_WORKING_MEMORY,
  type PlanePlan,
  type Position,
  type RowRange,
  servedLines,
  type WorkingMemory,
} from "../reader.ts";
import { warnIf, type Warning } from "../warning.ts";
import { type Block, blockOf, type Canvas, type FixedIndices, isPlain, isScaled, paint } from "./block.ts";
import { spanOf, type StoredScene } from "./scene.ts";
import { findBlock, openPixels, type StoredBlock, workingMemory } from "./subblock.ts";

/** Largest number of subblocks in a plan, 1 KiB of heap each. */
export const MAX_PLANNED = 1 << 19;

/** Memory of a planned subblock. */
const PLANNED_BYTES = 800;

interface Group {
  /** Index along `C` in the file. */
  readonly c: number;
  readonly name: string;
  /** Wanted samples, with the index of the plane to fill. */
  readonly wanted: { readonly sample: number; readonly plane: number }[];
  /** Its subblocks, by index in the table. */
  readonly entries: number[];
  blocks: StoredBlock[];
}

/** Plans some channels at one position. @throws {PlaneNotFound} a plane lacks tiles @throws {DecodeFailed} a subblock is damaged */
export async function planPlanes(
  scene: StoredScene,
  wanted: readonly number[],
  position: Position,
  rows?: RowRange,
): Promise<PlanePlan> {
  const { layout, stop } = scene;
  /** Indices of the plane along all dimensions except rows, columns and channels. */
  const fixed = new Map<string, number>();
  for (const [letter, { start }] of layout.spans) {
    if (letter === "X" || letter === "C" || letter === layout.rowAxis) continue;
    fixed.set(letter, start + (letter === "T" ? position.t : letter === "Z" ? position.z : 0));
  }
  const groups = groupsOf(scene, wanted);
  gather(scene, fixed, groups);
  const warnings: Warning[] = [];
  for (const group of groups) await find(scene, group, fixed, rows, warnings);
  const total = spanOf(layout, layout.rowAxis).size;
  const columns = spanOf(layout, "X").size;
  const stored = layout.rowAxis === "Y" ? [total] : completeLines(groups, position);
  const lines = servedLines(stored, total, rows);
  const blocks = groups.map((group) => group.blocks);
  const gaps = rows ? [] : coverageWarnings(blocks, { rows: lines.rows, columns, stop });
  return {
    ...lines,
    columns,
    warnings: [...warnings, ...lines.warnings, ...gaps],
    division: lines.rows < total ? undefined : divisionOf(groups, total),
    working: memoryOf(groups),
    overwrites: groups.every(({ blocks }) => blocks.length === 1 && fills(blocks[0]!, lines.rows, columns)),
    decode: async (planes) => {
      const canvas = { columns, filled: lines.filled, stop };
      for (const group of groups) await decode(group, planes, canvas);
    },
  };
}

function groupsOf({ channels, places, layout }: StoredScene, wanted: readonly number[]): Group[] {
  const groups = new Map<number, Group>();
  wanted.forEach((index, plane) => {
    const { c, sample } = places[index]!;
    const key = spanOf(layout, "C").start + c;
    const name = `channel ${index} ("${channels[index]!.name}")`;
    const group = groups.getOrInsertComputed(
      key,
      () => ({ c: key, name, wanted: [], entries: [], blocks: [] }),
    );
    group.wanted.push({ sample, plane });
  });
  return [...groups.values()];
}

/** Finds the subblocks of each channel at the fixed indices, in painting order. */
function gather(
  { table, layout, stop }: StoredScene,
  fixed: FixedIndices,
  groups: readonly Group[],
): void {
  const indices = [...fixed];
  let planned = 0;
  stop.check();
  for (const entry of layout.entries) {
    const holds = indices.every(([letter, index]) => {
      const offset = index - table.start(letter, entry);
      return offset >= 0 && offset < table.size(letter, entry);
    });
    if (!holds) continue;
    const first = table.start("C", entry);
    const size = table.size("C", entry);
    const holding = groups.filter(({ c }) => c >= first && c < first + size);
    for (const { entries } of holding) entries.push(entry);
    planned += holding.length;
    if (planned > MAX_PLANNED) {
      throw new DecodeFailed(`the planes consist of more than ${MAX_PLANNED} subblocks`);
    }
  }
}

/** Locates the blocks of a channel. @throws {PlaneNotFound} tiles are missing */
async function find(
  scene: StoredScene,
  group: Group,
  fixed: FixedIndices,
  rows: RowRange | undefined,
  warnings: Warning[],
): Promise<void> {
  const { table, layout } = scene;
  const mayBeCut = layout.rowAxis === "T";
  const withChannel = new Map(fixed).set("C", group.c);
  const tiles = new Set<string | number>();
  let missing: string | null = null;
  for (const entry of group.entries) {
    const block = blockOf(table, entry, layout, withChannel);
    const { part } = table.facts(entry);
    const file = scene.parts.get(part);
    if (file === undefined) {
      missing ??= `part ${part} of the split document, which holds a subblock of it, is missing`;
      continue;
    }
    const tile = layout.tilesBy === "M" ? table.start("M", entry) : `${block.x} ${block.y}`;
    if (rows && (block.y >= rows.end || block.y + block.height <= rows.start) && !mayBeCut) {
      tiles.add(tile);
      continue;
    }
    const found = await findBlock(block, table, file, mayBeCut, warnings);
    if (found === null) continue;
    tiles.add(tile);
    group.blocks.push(found);
  }
  if (layout.rowAxis === "Y") requireTiles(group, tiles.size, layout.tiles, missing);
  else if (group.blocks.length === 0) requireTiles(group, 0, 1, missing);
}

function requireTiles({ name }: Group, found: number, needed: number, missing: string | null): void {
  if (found >= needed) return;
  const lacks = needed === 1 ? "is not stored" : `has ${found} of ${needed} tiles`;
  throw new PlaneNotFound(`${name} ${lacks} there${missing ? `: ${missing}` : ""}`);
}

/** Number of contiguous lines that each channel has, in a line scan or a section. */
function completeLines(groups: readonly Group[], { t, z }: Position): number[] {
  const counts = groups.map(({ blocks }) => {
    let lines = 0;
    for (const { block: { y }, rows } of blocks.toSorted((a, b) => a.block.y - b.block.y)) {
      if (y <= lines) lines = Math.max(lines, y + rows);
    }
    return lines;
  });
  const without = groups[counts.indexOf(0)];
  if (without) throw new DecodeFailed(`${without.name} has no line at T ${t}, Z ${z}`);
  return counts;
}

/** Division by channel, if each has one sample, and by rows, if all subblocks form rows of equal height. */
function divisionOf(groups: readonly Group[], rows: number): Division | undefined {
  const all = groups.flatMap(({ blocks }) => blocks);
  if (all.every(({ storage }) => storage.codec === null)) return undefined;
  const height = all[0]?.block.height ?? rows;
  const aligned = all.every(({ block }) =>
    block.height === height && block.y % height === 0 && !isScaled(block)
  );
  return {
    channels: groups.every(({ wanted }) => wanted.length === 1) ? 1 : Infinity,
    rows: aligned ? height : rows,
  };
}

/** True if a block of raw samples fills the whole plane. */
const fills = ({ block, subblock, storage, rows }: StoredBlock, lines: number, columns: number) =>
  storage.codec === null && subblock.blobSize === 0 && isPlain(block) && block.x === 0 && block.y === 0 &&
  block.width === columns && rows === lines && block.height === lines;

function memoryOf(groups: readonly Group[]): WorkingMemory {
  let most: WorkingMemory = NO_WORKING_MEMORY;
  let planned = 0;
  for (const { blocks } of groups) {
    for (const block of blocks) most = largerMemory(most, workingMemory(block));
    planned += blocks.length;
  }
  return { ...most, bytes: most.bytes + (planned > 1000 ? PLANNED_BYTES * planned : 0) };
}

const BLUE_FIRST = [2, 1, 0, 3];

async function decode(
  { blocks, wanted }: Group,
  planes: readonly Float32Array[],
  canvas: Omit<Canvas, "targets">,
): Promise<void> {
  const { filled, stop } = canvas;
  for (const stored of blocks) {
    const { block, pixel, storage, rows } = stored;
    if (block.y >= filled.end || block.y + rows <= filled.start) continue;
    stop.check();
    const swapped = storage.blueFirst && pixel.samples > 1;
    const targets = wanted.map(({ sample, plane }) => ({
      sample: swapped ? BLUE_FIRST[sample]! : sample,
      plane: planes[plane]!,
    }));
    const pixels = await openPixels(stored, stop);
    const whole = rows < block.height ? { ...block, height: rows, storedHeight: rows } : block;
    paint(whole, pixels, { ...canvas, targets });
  }
}

/** A rectangle of a plane. */
export type Tile = Pick<Block, "x" | "y" | "width" | "height">;

/** Total length of intervals `[start, end)`, counting overlaps once. */
function unionLength(intervals: readonly (readonly [start: number, end: number])[]): number {
  let [covered, last] = [0, -Infinity];
  for (const [start, end] of intervals.toSorted((a, b) => a[0] - b[0])) {
    covered += Math.max(0, end - Math.max(start, last));
    last = Math.max(last, end);
  }
  return covered;
}

/** Number of pixels under at least one tile, by a sweep over the rows at which tiles start and end. @throws {Stopped} */
export function coveredPixels(tiles: readonly Tile[], stop: StopFlag): number {
  // The last block of a truncated line scan may have no lines.
  const waiting = tiles.filter(({ height }) => height > 0).sort((a, b) => b.y - a.y);
  const edges = [...new Set(waiting.flatMap(({ y, height }) => [y, y + height]))].sort((a, b) => a - b);
  let active: Tile[] = [];
  let covered = 0;
  edges.slice(0, -1).forEach((y, i) => {
    stop.check();
    active = active.filter((tile) => tile.y + tile.height > y);
    while (waiting.length > 0 && waiting.at(-1)!.y <= y) active.push(waiting.pop()!);
    covered += unionLength(active.map(({ x, width }) => [x, x + width])) * (edges[i + 1]! - y);
  });
  return covered;
}

/** Warns about pixels of a plane that are repeated, masked or not covered by a tile, from the blocks of each channel. */
export function coverageWarnings(
  channels: readonly (readonly StoredBlock[])[],
  { rows, columns, stop }: { readonly rows: number; readonly columns: number; readonly stop: StopFlag },
): Warning[] {
  const blocks = channels.flat();
  const shares = channels.map((own) => {
    const tiles = own.map(({ block, rows: stored }) => ({
      ...block,
      height: Math.max(0, Math.min(stored, rows - block.y)),
    }));
    return 1 - coveredPixels(tiles, stop) / (rows * columns);
  });
  const uncovered = Math.max(0, ...shares);
  const masks = blocks.filter(({ subblock }) => subblock.blobSize > 0).length;
  const scaled =
    "Pixels are stored at another sampling than that of the image, so some are repeated or left out";
  const gaps = `No tile covers ${(100 * uncovered).toPrecision(2)} % of the pixels, which are 0`;
  const masked = `${masks} tiles may have masks; the pixels that they exclude are 0`;
  return [
    ...warnIf(blocks.some(({ block }) => isScaled(block)), "samples_doubtful", scaled),
    ...warnIf(uncovered > 0, "area_uncovered", gaps),
    ...warnIf(masks > 0, "area_uncovered", masked),
  ];
}
