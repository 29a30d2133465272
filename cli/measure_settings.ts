/** What `acq-server measure` measures, from a file of settings and the flags. */
import { z } from "zod";
import { MEASUREMENTS } from "../static/measure/measurements.ts";
import type { Parameter } from "../static/measure/measurement.ts";
import { STORED_FIELDS } from "../static/measure/stored_fields.ts";
import { quoted } from "../readers/errors.ts";
import { type Given, requireOneOf, UsageError } from "./arguments.ts";
import { nameIn } from "./shell.ts";

const NUMBER = z.number();
const LINES = z.int().positive();
const OVERS = ["T", "Z"] as const;
const KINDS = ["max", "mean"] as const;
const PLACE = z.tuple([z.int().nonnegative(), z.int().nonnegative()]);

function makeSettingSchema({ choices, isCount = false, least = -Infinity }: Parameter) {
  if (choices !== undefined) return z.enum(Object.keys(choices));
  return isCount ? LINES.min(Math.max(1, least)) : NUMBER.min(least);
}

/** A field that the page stores and the shell does not need. */
const STORED = z.unknown().optional();

/** Fields that the page stores beside those that the shell reads, by where they stand. */
const stored = <Place extends keyof typeof STORED_FIELDS>(place: Place) =>
  Object.fromEntries(STORED_FIELDS[place].map((name) => [name, STORED])) as Record<
    typeof STORED_FIELDS[Place][number],
    typeof STORED
  >;

/** Settings of the measurement and of the recordings. A name that neither the page stores nor the shell reads is a mistake. */
const SETTINGS_SCHEMA = z.strictObject({
  ...stored("settings"),
  channel: z.int().nonnegative().default(0),
  /** For files whose metadata does not describe a line scan. */
  lineScan: z.strictObject({
    /** Whether it counts for files that state their own. */
    replace: z.boolean().optional(),
    textFile: z.string().optional(),
    time: z.enum(["rows", "columns"]),
    secondsPerLine: NUMBER.positive(),
    micrometresPerPixel: NUMBER.positive(),
    secondsPerPixel: NUMBER.nonnegative().optional(),
  }).optional(),
  bands: z.array(z.strictObject({
    ...stored("bands"),
    name: z.string().optional(),
    from: z.int(),
    to: z.int(),
  })).optional(),
  traces: z.strictObject({
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
  regions: z.array(z.strictObject({
    ...stored("regions"),
    id: z.string().default("rectangle"),
    name: z.string().optional(),
    type: z.string().default("rectangle"),
    start: PLACE.optional(),
    stop: PLACE.optional(),
  })).optional(),
  kymograph: z.strictObject({
    ...stored("kymograph"),
    points: z.array(z.strictObject({ x: NUMBER, y: NUMBER })).min(2),
    width: LINES.default(1),
  }).nullish(),
  images: z.strictObject({ ...stored("images"), axis: z.enum(OVERS) }).nullish(),
  /** The projection to measure besides the images, or to write. */
  projection: z.strictObject({
    kind: z.enum(KINDS),
    /** Without it, the only axis of a recording. */
    axis: z.enum(OVERS).optional(),
  }).nullish(),
  ...Object.fromEntries(
    MEASUREMENTS.map(({ key, parameters }) => [
      key,
      z.strictObject({
        ...stored("measurement"),
        ...Object.fromEntries(parameters.map((one) => [one.key, makeSettingSchema(one).optional()])),
      }).nullish(),
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
export function readWritten({ flags }: Given): Written {
  const names = [...new Set((flags.get("--write") ?? "summary").split(",").map((name) => name.trim()))];
  const chosen = names.map((name) => requireOneOf("--write", name, [...TABLES, ...PICTURES]));
  const picture = PICTURES.find((name) => chosen.includes(name));
  if (picture === undefined) return { tables: chosen };
  if (chosen.length > 1) throw new UsageError(`--write ${picture} writes a TIFF, and nothing beside it`);
  return { picture };
}

/** The settings that the flags give, enough for what to write. @throws {UsageError} */
export async function readShellSettings(given: Given, write: Written): Promise<ShellSettings> {
  const { flags } = given;
  const names = "picture" in write ? [write.picture] : write.tables;
  const settings = await read(flags.get("--settings"));
  if (flags.has("--over")) {
    settings.images = { axis: nameIn(given, "--over", ["t", "z"]) === "t" ? "T" : "Z" };
  }
  if (flags.has("--projection")) {
    const kind = nameIn(given, "--projection", KINDS);
    settings.projection = { kind, ...settings.images && { axis: settings.images.axis } };
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
    return SETTINGS_SCHEMA.parse(JSON.parse(decodeSettingsText(await Deno.readFile(path))));
  } catch (error) {
    const said = error instanceof z.ZodError ? listFaults(error) : (error as Error).message;
    throw new UsageError(`Cannot follow the settings: ${said}`);
  }
}

/** The faults of settings, with their places. */
const listFaults = ({ issues }: z.ZodError): string =>
  issues.map((issue) => {
    const place = issue.path.join(".");
    if (issue.code !== "unrecognized_keys") return `${place || "all of it"}: ${issue.message}`;
    const names = issue.keys.map((name) => quoted(name.slice(0, 64))).join(", ");
    return `${names}${place && ` in ${place}`} ${
      issue.keys.length === 1 ? "is not a setting" : "are not settings"
    }`;
  }).join("; ");

/** The text of a file in UTF-8, or in UTF-16 with a byte order mark. @throws {TypeError} it is not such text */
function decodeSettingsText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding = first === 0xff && second === 0xfe
    ? "utf-16le"
    : first === 0xfe && second === 0xff
    ? "utf-16be"
    : "utf-8";
  try {
    // Skips the mark.
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new TypeError(`it is not text in ${encoding.toUpperCase()}; save it as UTF-8`);
  }
}
