/**
 * What a member of a collection keeps when it is exported again: what its documents hold, unless the order replaces it field by
 * field. Whatever cannot be kept is named in a warning.
 */
import { isLoss, quoted } from "../../../readers/errors.ts";
import { isJsonObject } from "../../../readers/metadata/json.ts";
import type { MemberContent } from "../../../readers/reader.ts";
import { findCsvProblem } from "../../../schemas/csv_table.ts";
import { checkDocument, type ImageFacts } from "../../../schemas/document_rules.ts";
import type { AnalysesDocument, ImageDocument } from "../../../schemas/documents.ts";
import { DocumentProblems, type Problem } from "../../../schemas/problems.ts";
import { takeDistinctId } from "./archive_orders.ts";

/** Largest number of bytes of all tables of a member that are kept: a worker holds them at once. */
const MAX_TABLE_BYTES = 64 << 20;

/** A table that is written. */
export interface WrittenTable {
  readonly id: string;
  readonly name: string;
  readonly csv: string | Uint8Array;
}

/** An analysis that is written, with an index among the written channels. */
export type WrittenAnalysis = Omit<AnalysesDocument["analyses"][number], "resources"> & {
  readonly tables: readonly WrittenTable[];
};

/** Regions and displayed axes that fit the written image. */
export function keepFittingImage(
  { image }: MemberContent,
  facts: ImageFacts,
  warnings: string[],
): Pick<ImageDocument, "rois" | "axis_display"> {
  if (image === null) return { rois: [] };
  const found: Problem[] = [];
  checkDocument(
    "acqimage",
    image,
    { imageId: null, image: facts, roiIds: null },
    new DocumentProblems("", found),
  );
  const problemAt = (...keys: readonly (string | number)[]) => {
    const at = keys.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
    return found.find(({ pointer }) => pointer === at || pointer.startsWith(`${at}/`));
  };
  const rois = image.rois.filter(({ id }, i) => {
    const problem = problemAt("rois", i);
    if (problem) warnings.push(`The region ${quoted(id)} is left out: ${problem.message}`);
    return !problem;
  });
  // An axis that is not written needs no step.
  const display = Object.entries(image.axis_display ?? {}).filter(([name]) =>
    !problemAt("axis_display", name)
  );
  return { rois, ...display.length > 0 && { axis_display: Object.fromEntries(display) } };
}

/**
 * Analyses whose region and channel are written, with their tables.
 *
 * @param roiIds ids of the written regions
 * @param placeOf place of a channel of the image among the written ones; -1 if it is not written
 */
export function keepAnalyses(
  content: MemberContent,
  roiIds: ReadonlySet<string>,
  placeOf: (channel: number) => number,
  warnings: string[],
): WrittenAnalysis[] {
  const ids = new Set<string>();
  let left = MAX_TABLE_BYTES;
  return (content.analyses?.analyses ?? []).flatMap(({ resources = [], ...analysis }) => {
    const called = `The analysis ${quoted(analysis.id)} is left out`;
    const { roi_id: roi, channel } = analysis;
    const place = channel === undefined ? undefined : placeOf(channel);
    if (roi !== undefined && !roiIds.has(roi)) {
      warnings.push(`${called}: its region ${quoted(roi)} is not written`);
      return [];
    }
    if (place === -1) {
      warnings.push(`${called}: its channel ${channel} is not written`);
      return [];
    }
    const tables: WrittenTable[] = [];
    const named = readTableNames(analysis.summary);
    for (const { id, path } of resources) {
      const table = keepTable(content, path, left);
      if (typeof table === "string") warnings.push(`The table ${quoted(path)} is left out: ${table}`);
      else {
        left -= table.length;
        const name = named[id];
        tables.push({
          id,
          name: typeof name === "string" && name !== "" ? name : nameTable(path),
          csv: table,
        });
      }
    }
    if (tables.length === 0) {
      warnings.push(`${called}: it has no table`);
      return [];
    }
    return [{
      ...analysis,
      id: takeDistinctId(analysis.id, ids),
      ...place !== undefined && { channel: place },
      tables,
    }];
  });
}

/** The bytes of a table, or why it cannot be kept. */
function keepTable(content: MemberContent, path: string, left: number): Uint8Array | string {
  try {
    const size = content.tableSize(path);
    if (size === null) return "it does not exist, or is not a CSV file of the collection";
    if (size > left) return `the tables of a member would have more than ${MAX_TABLE_BYTES} bytes`;
    const bytes = content.table(path);
    return findCsvProblem(bytes) ?? bytes;
  } catch (error) {
    if (!isLoss(error)) throw error;
    return error.message;
  }
}

/** Names of the tables by id, as archives keep them. */
function readTableNames(
  summary: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> {
  const own = summary?.["acq_server"];
  const tables = isJsonObject(own) ? own["tables"] : null;
  return isJsonObject(tables) ? tables : {};
}

const nameTable = (path: string) => path.split("/").at(-1)!.replace(/\.csv$/i, "") || path;
