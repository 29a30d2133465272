/** Measurements that a file has in its documents, as work on it. */
import { summarizeDrawn } from "../drawing/drawn.ts";
import { findDocumentsIn, restoreDocuments } from "../saving/restored.ts";
import type { Acquisition } from "../../../client/v2/acq-client.ts";
import type { Recalled } from "./kept_work.ts";

/** The work that the browser has, or else that of the documents. If both differ, the one of the documents is offered. */
export async function recallSaved(
  own: Recalled | null,
  acquisition: Pick<Acquisition, "info" | "metadata">,
): Promise<Recalled | null> {
  const { info } = acquisition;
  if (!info.collection) return own;
  try {
    const [documents] = findDocumentsIn(await acquisition.metadata());
    if (documents === undefined) return own;
    const offer = restoreDocuments(documents, info);
    const { drawn, look, position, note } = offer;
    const words = summarizeDrawn(drawn);
    const beganHere = own?.work.look?.drawn?.origin === drawn.origin;
    if (own !== null && (own.work.words !== "" || beganHere)) {
      return { ...own, saved: { note: "", offer: beganHere || words === "" ? null : offer } };
    }
    // The view that the browser kept stays.
    const work = own === null || own.isOther ? { ...emptyWork(info), position } : own.work;
    const shown = { ...look, ...work.look, drawn };
    return { work: { ...work, words, look: shown }, isOther: false, saved: { note, offer: null } };
  } catch (error) {
    const note = `The measurements of the file are not shown: ${(error as Error).message}`;
    return { ...own ?? { work: emptyWork(info), isOther: false }, saved: { note, offer: null } };
  }
}

function emptyWork(
  { source: { path, name }, scene = 0, position = { t: 0, z: 0, l: 0 } }: Acquisition["info"],
): Recalled["work"] {
  const nothing = { key: "", location: "", look: null, words: "", bytes: 0, savedAt: 0 };
  return { ...nothing, path, scene, name, position };
}
