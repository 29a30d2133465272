/**
 * Restores drawings and results from the documents of a recording, and saves again what other programs wrote in them.
 * Regions are restored whoever wrote them, settings and results only if this page did.
 *
 * @typedef {object} Documents of one image
 * @property {any} image image document
 * @property {any} analyses analyses document, or null
 * @property {string} mark hash of the documents
 *
 * @typedef {object} Restored
 * @property {Drawn} drawn
 * @property {{typed?: TypedScan}} look
 * @property {{t: number, z: number, l: number}} position
 * @property {string[]} outside names of regions outside the image
 * @property {string} note what could not be restored; may be empty
 */
import { isTime } from "../../../measure/axes.js";
import { mapped } from "../measuring/drawn.js";
import {
  checkedKymograph,
  checkedLook,
  checkedMeans,
  checkedPosition,
  checkedResults,
  checkedSettings,
} from "./checked.js";
import { unpacked, VERSION } from "./documents.js";
import { drawnRegions, OWN } from "./regions.js";

/** @import { Acquisition, OpenResponse } from "../../../client/v2/acq-client.d.ts" */
/** @import { memberOf } from "./documents.js" */
/** @import { TypedScan } from "../../../measure/typed_scan.js" */
/** @import { Region } from "../measuring/bands.js" */
/** @import { Drawn } from "../measuring/drawn.js" */

/** Documents that this page cannot read; the message says why. */
export class DocumentFault extends Error {}

/**
 * Finds the documents of images among text files.
 *
 * @param {readonly {name: string, text: string}[]} files
 * @returns {Documents[]} one for each image document
 * @throws {DocumentFault} not JSON, of a newer version, or against the schema
 */
export function documentsOf(files) {
  const read = files.filter(({ name }) => name.endsWith(".json")).flatMap(({ name, text }) => {
    let value;
    try {
      value = JSON.parse(text);
    } catch {
      throw new DocumentFault(`${name} is no JSON.`);
    }
    const format = /^(?:acq)?store-(acqimage|analyses)$/.exec(value?.format);
    if (format === null) return [];
    // Documents of acqstore differ in the constant.
    value.format = `store-${format[1]}`;
    if (value.version !== 1) {
      throw new DocumentFault(
        `${name} has version ${value.version}; this page reads version 1. A newer page reads it.`,
      );
    }
    const isWhole = value.format === "store-analyses"
      ? Array.isArray(value.analyses) &&
        value.analyses.every((/** @type {any} */ one) => typeof one?.type === "string")
      : Array.isArray(value.rois) && value.rois.every(isRegion);
    if (!isWhole || typeof value.image_id !== "string") {
      throw new DocumentFault(`${name} breaks its schema; acq-server validate says where.`);
    }
    return [{ value, text }];
  });
  return read.filter(({ value }) => value.format === "store-acqimage").map(({ value, text }) => {
    const analyses = read.find((other) =>
      other.value.format === "store-analyses" && other.value.image_id === value.image_id
    );
    return { image: value, analyses: analyses?.value ?? null, mark: markOf(text + (analyses?.text ?? "")) };
  });
}

/** @param {any} region */
function isRegion(region) {
  const names = { point: ["position"], line: ["start", "stop"], rectangle: ["start", "stop"] }[
    /** @type {"point"} */ (region?.type)
  ];
  return typeof region?.id === "string" && names !== undefined &&
    names.every((name) =>
      Array.isArray(region[name]) && region[name].length === 2 &&
      region[name].every((/** @type {unknown} */ place) => Number.isInteger(place) && Number(place) >= 0)
    );
}

/** A short hash of a text (FNV-1a), also for browsers without digests. @param {string} text */
function markOf(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return `${text.length}-${(hash >>> 0).toString(16)}`;
}

/** Where the recording of an image document came from. @param {Documents} documents @returns {{name?: string, fingerprint?: string, scene: number}} */
export function sourceOf({ image }) {
  const { source = {}, scene = 0 } = image.image_metadata?.acq_server ?? {};
  return { name: source.name, fingerprint: source.fingerprint, scene };
}

/** @param {Documents} documents @param {Pick<OpenResponse, "plane" | "header" | "channels" | "collection">} info of the open recording @returns {Restored} */
export function restored({ image, analyses, mark }, { plane, header, channels, collection }) {
  const own = unpacked(image.image_metadata?.[OWN] ?? null);
  const isOurs = own?.version >= 1 && own.version <= VERSION;
  const saved = isOurs ? own : {};
  const { settings, lost: lostSettings } = checkedSettings(saved.settings);
  const { position, lost: lostPosition } = checkedPosition(saved.position);
  const { look, lost: lostLook } = checkedLook(saved.look);
  const lost = [...lostSettings, ...lostPosition, ...lostLook];
  const { typed = null } = look;
  const isTurned = typed?.time === "columns";
  const [rows, columns] = plane.shape;
  const shape = /** @type {[number, number]} */ (isTurned ? [columns, rows] : [rows, columns]);
  const isLineScan = typed !== null || isTime(plane.axes[0]);
  /** @type {Region[]} */
  const regions = image.rois;
  const { outside, pinned, ...drawn } = drawnRegions(regions, { shape, isLineScan, isTurned });
  // An archive has each wavelength as a channel.
  const spectral = image.image_metadata?.acq_server?.spectral?.size ?? 1;
  const isFolded = spectral > 1 && header.sizes.L === undefined;
  const ascending = channels.map((_, i) => i).sort((a, b) => channels[a].index - channels[b].index);
  const positionOf = (/** @type {number} */ rank) =>
    ascending[isFolded ? rank * spectral + (position.l ?? 0) : rank] ?? 0;
  /** @type {Map<string, number>} */
  const bandIds = new Map(drawn.bands.map(({ id, region }) => [region?.id ?? `band-${id}`, id]));
  /** @param {string} type */
  const kept = (type) => {
    const found = analyses?.analyses.find((/** @type {any} */ { type: other, parameters }) =>
      other === type && parameters?.[OWN] && parameters.picture === undefined
    );
    return isOurs && found ? unpacked(found.parameters[OWN]) : {};
  };
  const isThere = (/** @type {any} */ { band }) => band === "" || bandIds.has(band);
  /** Ids of band and channel on the page. */
  const placed = (/** @type {any} */ { band, channel }) => ({
    band: band === "" ? "" : String(bandIds.get(band)),
    channel: String(positionOf(channel)),
  });
  return {
    drawn: {
      ...drawn,
      shape,
      isLineScan,
      traces: settings.traces ?? null,
      measured: mapped(
        isLineScan ? settings.measured : {},
        (one, key) =>
          isThere(one) && isThere(one.of)
            ? {
              ...one,
              ...placed(one),
              of: placed(one.of),
              place: null,
              found: checkedResults(kept(key).found),
            }
            : null,
      ),
      ...settings.images && {
        images: { ...settings.images, rows: checkedMeans(kept("image_means").rows) },
      },
      ...settings.projection && { projection: settings.projection },
      cursors: { lines: 1, columns: 1, ...settings.cursors, pinned },
      kymograph: drawn.kymograph && {
        ...drawn.kymograph,
        isMade: settings.isKymographMade === true,
        ...inKymograph(kept("kymograph").look),
      },
      accepted: image.accepted === (collection?.member.accepted ?? false) ? null : image.accepted === true,
      origin: mark,
    },
    look: isFolded ? {} : look,
    position: { t: position.t ?? 0, z: position.z ?? 0, l: isFolded ? 0 : position.l ?? 0 },
    outside,
    note: [
      own !== null && !isOurs
        ? "These measurements were saved by a newer page: only their regions are shown."
        : outside.length === 0
        ? ""
        : `Not shown, since they lie outside the image: ${outside.join(", ")}.`,
      lost.length === 0 ? "" : `Damaged in the file and left out: ${lost.join(", ")}.`,
    ].filter((text) => text !== "").join(" "),
  };
}

/** Lets results in a kymograph hold for the shown position. @param {unknown} saved */
function inKymograph(saved) {
  const look = checkedKymograph(saved);
  if (look === null) return {};
  const { drawn } = look;
  if (!drawn) return { look };
  const measured = mapped(drawn.measured, (one) => ({ ...one, place: null }));
  return { look: { ...look, drawn: { ...drawn, measured } } };
}

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
  // The server takes no analysis without a table, as acqstore writes some.
  const others = (analyses?.analyses ?? []).filter((/** @type {any} */ { parameters, resources = [] }) =>
    !parameters?.[OWN] && resources.length > 0
  );
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
