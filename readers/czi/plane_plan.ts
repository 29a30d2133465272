/** Plans for planes: which subblocks they are painted from, checked against the file before a sample is read. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import { servedLines } from "../metadata/line_scan.ts";
import {
  type Division,
  largerMemory,
  NO_WORKING_MEMORY,
  type PlanePlan,
  type Position,
  type RowRange,
  type WorkingMemory,
} from "../reader.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { type Warning, warning } from "../warning.ts";
import { type Block, blockOf, type FixedIndices, isPlain, isScaled } from "./block.ts";
import { MAX_PLANNED } from "./bounds.ts";
import type { ServedChannel } from "./channel_list.ts";
import { type Storage, storageOf } from "./compression.ts";
import { coveredPixels, coveredRows } from "./coverage.ts";
import { paint, type Target } from "./paint.ts";
import { type SceneLayout, spanOf } from "./scene_layout.ts";
import { type BlockHost, findBlock, openPixels, type StoredBlock, workingMemory } from "./stored_block.ts";
import type { SubblockTable } from "./subblock_table.ts";

/** One scene with its files. */
export interface StoredScene {
  /** All subblocks of the document. */
  readonly table: SubblockTable;
  /** The scene. */
  readonly layout: SceneLayout;
  /** What is served, samples included. */
  readonly channels: readonly ServedChannel[];
  /** The file of a part, or `null` where it is missing. */
  part(number: number): ByteSource | null;
  /** Looked at while planes are planned and decoded. */
  readonly stop: StopFlag;
}

/** Bytes of memory that a planned subblock takes. */
const PLANNED_BYTES = 800;

/** One channel of the file and the samples of it that are wanted. */
interface Group {
  /** Index along `C`, in the numbers of the file. */
  readonly c: number;
  /** Name of the channel in messages. */
  readonly name: string;
  /** Samples as they are served, with the index of their plane. */
  readonly wanted: { readonly sample: number; readonly plane: number }[];
  /** Subblocks of the plane as indices of the table. */
  readonly entries: number[];
  blocks: StoredBlock[];
}

/**
 * Plans the planes of some channels at one position.
 *
 * @param wanted indices of served channels
 * @param rows those that are wanted; all by default
 * @throws {PlaneNotFound} the file does not hold a plane, or lacks some tiles of it
 * @throws {DecodeFailed} a subblock is damaged or not read
 */
export async function planPlanes(
  scene: StoredScene,
  wanted: readonly number[],
  position: Position,
  rows?: RowRange,
): Promise<PlanePlan> {
  const { layout } = scene;
  const fixed = fixedIndices(layout, position);
  const groups = groupsOf(scene, wanted);
  gather(scene, fixed, groups);
  const warnings: Warning[] = [];
  const host = hostOf(scene.table, warnings);
  for (const group of groups) await find(scene, host, { group, fixed, rows });
  const total = spanOf(layout, layout.rowAxis).size;
  const columns = spanOf(layout, "X").size;
  const stored = layout.rowAxis === "Y" ? [total] : completeLines(groups, position);
  const lines = servedLines(stored, total, rows);
  return {
    ...lines,
    columns,
    warnings: [
      ...warnings,
      ...lines.warnings,
      ...rows ? [] : uncovered(groups, lines.rows, columns),
    ],
    division: lines.rows < total ? undefined : divisionOf(groups, total),
    working: memoryOf(groups),
    overwrites: groups.every(({ blocks }) => blocks.length === 1 && fills(blocks[0]!, lines.rows, columns)),
    decode: async (planes) => {
      const canvas = { columns, filled: lines.filled, stop: scene.stop };
      for (const group of groups) await decode(group, planes, canvas);
    },
  };
}

/** Warnings are few, whatever a file holds: the first of those about single subblocks, and all others. */
const MAX_WARNINGS = 8;

function hostOf(table: SubblockTable, warnings: Warning[]): BlockHost {
  const storages = new Map<number, Storage>();
  return {
    table,
    warn: (warning) => {
      if (warnings.length >= MAX_WARNINGS || warnings.some(({ text }) => text === warning.text)) return;
      warnings.push(warning);
    },
    storage: async (code, what) => {
      const storage = storages.get(code) ?? await storageOf(code, what);
      storages.set(code, storage);
      return storage;
    },
  };
}

/** The index of the plane along each dimension but rows, columns and channels. */
function fixedIndices(layout: SceneLayout, { t, z }: Position): Map<string, number> {
  const fixed = new Map<string, number>();
  for (const [letter, { start }] of layout.spans) {
    if (letter === "X" || letter === "C" || letter === layout.rowAxis) continue;
    fixed.set(letter, start + (letter === "T" ? t : letter === "Z" ? z : 0));
  }
  return fixed;
}

function groupsOf({ channels, layout }: StoredScene, wanted: readonly number[]): Group[] {
  const groups = new Map<number, Group>();
  wanted.forEach((index, plane) => {
    const { c, sample, name } = channels[index]!;
    const key = spanOf(layout, "C").start + c;
    const group = groups.getOrInsertComputed(
      key,
      () => ({ c: key, name: `channel ${index} ("${name}")`, wanted: [], entries: [], blocks: [] }),
    );
    group.wanted.push({ sample, plane });
  });
  return [...groups.values()];
}

/** Entries between two looks at the stop flag. */
const STOP_STEP = 0xffff;

/** Finds the subblocks of each channel at the fixed indices, in the order in which they are painted. */
function gather(
  { table, layout, stop }: StoredScene,
  fixed: FixedIndices,
  groups: readonly Group[],
): void {
  const indices = [...fixed];
  const byChannel = new Map(groups.map((group) => [group.c, group]));
  let [planned, seen] = [0, 0];
  for (const entry of layout.entries) {
    if ((++seen & STOP_STEP) === 0) stop.check();
    const holds = indices.every(([letter, index]) => {
      const offset = index - table.start(letter, entry);
      return offset >= 0 && offset < table.size(letter, entry);
    });
    if (!holds) continue;
    const first = table.start("C", entry);
    const size = table.size("C", entry);
    const holding = size === 1
      ? [byChannel.get(first)].filter((group) => group !== undefined)
      : groups.filter(({ c }) => c >= first && c < first + size);
    for (const { entries } of holding) entries.push(entry);
    planned += holding.length;
    if (planned > MAX_PLANNED) {
      throw new DecodeFailed(`the planes are put together from more than ${MAX_PLANNED} subblocks`);
    }
  }
}

/** What is looked for. */
interface Search {
  readonly group: Group;
  readonly fixed: FixedIndices;
  readonly rows: RowRange | undefined;
}

/** Finds the bytes of a channel's subblocks, and judges whether they are all. */
async function find(scene: StoredScene, host: BlockHost, { group, fixed, rows }: Search): Promise<void> {
  const { table, layout } = scene;
  const mayBeCut = layout.rowAxis === "T";
  const withChannel = new Map(fixed).set("C", group.c);
  const tiles = new Set<string | number>();
  let missing: string | null = null;
  for (const entry of group.entries) {
    const block = blockOf(table, entry, layout, withChannel);
    const { part } = table.facts(entry);
    const file = scene.part(part);
    if (file === null) {
      missing ??= `part ${part} of the split document, which holds a subblock of it, is missing`;
      continue;
    }
    const tile = layout.tilesBy === "M" ? table.start("M", entry) : `${block.x} ${block.y}`;
    if (rows && (block.y >= rows.end || block.y + block.height <= rows.start) && !mayBeCut) {
      tiles.add(tile);
      continue;
    }
    const found = await findBlock(host, block, { file, mayBeCut });
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

/** Lines of a line scan, or of a section, that each channel has from the first on. */
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

/** Channels of several samples are not divided from each other; rows are where all subblocks lie in rows of one height. */
function divisionOf(groups: readonly Group[], rows: number): Division | undefined {
  const all = groups.flatMap(({ blocks }) => blocks);
  if (all.every(({ codec }) => codec === null)) return undefined;
  const height = all[0]?.block.height ?? rows;
  const aligned = all.every(({ block }) =>
    block.height === height && block.y % height === 0 && !isScaled(block)
  );
  return {
    channels: groups.every(({ wanted }) => wanted.length === 1) ? 1 : Infinity,
    rows: aligned ? height : rows,
  };
}

/** What is not painted, for the user to know. */
function uncovered(groups: readonly Group[], rows: number, columns: number): Warning[] {
  let most = 0;
  let masks = 0;
  for (const { blocks } of groups) {
    masks += blocks.filter(({ subblock }) => subblock.blobSize > 0).length;
    // Lines, of which there may be a great many, or one tile.
    const wide = blocks.every(({ block }) => block.width === columns);
    const covered = wide
      ? columns * coveredRows(blocks.map(({ block: { y }, rows: height }) => ({ y, height })), rows)
      : coveredPixels(blocks.map(({ block, rows: height }) => visible({ ...block, height }, rows)));
    most = Math.max(most, 1 - covered / (rows * columns));
  }
  const share = (100 * most).toPrecision(2);
  const scaled = groups.some(({ blocks }) => blocks.some(({ block }) => isScaled(block)));
  return [
    ...scaled
      ? [
        warning(
          "samples_doubtful",
          "Pixels are stored at another sampling than that of the image, so that some are repeated or left out",
        ),
      ]
      : [],
    ...most > 0 ? [warning("area_uncovered", `No tile covers ${share} % of the pixels, which are 0`)] : [],
    ...masks > 0
      ? [warning("area_uncovered", `${masks} tiles may have masks; the pixels that these exclude are 0`)]
      : [],
  ];
}

/** True where the samples of a block are raw and fill the plane. */
const fills = ({ block, subblock, codec, rows }: StoredBlock, lines: number, columns: number) =>
  codec === null && subblock.blobSize === 0 && isPlain(block) && block.x === 0 && block.y === 0 &&
  block.width === columns && rows === lines && block.height === lines;

const visible = (block: Block, rows: number) => ({
  ...block,
  height: Math.max(0, Math.min(block.height, rows - block.y)),
});

function memoryOf(groups: readonly Group[]): WorkingMemory {
  let most: WorkingMemory = NO_WORKING_MEMORY;
  let planned = 0;
  for (const { blocks } of groups) {
    for (const block of blocks) most = largerMemory(most, workingMemory(block));
    planned += blocks.length;
  }
  return { ...most, bytes: most.bytes + (planned > 1000 ? PLANNED_BYTES * planned : 0) };
}

/** How stored samples stand in a pixel, by the order in which they are served. */
const BLUE_FIRST = [2, 1, 0, 3];

async function decode(
  { blocks, wanted }: Group,
  planes: readonly Float32Array[],
  canvas: { readonly columns: number; readonly filled: RowRange; readonly stop: StopFlag },
): Promise<void> {
  const { filled, stop } = canvas;
  for (const stored of blocks) {
    const { block, pixel, blueFirst, rows } = stored;
    if (block.y >= filled.end || block.y + rows <= filled.start) continue;
    stop.check();
    const swapped = blueFirst && pixel.samples > 1;
    const targets = wanted.map(({ sample, plane }): Target => ({
      sample: swapped ? BLUE_FIRST[sample]! : sample,
      plane: planes[plane]!,
    }));
    const pixels = await openPixels(stored, stop);
    const whole = rows < block.height ? { ...block, height: rows, storedHeight: rows } : block;
    paint(whole, pixels, { ...canvas, targets });
  }
}
