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
} from "../reader.ts";
import { warnIf, type Warning } from "../warning.ts";
import { isScaled, isUnscaled, paint, placeBlock, type PlaneBlock, type StoredBlock } from "./block.ts";
import { measureSpan, type StoredScene } from "./scene.ts";
import { findBlock, openPixels, workingMemory } from "./subblock.ts";

/** Largest number of subblocks in a plan, 1 KiB of heap each. */
export const MAX_PLANNED = 1 << 19;

const PLANNED_BYTES = 800;

interface SubblockGroup {
  /** Index along `C` in the file. */
  readonly c: number;
  readonly name: string;
  /** Wanted samples, with the index of the plane to fill. */
  readonly wanted: { readonly sample: number; readonly plane: number }[];
  /** Its subblocks in painting order, by index in the table. */
  readonly entries: number[];
  readonly blocks: StoredBlock[];
}

/** Order of the stored samples of colour pixels that begin with blue. */
const BLUE_FIRST = [2, 1, 0, 3];

/** Plans some channels at one position. @throws {PlaneNotFound} a plane lacks tiles @throws {DecodeFailed} a subblock is damaged */
export async function planTiles(
  scene: StoredScene,
  wanted: readonly number[],
  position: Position,
  rows?: RowRange,
): Promise<PlanePlan> {
  const { layout, stop } = scene;
  const fixed = new Map<string, number>();
  for (const [letter, { start }] of layout.spans) {
    if (letter === "X" || letter === "C" || letter === layout.rowAxis) continue;
    fixed.set(letter, start + (letter === "T" ? position.t : letter === "Z" ? position.z : 0));
  }
  const groups = groupSubblocks(scene, wanted, fixed);
  const warnings: Warning[] = [];
  for (const group of groups) await find(scene, group, fixed, rows, warnings);
  const total = measureSpan(layout, layout.rowAxis).size;
  const columns = measureSpan(layout, "X").size;
  const stored = layout.rowAxis === "Y" ? [total] : countCompleteLines(groups, position);
  const lines = servedLines(stored, total, rows);
  const { filled } = lines;
  const all = groups.flatMap(({ blocks }) => blocks);
  const gaps = rows ? [] : warnAboutCoverage(groups, { rows: lines.rows, columns, stop });
  const most = all.map(workingMemory).reduce(largerMemory, NO_WORKING_MEMORY);
  return {
    ...lines,
    columns,
    warnings: [...warnings, ...lines.warnings, ...gaps],
    division: lines.rows < total ? undefined : divideByRows(groups, total),
    working: { ...most, bytes: most.bytes + (all.length > 1000 ? PLANNED_BYTES * all.length : 0) },
    overwrites: groups.every(({ blocks }) =>
      blocks.length === 1 && fillsPlane(blocks[0]!, lines.rows, columns)
    ),
    decode: async (planes) => {
      for (const { blocks, wanted } of groups) {
        for (const block of blocks) {
          if (block.y >= filled.end || block.y + block.rows <= filled.start) continue;
          stop.check();
          const targets = wanted.map(({ sample, plane }) => ({
            sample: block.blueFirst ? BLUE_FIRST[sample]! : sample,
            plane: planes[plane]!,
          }));
          paint(block, await openPixels(block, stop), { columns, filled, targets, stop });
        }
      }
    },
  };
}

/** The wanted planes by channel of the file, with their subblocks at the fixed indices. */
function groupSubblocks(
  { table, layout, channels, places, stop }: StoredScene,
  wanted: readonly number[],
  fixed: ReadonlyMap<string, number>,
): SubblockGroup[] {
  const groups = new Map<number, SubblockGroup>();
  wanted.forEach((index, plane) => {
    const { c: offset, sample } = places[index]!;
    const c = measureSpan(layout, "C").start + offset;
    const name = `channel ${index} ("${channels[index]!.name}")`;
    groups.getOrInsertComputed(c, () => ({ c, name, wanted: [], entries: [], blocks: [] }))
      .wanted.push({ sample, plane });
  });
  const holds = (entry: number, letter: string, index: number) => {
    const offset = index - table.start(letter, entry);
    return offset >= 0 && offset < table.size(letter, entry);
  };
  const indices = [...fixed];
  let planned = 0;
  stop.check();
  for (const entry of layout.entries) {
    if (!indices.every(([letter, index]) => holds(entry, letter, index))) continue;
    for (const { c, entries } of groups.values()) {
      if (!holds(entry, "C", c)) continue;
      entries.push(entry);
      planned += 1;
    }
    if (planned > MAX_PLANNED) {
      throw new DecodeFailed(`the planes consist of more than ${MAX_PLANNED} subblocks`);
    }
  }
  return [...groups.values()];
}

/** Locates the blocks of a channel. @throws {PlaneNotFound} tiles are missing */
async function find(
  { table, layout, parts }: StoredScene,
  { c, name, entries, blocks }: SubblockGroup,
  fixed: ReadonlyMap<string, number>,
  rows: RowRange | undefined,
  warnings: Warning[],
): Promise<void> {
  const isPlane = layout.rowAxis === "Y";
  const mayBeCut = layout.rowAxis === "T";
  const withChannel = new Map(fixed).set("C", c);
  const tiles = new Set<string | number>();
  let missing = "";
  for (const entry of entries) {
    const block = placeBlock(table, entry, layout, withChannel);
    const facts = table.subblocks[entry]!;
    const file = parts.get(facts.part);
    if (file === undefined) {
      missing ||= `: part ${facts.part} of the split document, which holds a subblock of it, is missing`;
      continue;
    }
    const outside = rows && (block.y >= rows.end || block.y + block.height <= rows.start) && !mayBeCut;
    const found = outside ? null : await findBlock(block, facts, file, mayBeCut, warnings);
    if (found) blocks.push(found);
    if (found || outside) {
      tiles.add(layout.tilesBy === "M" ? table.start("M", entry) : `${block.x} ${block.y}`);
    }
  }
  const needed = isPlane ? layout.tiles : 1;
  const held = isPlane ? tiles.size : blocks.length;
  if (held >= needed) return;
  const lacks = needed === 1 ? "is not stored" : `has ${held} of ${needed} tiles`;
  throw new PlaneNotFound(`${name} ${lacks} there${missing}`);
}

/** Number of contiguous lines that each channel has, in a line scan or a section. */
function countCompleteLines(groups: readonly SubblockGroup[], { t, z }: Position): number[] {
  return groups.map(({ name, blocks }) => {
    let lines = 0;
    for (const { y, rows } of blocks.toSorted((a, b) => a.y - b.y)) {
      if (y <= lines) lines = Math.max(lines, y + rows);
    }
    if (lines === 0) throw new DecodeFailed(`${name} has no line at T ${t}, Z ${z}`);
    return lines;
  });
}

/** Division by channel, if each has one sample, and by rows, if all subblocks form rows of equal height. */
function divideByRows(groups: readonly SubblockGroup[], rows: number): Division | undefined {
  const all = groups.flatMap(({ blocks }) => blocks);
  if (all.every(({ codec }) => codec === null)) return undefined;
  const height = all[0]?.height ?? rows;
  const aligned = all.every((block) => block.height === height && block.y % height === 0 && !isScaled(block));
  return {
    channels: groups.every(({ wanted }) => wanted.length === 1) ? 1 : Infinity,
    rows: aligned ? height : rows,
  };
}

/** True if a block of raw samples fills the whole plane. */
const fillsPlane = (block: StoredBlock, lines: number, columns: number) =>
  block.codec === null && block.blobSize === 0 && isUnscaled(block) && block.x === 0 && block.y === 0 &&
  block.width === columns && block.rows === lines && block.height === lines;

/** A rectangle of a plane. */
export type Tile = Pick<PlaneBlock, "x" | "y" | "width" | "height">;

/** Number of pixels under at least one tile, by a sweep over the rows at which tiles start and end. @throws {Stopped} */
export function countCoveredPixels(tiles: readonly Tile[], stop: StopFlag): number {
  // The last block of a truncated line scan may have no lines.
  const waiting = tiles.filter(({ height }) => height > 0).sort((a, b) => b.y - a.y);
  const edges = [...new Set(waiting.flatMap(({ y, height }) => [y, y + height]))].sort((a, b) => a - b);
  let active: Tile[] = [];
  let covered = 0;
  edges.slice(0, -1).forEach((y, i) => {
    stop.check();
    active = active.filter((tile) => tile.y + tile.height > y);
    while (waiting.length > 0 && waiting.at(-1)!.y <= y) active.push(waiting.pop()!);
    let [columns, last] = [0, -Infinity];
    for (const { x, width } of active.toSorted((a, b) => a.x - b.x)) {
      columns += Math.max(0, x + width - Math.max(x, last));
      last = Math.max(last, x + width);
    }
    covered += columns * (edges[i + 1]! - y);
  });
  return covered;
}

/** Warns about pixels of a plane that are repeated, masked or not covered by a tile. */
function warnAboutCoverage(
  groups: readonly SubblockGroup[],
  { rows, columns, stop }: { readonly rows: number; readonly columns: number; readonly stop: StopFlag },
): Warning[] {
  const blocks = groups.flatMap(({ blocks }) => blocks);
  const shares = groups.map(({ blocks }) => {
    const tiles = blocks.map((block) => ({ ...block, height: Math.min(block.rows, rows - block.y) }));
    return 1 - countCoveredPixels(tiles, stop) / (rows * columns);
  });
  const uncovered = Math.max(0, ...shares);
  const masks = blocks.filter(({ blobSize }) => blobSize > 0).length;
  const scaled =
    "Pixels are stored at another sampling than that of the image, so some are repeated or left out";
  const gaps = `No tile covers ${(100 * uncovered).toPrecision(2)} % of the pixels, which are 0`;
  const masked = `${masks} tiles may have masks; the pixels that they exclude are 0`;
  return [
    ...warnIf(blocks.some(isScaled), "samples_doubtful", scaled),
    ...warnIf(uncovered > 0, "area_uncovered", gaps),
    ...warnIf(masks > 0, "area_uncovered", masked),
  ];
}
