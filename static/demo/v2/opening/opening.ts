/**
 * Connects the page with the session controller: shows progress and results of opening and stepping, and keeps the
 * view.
 */
import { byId, findWithin } from "../controls/element.ts";
import { type PlaneIndices, PlaneSteps } from "../panels/plane_steps.ts";
import { PositionBar } from "../panels/position_bar.ts";
import { nameRecordingForPage } from "../picture/readout.ts";
import { SAMPLE_NOTE } from "./loaded_planes.ts";
import { showServer } from "./server.ts";
import { formatShownCount } from "../panels/channel_card.ts";
import { lookOf, lookWords, withoutResults } from "../drawing/drawn.ts";
import { identifyWork } from "./work_store.ts";
import { showWithFallback } from "../saving/checked.ts";
import { Recordings } from "./recordings.ts";
import { keepView, type LinkedView, makeViewLink, parseViewLink, readKeptView } from "./view_link.ts";
import { OpenButtons } from "./open_buttons.ts";
import type { DataPanel } from "../panels/data_panel.ts";
import type { KeptRecording, KeptWork } from "./kept_work.ts";
import type { Page } from "./page.ts";
import type { Loaded, OpenKind, SessionController } from "./session_controller.ts";
import type { Restored } from "../saving/restored.ts";
import type { TypedScan } from "../../../measure/typed_scan.ts";
import type { Viewer } from "../panels/viewer.ts";
import type { OpenResponse } from "../../../client/v2/acq-client.ts";

interface OpeningParts {
  page: Page;
  viewer: Viewer;
  controller: SessionController;
  data: DataPanel;
  work: KeptWork;
  /** Measurements of the file. */
  show: (saved: Restored) => void;
}

/** Delay between the last change of the view and keeping it. */
const KEEP_AFTER_MS = 300;

/** Opens and steps, and shows how that goes. */
export class Opening {
  readonly #parts;
  readonly #ways;
  readonly #bar;
  readonly #steps;
  recordings: Recordings;
  /** Whether the server opens files by their paths. */
  mayOpenByPath = false;
  #isSample = false;
  /** Typed calibration in the link of the recording that is opening. */
  #linked: TypedScan | null = null;
  /** Path of the file being opened; empty if only the dialog knows it. */
  #path = "";
  /** Position of the visible planes; others may be loading. */
  place: PlaneIndices = { t: 0, z: 0, l: 0 };
  #keepTimer: ReturnType<typeof setTimeout> | undefined;
  /** Set while a changed file reopens; steps wait for it. */
  #isAgain = false;
  /** Set while the page shows an image derived from the planes, which has no positions of its own. */
  #isDerived = false;

  constructor(parts: OpeningParts) {
    const { controller, viewer, work, page, data } = parts;
    this.#parts = parts;
    this.#ways = new OpenButtons(work, {
      onPick: () => this.#mayLeave() && controller.pick(),
      onPath: (path, link) => {
        if (!this.#mayLeave()) return;
        this.#linked = link?.typed ?? null;
        controller.openPath(path, link ?? {});
      },
      onSample: () => this.#mayLeave() && controller.openSample(),
    });
    this.recordings = new Recordings({
      list: async (folder) => (await controller.server()).list(folder),
      open: (path) => this.#mayLeave() && controller.openPath(path),
      works: () => work.list(),
      say: (text) => page.say(text),
    });
    this.#steps = new PlaneSteps((place, signal) => controller.planesAt(place, signal));
    this.#bar = new PositionBar(
      (place, ahead) => this.#step(place, ahead),
      (scene) => {
        if (this.#mayLeave()) controller.openScene(scene);
        else this.#showPositions(this.#bar.place);
      },
    );
    byId("cancel").addEventListener("click", () => controller.cancel());
    byId("take-over").addEventListener("click", () => work.takeOver());
    addEventListener("hashchange", () => this.#follow(parseViewLink(location.hash)));
    work.on("state", ({ state }) => {
      page.kept(state);
      if (state === "kept") this.recordings.note(lookWords(lookOf(viewer)));
    });
    controller.on("opening", ({ kind, path }) => this.#opening(kind, path));
    controller.on("opened", ({ info }) => page.begin(`Fetching ${nameRecordingForPage(info)} …`, false));
    controller.on("progress", ({ received, total }) => page.progress(received, total));
    controller.on("loaded", (loaded) => this.#loaded(loaded));
    controller.on("failed", ({ error }) => this.#failed(error, this.#path || findQuotedName(error)));
    controller.on("cancelled", () => page.say("Cancelled"));
    controller.on("idle", () => this.#idle());
    controller.on("renewed", ({ info, why }) => {
      data.renew(info);
      page.notice(null);
      if (why !== "acquisition_changed") return;
      this.#steps.clear();
      page.say("The file has changed and was reopened");
      controller.loadAgain(this.#bar.place);
    });
    controller.on("lost", () => {
      const text =
        "The server has closed this file. What you see stays; open the file again to see more of it.";
      page.notice(text, "Open file…", () => this.#ways.open());
    });
    viewer.on("look", () => this.keepSoon());
    viewer.on("typed", ({ fault }) => page.typed(fault));
    viewer.on("saved", ({ name }) => page.say(`Saved the ${name} picture`));
    for (const type of ["look", "shown"] as const) viewer.on(type, () => data.paint());
  }

  /** Actions of single keys. */
  get actions(): Record<string, (key: string) => void> {
    return {
      o: () => this.#ways.open(),
      "?": () => byId("shortcuts", HTMLDialogElement).showModal(),
      Escape: () => this.#parts.controller.cancel(),
      "<": () => this.recordings.step(-1),
      ">": () => this.recordings.step(1),
      ",": () => this.#bar.step("t", -1),
      ".": () => this.#bar.step("t", 1),
      PageUp: () => this.#bar.step("z", 1),
      PageDown: () => this.#bar.step("z", -1),
      k: () => this.#bar.togglePlay(),
    };
  }

  /** Hides the position bar while the page shows a derived image, which has no positions. */
  derived(isDerived: boolean): void {
    this.#isDerived = isDerived;
    this.#showPositions(this.#bar.place);
  }

  /** Shows another image of the recording. */
  go(place: PlaneIndices): Promise<void> {
    this.#showPositions(place);
    return this.#step(this.#bar.place, []);
  }

  /** Call when drawings, settings or results have changed. */
  drawn(): void {
    this.#parts.work.changed(this.#shown);
    this.#accept();
    this.#link();
  }

  #accept() {
    const { viewer } = this.#parts;
    const { accepted = null } = lookOf(viewer)?.drawn ?? {};
    this.#bar.accept(accepted ?? viewer.info?.collection?.member.accepted ?? false);
  }

  keepSoon(): void {
    this.#parts.work.touched();
    clearTimeout(this.#keepTimer);
    this.#keepTimer = setTimeout(() => this.#keep(), KEEP_AFTER_MS);
  }

  /** Asks the server for its capabilities, then restores the view of this tab. */
  async begin(): Promise<void> {
    await this.readServer();
    const [view, link] = [readKeptView(), parseViewLink(location.hash)];
    const isOwn = view !== null && (link === null || (link.path === view.path && link.scene === view.scene));
    if (isOwn && this.mayOpenByPath) {
      this.#linked = link?.typed ?? null;
      await this.#parts.controller.openPath(view.path, view);
    } else if (link !== null) this.#follow(link);
  }

  /**
   * Call when the user leaves the page.
   *
   * @param mayReturn it stays in memory, where WebKit lets a save in progress block the storage of other
   *   pages
   */
  leave(mayReturn: boolean): void {
    if (!mayReturn) this.#keep();
    this.#parts.work.leave();
    this.#parts.controller.close();
  }

  async readServer(): Promise<void> {
    const { page, controller } = this.#parts;
    try {
      const capabilities = await showServer(await controller.server());
      this.mayOpenByPath = capabilities.openByPath ?? true;
      this.#ways.allow(capabilities);
    } catch (error) {
      page.fault(error);
    }
  }

  #opening(kind: OpenKind, path: string) {
    const { page, viewer } = this.#parts;
    this.#isAgain = kind === "again";
    this.#keep();
    this.#bar.pause();
    this.#ways.busy(true);
    this.recordings.busy(true);
    const isDialog = kind === "dialog";
    const isOfShown = kind === "scene" || kind === "again";
    this.#path = isOfShown ? viewer.info?.source.path ?? "" : path;
    const reading = `Reading ${this.#path.split(/[\\/]/).at(-1) || "the file"} …`;
    page.begin(isDialog ? "Waiting for the dialog …" : reading, isDialog);
    page.say(isDialog ? "Choose a file in the dialog on the server's computer" : "");
  }

  #idle() {
    this.#linked = null;
    this.#parts.page.end();
    this.#ways.busy(false);
    this.recordings.busy(false);
    this.#isAgain = false;
    this.#showPositions(this.#bar.place);
    // Takes the steps requested meanwhile.
    const { place } = this.#bar;
    const { t, z, l } = this.place;
    if (place.t !== t || place.z !== z || place.l !== l) this.#step(place, []);
  }

  #showPositions(place: PlaneIndices) {
    const { info } = this.#parts.viewer;
    if (this.#isDerived || info === null) this.#bar.hide();
    else this.#bar.show(info, place, this.#isSample);
    this.#accept();
  }

  #loaded({ kind, info, source, reference, position: place, isSample, work }: Loaded) {
    const { page, viewer, data } = this.#parts;
    const recording = identifyRecording(info);
    const isSameContent = this.#parts.work.key === identifyWork(recording);
    // The same file, such as after a restart of the server, keeps its look.
    const isSame = viewer.info?.source.path === info.source.path && viewer.info.scene === info.scene &&
      this.#isSample === isSample && (isSameContent || work === null || work.isOther);
    const kept = isSame ? lookOf(viewer) : work?.work.look;
    // A link that the user followed is newer than the kept calibration.
    const look = this.#linked === null ? kept : { ...kept, typed: this.#linked };
    const isChanged = !isSample && (isSame ? !isSameContent : work?.isOther === true);
    this.#isSample = isSample;
    // Only these kinds may lead to another folder.
    if (this.mayOpenByPath && kind !== "scene" && kind !== "again") {
      this.recordings.follow(isSample ? "" : info.source.path, this.#path);
    }
    this.#isDerived = false;
    this.place = data.position = place;
    page.notice(null);
    page.fault(null);
    page.title(info, isSample);
    if (!isSame && work?.isOther && work.work.words !== "") {
      const then = new Date(work.work.savedAt).toLocaleString();
      page.notice(`The content of this file has changed since ${then}. Shown is the work kept then.`);
    }
    const { note: savedNote = "", offer = null } = isSame ? {} : work?.saved ?? {};
    if (savedNote !== "") page.notice(savedNote);
    if (offer !== null) {
      const text = "The file has other measurements than those kept in this browser, which are shown.";
      page.notice(text, "Show those of the file", () => this.#parts.show(offer));
    }
    this.#parts.work.begin(isSample ? null : recording, work);
    const drawn = isChanged ? withoutResults(look?.drawn) : look?.drawn;
    const note = isSample ? SAMPLE_NOTE : "";
    const picture = { info, source, reference, note };
    const { shown: groups, fault } = showWithFallback(
      (look) => viewer.show({ ...picture, look }),
      look ? { ...look, drawn } : null,
    );
    if (fault !== null) {
      console.error(fault);
      page.notice("The view, drawings and measurements kept of this file are damaged and left out.");
    }
    page.allowSaving(!isSample);
    data.show(info, groups, { isSample, isByPath: this.mayOpenByPath });
    this.#steps.clear();
    this.#steps.keep(place, source.channels.map(({ samples }) => samples));
    // After a changed file reopens, the last requested step follows.
    this.#showPositions(kind === "again" ? this.#bar.place : place);
    this.#keep();
    page.say(this.#openedWords(kind, info, work, formatShownCount(groups.source)));
    focusPicture();
  }

  /** Says what was opened. @param count of the shown channels; empty if all are shown */
  #openedWords(kind: Loaded["kind"], info: OpenResponse, work: Loaded["work"], count: string): string {
    const said = [
      this.#isSample
        ? SAMPLE_NOTE
        : kind === "again"
        ? "The file has changed and was reopened"
        : `Opened ${nameRecordingForPage(info)}`,
    ];
    const { path, words } = work?.work ?? { path: "", words: "" };
    const isMoved = work?.isOther === false && words !== "" && path !== info.source.path;
    if (!this.#isSample && isMoved) said.push(`with the work on ${path}, which has the same content`);
    if (count !== "") said.push(`channels: ${count}`);
    return said.join(" · ");
  }

  /** @param file path or name */
  #failed(error: unknown, file: string) {
    this.#parts.page.fault(error, file);
    this.#parts.page.say("Failed", true);
  }

  async #step(place: PlaneIndices, ahead: PlaneIndices[]) {
    const { page, viewer, data } = this.#parts;
    if (this.#isAgain) return;
    if (!this.#steps.has(place)) page.begin("Fetching the next picture …", false);
    try {
      const planes = await this.#steps.at(place, ahead);
      // A later request reports the state.
      if (planes === null) return;
      page.end();
      // A projection has replaced the images meanwhile.
      if (this.#isDerived) return;
      viewer.replacePlanes(planes);
      this.place = data.position = place;
      this.keepSoon();
    } catch (error) {
      page.end();
      this.#bar.pause();
      // The sliders show the visible position, not the requested one.
      this.#showPositions(this.place);
      this.#failed(error, viewer.info?.source.path ?? "");
    }
  }

  #follow(link: LinkedView | null) {
    const { info } = this.#parts.viewer;
    if (link === null || (link.path === info?.source.path && link.scene === info.scene)) return;
    this.#ways.fill(link);
  }

  /** Whether leaving the open recording loses nothing, or the user accepts the loss. */
  #mayLeave() {
    return !this.#parts.work.isAtRisk || confirm("What you measured is not saved. Leave it?");
  }

  get #shown() {
    return { look: lookOf(this.#parts.viewer), position: this.#bar.place };
  }

  /** Keeps the view, also for a reload, and puts its link into the address. */
  #keep() {
    clearTimeout(this.#keepTimer);
    if (this.#parts.viewer.info === null) return;
    this.#link();
    this.#parts.work.save(this.#shown);
  }

  #link() {
    const { info, look } = this.#parts.viewer;
    if (info === null) return;
    const { source, scene = 0 } = info;
    const { typed } = (look ?? {}) as { typed?: TypedScan };
    const view = this.#isSample || !this.mayOpenByPath
      ? null
      : { path: source.path, scene, position: this.#bar.place, typed };
    keepView(view);
    const link = view === null ? location.pathname : makeViewLink(view);
    if (view === null || location.hash !== link) history.replaceState(null, "", link);
  }
}

/** The recording of an open response. */
export const identifyRecording = (
  info: OpenResponse,
): KeptRecording => {
  const { source: { path, fingerprint = null }, scene = 0 } = info;
  return { path, scene, name: nameRecordingForPage(info), fingerprint };
};

/** Name of the file chosen in a dialog, from the message of the server. */
function findQuotedName(error: unknown) {
  const { code = "", message = "" } = (error ?? {}) as { code?: string; message?: string };
  return code.startsWith("dialog_") ? "" : /"([^"]+)"/.exec(message)?.[1] ?? "";
}

/** Moves the focus from what has opened the file to the picture; a button that steps to the next file keeps it. */
function focusPicture() {
  const active = document.activeElement ?? document.body;
  const isSpent = active === document.body || active.matches("#open, #more-ways") ||
    active.closest("#empty, #ways") !== null;
  if (isSpent) findWithin(byId("source"), ".plot").focus({ preventScroll: true });
}
