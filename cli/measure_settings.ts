/** What `acq-server measure` measures, from a file of settings and the flags. */
import { z } from "zod";
import { MEASUREMENTS } from "../static/measure/measurements.ts";
import type { Parameter } from "../static/measure/measurement.ts";
import { type Given, oneOf, UsageError } from "./arguments.ts";
import { nameIn } from "./shell.ts";

const NUMBER = z.number();
const LINES = z.int().positive();
const OVERS = ["T", "Z"] as const;
const KINDS = ["max", "mean"] as const;
const PLACE = z.tuple([z.int().nonnegative(), z.int().nonnegative()]);

function settingOf({ choices, isCount = false, least = -Infinity }: Parameter) {
  if (choices !== undefined) return z.enum(Object.keys(choices));
  return isCount ? LINES.min(Math.max(1, least)) : NUMBER.min(least);
}

/** Settings of the measurement and of the recordings. Other fields that the page stores are ignored. */
const SETTINGS_SCHEMA = z.object({
  channel: z.int().nonnegative().default(0),
  /** For files whose metadata does not describe a line scan. */
  lineScan: z.object({
    time: z.enum(["rows", "columns"]),
    secondsPerLine: NUMBER.positive(),
    micrometresPerPixel: NUMBER.positive(),
    secondsPerPixel: NUMBER.nonnegative().optional(),
  }).optional(),
  bands: z.array(z.object({ name: z.string(), from: z.int(), to: z.int() })).optional(),
  traces: z.object({
    isChange: z.boolean().optional(),
    kind: z.enum(["automatic", "percentile", "moving", "exponential", "window"]).optional(),
    span: NUMBER.nonnegative().optional(),
    percentile: NUMBER.min(0).max(100).optional(),
    from: NUMBER.optional(),
    to: NUMBER.optional(),
    offset: NUMBER.optional(),
    average: LINES.optional(),
  }).optional(),
  /** Regions of images, of which only rectangles are measured, in columns and rows. */
  regions: z.array(z.object({
    id: z.string().default("rectangle"),
    name: z.string().optional(),
    type: z.string().default("rectangle"),
    start: PLACE.optional(),
    stop: PLACE.optional(),
  })).optional(),
  kymograph: z.object({
    points: z.array(z.object({ x: NUMBER, y: NUMBER })).min(2),
    width: LINES.default(1),
  }).nullish(),
  images: z.object({ axis: z.enum(OVERS) }).nullish(),
  /** The projection to measure besides the images, or to write. */
  projection: z.object({ kind: z.enum(KINDS), axis: z.enum(OVERS) }).nullish(),
  ...Object.fromEntries(
    MEASUREMENTS.map(({ key, parameters }) => [
      key,
      z.object(Object.fromEntries(parameters.map((one) => [one.key, settingOf(one).optional()]))).nullish(),
    ]),
  ),
});

/** Settings by the names that the page gives them. */
export type ShellSettings = z.output<typeof SETTINGS_SCHEMA>;

/** Tables with a row per recording and part, per line, per item, per part of each image, or per position along the line. */
export const TABLES = [
  "summary",
  "traces",
  ...MEASUREMENTS.map(({ key }) => key),
  "means",
  "profile",
] as const;

/** TIFF images. */
export const PICTURES = ["projection", "kymograph"] as const;

/** What to write: tables, or one image. */
export type Written = { readonly tables: readonly string[] } | { readonly picture: typeof PICTURES[number] };

/** The names given by `--write`. @throws {UsageError} */
export function writtenIn({ flags }: Given): Written {
  const names = [...new Set((flags.get("--write") ?? "summary").split(",").map((name) => name.trim()))];
  const chosen = names.map((name) => oneOf("--write", name, [...TABLES, ...PICTURES]));
  const picture = PICTURES.find((name) => chosen.includes(name));
  if (picture === undefined) return { tables: chosen };
  if (chosen.length > 1) throw new UsageError(`--write ${picture} writes a TIFF, and nothing beside it`);
  return { picture };
}

/** The settings that the flags give, enough for what to write. @throws {UsageError} */
export async function settingsIn(given: Given, write: Written): Promise<ShellSettings> {
  const { flags } = given;
  const names = "picture" in write ? [write.picture] : write.tables;
  const settings = await read(flags.get("--settings"));
  if (flags.has("--over")) {
    settings.images = { axis: nameIn(given, "--over", ["t", "z"]) === "t" ? "T" : "Z" };
  }
  if (flags.has("--projection")) {
    const kind = nameIn(given, "--projection", KINDS);
    if (!settings.images) throw new UsageError("--projection needs --over");
    settings.projection = { kind, axis: settings.images.axis };
  }
  if (names.includes("means") && !settings.images) throw new UsageError("--write means needs --over");
  if (names.includes("projection") && !settings.projection) {
    throw new UsageError("--write projection needs --projection");
  }
  for (const name of ["profile", "kymograph"]) {
    if (!names.includes(name) || settings.kymograph) continue;
    throw new UsageError(`--write ${name} needs a line, "kymograph" in the settings`);
  }
  return settings;
}

async function read(path: string | undefined): Promise<ShellSettings> {
  if (path === undefined) return SETTINGS_SCHEMA.parse({});
  try {
    return SETTINGS_SCHEMA.parse(JSON.parse(await Deno.readTextFile(path)));
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : [];
    const said = issue === undefined
      ? (error as Error).message
      : `${issue.path.join(".") || "all of it"}: ${issue.message}`;
    throw new UsageError(`Cannot follow the settings: ${said}`);
  }
}
