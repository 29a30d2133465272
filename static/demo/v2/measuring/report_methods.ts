/** The paragraph of a report for the methods section of a paper: sentences with date, channels, settings and citation. */
import { listInWords } from "../../../measure/word_list.ts";
import { formatCount, showGreek } from "../../../measure/axes.ts";
import type { Column } from "../../../measure/csv.ts";
import { TRACE_SENTENCES } from "../../../measure/light/band_trace.ts";
import type { Sentences } from "../../../measure/measurement.ts";
import { MEASUREMENTS } from "../../../measure/measurements.ts";
import type { About } from "../drawing/scan.ts";

/** Part of the results. */
export interface ReportPart {
  name: string;
  /** Settings and summary. */
  about: About;
  settings: About;
  /** An SVG document. */
  plot: string | null;
  columns: readonly Column[];
}

/** Significant digits of a setting or summary; the JSON file has all. */
const DIGITS = 6;

/** Who is cited; as in CITATION.cff. */
const AUTHORS = "The acq-server authors";

/** A fact with its values, each of the results that it is of; `of` is empty if all agree. */
export interface Fact {
  name: string;
  values: readonly { of: string; value: string | number }[];
}

/** Parts of the lines or images in which something was measured. */
const PLACES = ["Part of the lines", "Part of the images"];

/** What was found rather than set, or stands in the first sentence. */
const NO_SETTINGS = new Set([
  "Method",
  "Channel",
  ...PLACES,
  "F0",
  ...MEASUREMENTS.flatMap(({ findings = [] }) => findings),
]);

/** Sentences for settings whose name is not a noun, without the full stop. */
const SENTENCES: Sentences = Object.assign(
  {
    "Over": (axis: string) => `Images were measured over ${lowerFirst(axis)}`,
    "Images": (count: string) => `Each curve has ${count} images`,
    "Timing": (words: string) => words,
    "Along": (line: string) => `It was measured along ${line}`,
    "Projection": (projection: string) => `The projection was the ${projection}`,
  },
  TRACE_SENTENCES,
  ...MEASUREMENTS.map(({ sentences }) => sentences),
);

/** Text for the methods section of a paper, and what to cite. */
export function writeMethods(
  { parts, version, measuredOn }: { parts: readonly ReportPart[]; version: string; measuredOn: Date },
): string {
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long" }).format(measuredOn);
  return [
    `The recording was measured on ${day} with ${version}.`,
    // What holds for several parts is said once.
    ...new Set(parts.flatMap(writeSentences)),
    `Citation: ${AUTHORS} (${measuredOn.getFullYear()}). ${version}. Computer software.`,
  ].join(" ");
}

/** Facts by their names, those of several results together. */
export function groupFacts(about: About): Fact[] {
  const facts = new Map<string, Fact["values"]>();
  for (const [key, value] of about) {
    const [, name, of] = /^(.*?), (.+)$/.exec(key) ?? [key, key, ""];
    facts.set(name!, [...facts.get(name!) ?? [], { of: of!, value }]);
  }
  return [...facts].map(([name, values]) => {
    const each = values.filter(({ of }) => of !== "");
    // A setting that all results share may be in their summaries, too.
    return { name, values: each.length > 0 ? each : values };
  });
}

/** What was measured, where and how. */
function writeSentences({ name, settings, columns }: ReportPart): string[] {
  const facts = groupFacts(settings);
  const valuesOf = (name: string) => facts.find((fact) => fact.name === name)?.values ?? [];
  const inTable = Array.from(columns.find(({ name }) => name === "Channel")?.values ?? [], String);
  const channels = [...new Set(inTable.length > 0 ? inTable : valuesOf("Channel").map(formatFact))];
  const places = PLACES.flatMap(valuesOf).map(({ value }) =>
    String(value).replace(/, (columns .*)$/, " ($1)")
  );
  const verb = name.endsWith("s") ? "were" : "was";
  const where = [
    ...places.length > 0 ? [listInWords(places)] : [],
    ...channels.length > 0
      ? [`${channels.length === 1 ? "channel" : "channels"} ${listInWords(channels)}`]
      : [],
  ];
  // With a unit, it is a number of lines.
  const isMean = ({ name }: Fact) => /^Mean of($| [^(])/.test(name);
  const means = facts.filter(isMean).flatMap(({ values }) => values.map(formatFact));
  const set = facts.filter((fact) => !NO_SETTINGS.has(fact.name) && !isMean(fact)).map(writeSetting);
  return [
    `${name} ${verb} measured${where.length === 0 ? "" : ` in ${where.join(", ")}`}.`,
    ...means.length === 0 ? [] : [`Means were taken of ${means.join("; ")}.`],
    ...valuesOf("Method").map(({ of, value }) =>
      `The method${of === "" ? "" : ` for ${of}`} was: ${showGreek(String(value))}.`
    ),
    ...set.filter(({ isOwn }) => isOwn).map(({ text }) => `${text}.`),
    ...joinSettings(set.filter(({ isOwn }) => !isOwn).map(({ text }) => text)),
  ];
}

/** A setting as a sentence of its own, or as a part such as `window was 38 lines`. */
function writeSetting({ name: key, values }: Fact): { text: string; isOwn: boolean } {
  const [, name = key, unit = ""] = /^(.+) \(([^()]+)\)$/.exec(key) ?? [];
  const texts = new Map<string, string[]>();
  for (const one of values) {
    const text = `${formatFact(one)} ${showGreek(unit)}`.trim();
    texts.set(text, [...texts.get(text) ?? [], one.of]);
  }
  const own = SENTENCES[name[0]?.toUpperCase() + name.slice(1)];
  // Results with the same value are named together.
  const all = [...texts].map(([text, of]) => `${text}${of[0] === "" ? "" : ` for ${listInWords(of)}`}`);
  const text = listInWords(all);
  return own === undefined
    ? { text: `${lowerFirst(showGreek(name))} was ${text}`, isOwn: false }
    : { text: own(text), isOwn: true };
}

/** One sentence of several settings; only the first has a verb. */
function joinSettings(settings: readonly string[]): string[] {
  if (settings.length === 0) return [];
  const [first, ...others] = settings;
  return [`The ${listInWords([first!, ...others.map((text) => `the ${text.replace(" was ", " ")}`)])}.`];
}

/** The value of a fact as it is read. */
export const formatFact = ({ value }: { value: string | number }): string => formatValue(value);

/** A value with as many digits as are read. */
export function formatValue(value: string | number): string {
  if (typeof value === "string") return showGreek(value);
  return Number.isInteger(value) ? formatCount(value) : String(Number(value.toPrecision(DIGITS)));
}

/** As within a sentence, unless it begins with a name such as `F0`. */
const lowerFirst = (text: string) => text.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
