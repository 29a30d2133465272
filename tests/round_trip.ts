/** Exports a recording, opens the archive, exports that, and compares the three field by field. */
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { measureScene } from "../cli/measured_tables.ts";
import { makeOpenOrder } from "../cli/shell.ts";
import { isTime } from "../static/measure/axes.ts";
import { OrderMemory } from "../session/archive/order_memory.ts";
import type { Sessions } from "../session/sessions.ts";
import { describeSession } from "../session/open_response.ts";
import { encodeOrder } from "../session/archive/content/parsed_order.ts";
import { cutFolders } from "../session/archive/content/member_documents.ts";
import { replaysIn } from "../readers/collection/archived.ts";

/** An open response, of which tests change fields. */
// deno-lint-ignore no-explicit-any -- compared as plain values
type Answer = any;

/** Most scenes of a file that are compared. */
const MAX_SCENES = 8;

/** What an open response says, without the fields in which an archive may differ from its original. */
export function comparable(answer: Answer): Answer {
  const { sessionId: _id, scene: _scene, sceneCount: _count, scenes: _scenes, collection: _c, ...rest } =
    structuredClone(answer);
  for (const key of ["path", "name", "format", "fingerprint"]) delete rest.source[key];
  delete rest.header.fileSize;
  for (const { channels } of [rest, ...rest.reference ? [rest.reference] : []]) {
    for (const channel of channels) delete channel.dataUrl;
  }
  const codes: string[] = rest.warningCodes;
  rest.warnings = rest.warnings
    .filter((_: string, i: number) => replaysIn(codes[i]!))
    .map((text: string) => cutFolders(text, answer.source.path));
  rest.warningCodes = codes.filter(replaysIn);
  return rest;
}

/** Takes out of an original's answer, and of its archive's, what section 7 of the specification changes in the image. */
function withoutChanges(original: Answer, archive: Answer): [Answer, Answer] {
  const both = [original, archive].map((one) => structuredClone(one)) as [Answer, Answer];
  const { header, channels } = original;
  for (const one of both) delete one.header.dtype;
  if (header.sizes.L === undefined && header.numChannels === channels.length) return both;
  // Wavelengths become channels, and channels that were not loaded are left out.
  for (const one of both) {
    for (const key of ["shape", "dims", "sizes", "numChannels", "physicalUnits", "physicalUnitsLabels"]) {
      delete one.header[key];
    }
    delete one.source.numChannels;
    delete one.channels;
  }
  return both;
}

/** Paths of the fields that differ, with both values. */
export function differences(a: Answer, b: Answer, at = ""): string[] {
  if (isDeepStrictEqual(a, b)) return [];
  if (isTree(a) && isTree(b) && Array.isArray(a) === Array.isArray(b) && lengthOf(a) === lengthOf(b)) {
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) =>
      differences(a[key], b[key], at === "" ? key : `${at}.${key}`)
    );
  }
  const shown = (value: unknown) => (JSON.stringify(value) ?? "nothing").slice(0, 120);
  return [`${at} is ${shown(a)} and then ${shown(b)}`];
}

const isTree = (value: Answer): boolean => typeof value === "object" && value !== null;
const lengthOf = (value: Answer): number => Array.isArray(value) ? value.length : 0;

async function answersOf(sessions: Sessions, path: string): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let scene = 0, count = 1; scene < Math.min(count, MAX_SCENES); scene += 1) {
    const session = await sessions.opener.open(makeOpenOrder({ path, scene, channelIndices: null }));
    const answer = describeSession(session);
    sessions.store.delete(session.id);
    count = answer.sceneCount;
    answers.push(answer);
  }
  return answers;
}

async function archived(sessions: Sessions, path: string, scenes: number, file: string): Promise<void> {
  const members = Array.from({ length: scenes }, (_, scene) => ({ path, scene }));
  const { signal } = new AbortController();
  const options = { chosenByUser: true, version: "0", memory: new OrderMemory() };
  const archive = await sessions.exporter.prepare(encodeOrder({ members }), options, signal);
  await Deno.writeFile(file, await sessions.exporter.streams.start(archive, signal, () => {}));
  options.memory[Symbol.dispose]();
}

/**
 * Differences between a file, its archive, and the archive of that.
 *
 * @param folder where the archives are written
 * @param measures whether the first scene is measured, too, if it is a line scan
 */
export async function roundTrip(
  sessions: Sessions,
  path: string,
  folder: string,
  measures = true,
): Promise<string[]> {
  const answers = await answersOf(sessions, path);
  const files = [join(folder, "archive.zip"), join(folder, "again.zip")] as const;
  await archived(sessions, path, answers.length, files[0]);
  const first = await answersOf(sessions, files[0]);
  await archived(sessions, files[0], first.length, files[1]);
  const second = await answersOf(sessions, files[1]);
  const found: string[] = [];
  for (const [scene, answer] of answers.entries()) {
    const [original, once, twice] = [answer, first[scene], second[scene]].map(comparable);
    const texts = [
      ...differences(...withoutChanges(original, once)),
      ...differences(once, twice).map((text) => `archive of an archive: ${text}`),
    ];
    if (measures && scene === 0 && isTime(answer.plane.axes[0])) {
      const [measured, again] = [await measuredAs(sessions, path), await measuredAs(sessions, files[0])];
      texts.push(...differences(measured, again));
    }
    found.push(...texts.map((text) => `scene ${scene}: ${text}`));
  }
  return found;
}

/** What `acq-server measure` finds in the first scene, or why it finds nothing. */
async function measuredAs(sessions: Sessions, path: string): Promise<Answer> {
  try {
    const scene = { path, index: 0, name: "Scene 1", isOnly: true };
    const rows = (await measureScene(sessions, scene, { channel: 0 }, ["summary"])).rows as Answer[];
    return rows.map(({ File: _, Path: __, ...row }) => row);
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}
