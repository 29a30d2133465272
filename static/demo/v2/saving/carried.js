/** Saves a member of a collection together with what other programs wrote about it. */
import { documentsOf } from "./restored.js";
import { OWN } from "./regions.js";

/** @import { Acquisition } from "../../../client/v2/acq-client.d.ts" */
/** @import { memberOf } from "./documents.js" */

/**
 * Adds the analyses, tables and metadata of other programs that the documents of a member hold.
 *
 * @param {ReturnType<typeof memberOf>} member
 * @param {Pick<Acquisition, "info" | "metadata">} acquisition
 */
export async function carriedOver(member, acquisition) {
  const { collection } = acquisition.info;
  if (!collection) return member;
  const files = await acquisition.metadata();
  const [documents] = documentsOf(files.filter(({ mediaType }) => mediaType === "application/json"));
  if (documents === undefined) return member;
  const { image, analyses } = documents;
  const regions = new Set(member.rois.map(({ id }) => id));
  const others = (analyses?.analyses ?? []).filter((/** @type {any} */ { parameters }) => !parameters?.[OWN]);
  const used = new Set(others.map((/** @type {any} */ { id }) => id));
  return {
    ...member,
    id: collection.member.id,
    name: collection.member.name,
    ...image.experiment_metadata && { experimentMetadata: image.experiment_metadata },
    imageMetadata: { ...image.image_metadata, ...member.imageMetadata },
    analyses: [
      ...member.analyses.map((analysis, i) => ({
        ...analysis,
        id: freeId(`${analysis.type}-${i + 1}`, used),
      })),
      ...others.map((/** @type {any} */ { id, type, roi_id, channel, parameters, summary, resources }) => ({
        id,
        type,
        ...regions.has(roi_id) && { roiId: roi_id },
        ...channel !== undefined && { channel },
        ...parameters && { parameters },
        ...summary && { summary },
        tables: resources.map((/** @type {{id: string, path: string}} */ { id, path }) => ({
          id,
          name: summary?.acq_server?.tables?.[id] ?? id,
          csv: files.find(({ name }) => name === path)?.text ?? "missing\r\n",
        })),
      })),
    ],
  };
}

/** @param {string} id @param {ReadonlySet<string>} used */
function freeId(id, used) {
  let free = id;
  for (let n = 2; used.has(free); n += 1) free = `${id}-${n}`;
  return free;
}
