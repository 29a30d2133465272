/**
 * Saves the open recording with what was measured in it, and restores what was saved. The server makes the archive;
 * a browser saves it while it arrives.
 */
import { listInWords } from "../../../measure/word_list.ts";
import { byId } from "../controls/element.ts";
import { lookOf, summarizeDrawn } from "../drawing/drawn.ts";
import { makeFileStem } from "../drawing/scan.ts";
import { ArchiveFailed, saveArchive } from "../saving/archive_download.ts";
import { makeMember } from "../saving/documents.ts";
import {
  carryOver,
  DocumentFault,
  type Documents,
  findDocumentsIn,
  findSource,
  type Restored,
  restoreDocuments,
} from "../saving/restored.ts";
import { showWithFallback } from "../saving/checked.ts";
import { listZipEntries, ZipFault } from "../saving/zip_entries.ts";
import type { OpenResponse } from "../../../client/v2/acq-client.ts";
import type { MeasuredView } from "../measuring/measured_view.ts";
import type { Viewer } from "../panels/viewer.ts";
import type { Opening } from "./opening.ts";
import type { Page } from "./page.ts";
import type { SessionController } from "./session_controller.ts";

/** Matches the names of documents among the entries of an archive. */
const DOCUMENT = /(acqimage|analyses)[^/]*(\/[^/]+)?\.json$/;

/** Most names of other recordings in a message. */
const MOST_NAMES = 3;

/** Parts of the page. */
export interface SavingParts {
  viewer: Viewer;
  controller: SessionController;
  opening: Opening;
  measured: MeasuredView;
  page: Page;
}

/** The buttons that save and restore, and their dialog. */
export class Saving {
  readonly #parts;
  #isBusy = false;

  constructor(parts: SavingParts) {
    this.#parts = parts;
    const dialog = byId("save-dialog", HTMLDialogElement);
    const file = byId("restore-file", HTMLInputElement);
    byId("save").addEventListener("click", () => {
      byId("save-words").textContent = this.#words;
      dialog.returnValue = "";
      dialog.showModal();
    });
    dialog.addEventListener("close", () => {
      if (dialog.returnValue !== "save") return;
      const chosen = dialog.querySelector("input:checked") as HTMLInputElement | null;
      this.save(chosen?.value === "none" ? "none" : "all");
    });
    byId("restore").addEventListener("click", () => file.click());
    file.addEventListener("change", () => {
      const [chosen] = file.files ?? [];
      if (chosen !== undefined) this.restore(chosen);
      // The same file may be chosen again.
      file.value = "";
    });
  }

  /** Describes the open recording; null without one, and for the sample. */
  get #info() {
    return this.#parts.controller.acquisition?.info ?? null;
  }

  /** What will be saved. */
  get #words() {
    const { viewer, measured } = this.#parts;
    const words = summarizeDrawn({ ...lookOf(viewer)?.drawn, accepted: null });
    const judged = measured.measured?.isAccepted ? "Accepted." : "Not accepted.";
    return `${words === "" ? "Nothing was drawn or measured yet" : `Measured: ${words}`}. ${judged}`;
  }

  /** Orders an archive and lets the browser save it. */
  async save(images: "all" | "none"): Promise<void> {
    const { viewer, controller, opening: { place: position }, measured: { measured: now }, page } =
      this.#parts;
    if (now === null || this.#info === null || this.#isBusy) return;
    this.#isBusy = true;
    page.say("Preparing …");
    try {
      const { drawn, summary: _, ...look } = lookOf(viewer)!;
      const member = makeMember({ ...now, drawn: drawn!, look, position });
      const stem = makeFileStem(now.shown.scan);
      const name = images === "all" ? stem : `${stem} measurements`;
      const server = await controller.server();
      const link = await controller.live(async (acquisition) => {
        const own = { sessionId: acquisition.sessionId, ...await carryOver(member, acquisition) };
        return await server.export([own], { images, name });
      });
      page.say(["The browser saves the file …", ...link.warnings].join(" · "));
      this.#isBusy = false;
      await saveArchive(server, link);
      page.say([`Saved ${name}.zip`, ...link.warnings].join(" · "));
    } catch (error) {
      if (error instanceof ArchiveFailed) {
        page.say("");
        return page.notice(`Not saved: ${error.message}.`);
      }
      const { code, details } = error as { code?: string; details?: { message: string }[] | null };
      if (code !== "request_validation_failed") page.fault(error);
      else page.notice(`Not saved: ${details?.[0]?.message ?? error}.`);
    } finally {
      this.#isBusy = false;
    }
  }

  /** Restores measurements onto the open recording. */
  async restore(file: File): Promise<void> {
    const [{ page }, info] = [this.#parts, this.#info];
    try {
      const entries = (await listZipEntries(file)).filter(({ name }) => DOCUMENT.test(name));
      const texts = await Promise.all(entries.map(async ({ name, read }) => ({ name, text: await read() })));
      const found = findDocumentsIn(texts);
      if (found.length === 0) return page.notice(`${file.name} holds no measurements.`);
      if (info === null) {
        return page.notice(
          `${file.name} holds measurements: open the recording first, then drop the file again.`,
        );
      }
      const own = await this.#ownOf(found, info);
      if (own !== undefined) return await this.show(restoreDocuments(own, info), file.name);
      this.#otherRecording(found, info, file.name);
    } catch (error) {
      if (!(error instanceof ZipFault || error instanceof DocumentFault)) throw error;
      page.notice(`${file.name} was not restored: ${error.message}`);
    }
  }

  /** Shows measurements as one step; asks first if it could not be undone. */
  async show(saved: Restored, from: string): Promise<void> {
    const { viewer, measured, page } = this.#parts;
    const { drawn, typed } = lookOf(viewer)!;
    const own = summarizeDrawn(drawn);
    // Another picture has its own undo steps.
    const isStep = !saved.drawn.kymograph?.isMade && !measured.measured?.isKymograph &&
      JSON.stringify(saved.look.typed) === JSON.stringify(typed);
    if (isStep || own === "") return await this.#show(saved, from, isStep);
    const text =
      `${from} shows another picture, from which Undo does not lead back: ${own} would be replaced.`;
    page.notice(text, "Replace", () => this.#show(saved, from, isStep));
  }

  /** @param isStep whether it can be undone */
  async #show({ drawn, look, position, note }: Restored, from: string, isStep: boolean) {
    const { viewer, measured, opening, page } = this.#parts;
    const there = opening.place;
    measured.goBack();
    if (position.t !== there.t || position.z !== there.z || position.l !== there.l) {
      await opening.go(position);
    }
    const former = lookOf(viewer)!;
    const { fault } = showWithFallback((saved) => {
      viewer.applyLook(saved === null ? former : look);
      measured.restore(saved ?? former.drawn!, (saved === null ? former : look).typed ?? null);
    }, drawn);
    if (fault !== null) {
      console.error(fault);
      return page.notice(`${from} was not restored: what it holds cannot be shown.`);
    }
    const words = summarizeDrawn(drawn) || "no measurements";
    const undo = isStep ? "Undo shows what was there before." : "";
    page.notice([`Restored from ${from}: ${words}.`, undo, note].filter((text) => text !== "").join(" "));
  }

  /** The documents of the open recording. */
  async #ownOf(found: Documents[], { scene = 0, source, collection }: OpenResponse) {
    const isOf = (fingerprint: string | null | undefined, of: number) =>
      found.find((documents) => {
        const from = findSource(documents);
        return from.fingerprint !== undefined && from.fingerprint === fingerprint && from.scene === of;
      });
    const own = isOf(source.fingerprint, scene);
    if (own !== undefined || !collection) return own;
    const member = found.find(({ image }) => image.image_id === collection.member.id);
    if (member !== undefined) return member;
    // The open recording may be in an archive: compares the file that the archive was made from.
    const [documents] = findDocumentsIn(
      await this.#parts.controller.live((acquisition) => acquisition.metadata()),
    );
    const origin = documents && findSource(documents);
    return isOf(origin?.fingerprint, origin?.scene ?? 0);
  }

  #otherRecording(found: Documents[], info: OpenResponse, from: string) {
    const { page } = this.#parts;
    const open = info.source.name;
    const names = found.map((documents) => findSource(documents).name ?? documents.image.image_id);
    const [first] = found;
    if (found.length > 1 || first === undefined) {
      return page.notice(
        `${from} has no measurements of ${open}, only of ${listInWords(names, MOST_NAMES)}.`,
      );
    }
    const text = `${from} was measured in another recording, ${names[0]}. Nothing was changed in ${open}.`;
    page.notice(text, "Restore it here all the same", () => this.show(restoreDocuments(first, info), from));
  }
}
