/**
 * Connects the page with the session controller: shows progress and results of opening and stepping, and keeps the
 * view.
 */
import { byId } from "../controls/element.js";
import { PlaneSteps } from "../panels/plane_steps.js";
import { PositionBar } from "../panels/position_bar.js";
import { SAMPLE_NOTE } from "./loaded_planes.js";
import { serverFacts } from "./server.js";
import { shownText } from "../panels/channel_card.js";
import { drawnWords, withoutResults } from "../measuring/drawn.js";
import { keyOf } from "./work_store.js";
import { Recordings } from "./recordings.js";
import { linkOfView, viewOfLink } from "./view_link.js";
import { WaysIn } from "./ways_in.js";

/** @import { DataPanel } from "../panels/data_panel.js" */
/** @import { KeptWork } from "./kept_work.js" */
/** @import { Page } from "./page.js" */
/** @import { Place } from "../panels/plane_steps.js" */
/** @import { Kind, Loaded, SessionController } from "./session_controller.js" */
/** @import { Restored } from "../saving/restored.js" */
/** @import { KeptView, LinkedView } from "./view_link.js" */
/** @import { TypedScan } from "../../../measure/typed_scan.js" */
/** @import { Viewer } from "../panels/viewer.js" */

/**
 * @typedef {object} Parts
 * @property {Page} page
 * @property {Viewer} viewer
 * @property {SessionController} controller
 * @property {DataPanel} data
 * @property {KeptWork} work
 * @property {KeptView} kept
 * @property {(saved: Restored) => void} show measurements of the file
 */

/** Delay between the last change of the view and keeping it. */
const KEEP_AFTER_MS = 300;

export class Opening {
  #parts;
  #ways;
  #recordings;
  #bar;
  #steps;
  #mayOpenByPath = false;
  #isSample = false;
  /** Typed calibration in the link of the recording that is opening. @type {TypedScan | null} */
  #linked = null;
  /** Path of the file being opened; empty if only the dialog knows it. */
  #path = "";
  /** Position of the visible planes; others may be loading. @type {Place} */
  #shownPlace = { t: 0, z: 0, l: 0 };
  #keepTimer = 0;
  /** Set while a changed file reopens; steps wait for it. */
  #isAgain = false;
  /** Set while the page shows an image derived from the planes, which has no positions of its own. */
  #isDerived = false;

  /** @param {Parts} parts */
  constructor(parts) {
    const { controller, viewer, work } = parts;
    this.#parts = parts;
    this.#ways = new WaysIn(work, {
      onPick: () => this.#mayLeave() && controller.pick(),
      onPath: (path, link) => {
        if (!this.#mayLeave()) return;
        this.#linked = link?.typed ?? null;
        controller.openPath(path, link ?? {});
      },
      onSample: () => this.#mayLeave() && controller.openSample(),
    });
    this.#recordings = new Recordings({
      list: async (folder) => (await controller.server()).list(folder),
      open: (path) => this.#mayLeave() && controller.openPath(path),
      works: () => work.list(),
      say: (text) => parts.page.say(text),
    });
    this.#steps = new PlaneSteps((place, signal) => controller.planesAt(place, signal));
    this.#bar = new PositionBar(
      (place, ahead) => this.#step(place, ahead),
      (scene) => {
        if (this.#mayLeave()) controller.openScene(scene);
        else this.#showPositions(this.#bar.place);
      },
    );
    viewer.on("look", () => this.keepSoon());
    byId("cancel").addEventListener("click", () => controller.cancel());
    addEventListener("hashchange", () => this.#follow(viewOfLink(location.hash)));
    this.#listen();
  }

  /** Actions of single keys. @type {Record<string, (key: string) => void>} */
  get actions() {
    return {
      o: () => this.#ways.open(),
      "?": () => byId("shortcuts", HTMLDialogElement).showModal(),
      Escape: () => this.#parts.controller.cancel(),
      "<": () => this.#recordings.step(-1),
      ">": () => this.#recordings.step(1),
      ",": () => this.#bar.step("t", -1),
      ".": () => this.#bar.step("t", 1),
      PageUp: () => this.#bar.step("z", 1),
      PageDown: () => this.#bar.step("z", -1),
      k: () => this.#bar.togglePlay(),
    };
  }

  /** Whether the server opens files by their paths. */
  get mayOpenByPath() {
    return this.#mayOpenByPath;
  }

  /** The recordings beside the open one. */
  get recordings() {
    return this.#recordings;
  }

  /** Position of the shown planes. */
  get place() {
    return this.#shownPlace;
  }

  /** Hides the position bar while the page shows a derived image, which has no positions. @param {boolean} isDerived */
  derived(isDerived) {
    this.#isDerived = isDerived;
    this.#showPositions(this.#bar.place);
  }

  /** Shows another image of the recording. @param {Place} place */
  go(place) {
    this.#showPositions(place);
    return this.#step(this.#bar.place, []);
  }

  /** Says that earlier drawings do not fit the file any more. */
  drawnIsLost() {
    this.#parts.page.notice(
      "The file has changed in size: earlier drawings and pinned cursors are not shown.",
    );
  }

  /** Call when drawings, settings or results have changed. */
  drawn() {
    this.#parts.work.changed(this.#shown);
    this.#accept();
    this.#link();
  }

  #accept() {
    const { info, look } = this.#parts.viewer;
    const { accepted = null } = /** @type {any} */ (look)?.drawn ?? {};
    this.#bar.accept(accepted ?? info?.collection?.member.accepted ?? false);
  }

  /** Keeps the view. */
  keepSoon() {
    this.#parts.work.touched();
    clearTimeout(this.#keepTimer);
    this.#keepTimer = setTimeout(() => this.#keep(), KEEP_AFTER_MS);
  }

  /** Asks the server for its capabilities, then restores the view of this tab. */
  async begin() {
    const { kept, controller } = this.#parts;
    await this.#readServer();
    const [view, link] = [kept.view, viewOfLink(location.hash)];
    const isOwn = view !== null && (link === null || (link.path === view.path && link.scene === view.scene));
    if (isOwn && this.#mayOpenByPath) {
      this.#linked = link?.typed ?? null;
      await controller.openPath(view.path, view);
    } else if (link !== null) this.#follow(link);
  }

  /** Call when the user leaves the page. @param {boolean} mayReturn it stays in memory, where WebKit lets a save in progress block the storage of other pages */
  leave(mayReturn) {
    if (!mayReturn) this.#keep();
    this.#parts.work.leave();
    this.#parts.controller.close();
  }

  /** @param {() => void} tryAgain */
  serverIsGone(tryAgain) {
    const text = `The server at ${location.host} does not answer. Start acq-server again, then try again.`;
    this.#parts.page.notice(text, "Try again", tryAgain);
  }

  serverIsBack() {
    this.#parts.page.notice(null);
    this.#parts.page.fault(null);
    this.#parts.page.say("The server answers again");
    this.#readServer();
  }

  #listen() {
    const { page, controller, data, viewer, work } = this.#parts;
    work.on("state", ({ state }) => {
      page.kept(state);
      if (state === "kept") this.#recordings.note(drawnWords(/** @type {any} */ (viewer.look)?.drawn));
    });
    byId("take-over").addEventListener("click", () => work.takeOver());
    controller.on("opening", ({ kind, path }) => this.#opening(kind, path));
    controller.on("opened", ({ kind, info }) => {
      page.begin(`Fetching ${info.source.name} …`, false);
      if (this.#mayList(kind)) this.#recordings.expect(info.source.path);
    });
    controller.on("progress", ({ received, total }) => page.progress(received, total));
    controller.on("loaded", (loaded) => this.#loaded(loaded));
    controller.on("failed", ({ error }) => this.#failed(error, this.#path || quoted(error)));
    controller.on("cancelled", () => page.say("Cancelled"));
    controller.on("idle", () => this.#idle());
    controller.on("renewed", ({ info, why }) => {
      data.renew(info);
      page.notice(null);
      if (why === "acquisition_changed") this.#changed();
    });
    controller.on("lost", () => this.#askAgain());
    viewer.on("typed", ({ fault }) => page.typed(fault));
    viewer.on("saved", ({ name }) => page.say(`Saved the ${name} picture`));
    for (const type of ["look", "shown"]) viewer.on(type, () => data.paint());
  }

  /** @param {Kind} kind @param {string} path */
  #opening(kind, path) {
    const { page } = this.#parts;
    this.#isAgain = kind === "again";
    this.#keep();
    this.#bar.pause();
    this.#ways.busy(true);
    this.#recordings.busy(true);
    const isDialog = kind === "dialog";
    const isOfShown = kind === "scene" || kind === "again";
    this.#path = isOfShown ? this.#parts.viewer.info?.source.path ?? "" : path;
    page.begin(
      isDialog ? "Waiting for the dialog …" : `Reading ${this.#path.split(/[\\/]/).at(-1) || "the file"} …`,
      isDialog,
    );
    page.say(isDialog ? "Choose a file in the dialog on the server's computer" : "");
  }

  /** Updates the page after opening has ended. */
  #idle() {
    this.#linked = null;
    this.#parts.page.end();
    this.#ways.busy(false);
    this.#recordings.busy(false);
    this.#isAgain = false;
    this.#showPositions(this.#bar.place);
    // Takes the steps requested meanwhile.
    const { place } = this.#bar;
    const { t, z, l } = this.#shownPlace;
    if (place.t !== t || place.z !== z || place.l !== l) this.#step(place, []);
  }

  /** @param {Place} place */
  #showPositions(place) {
    const { info } = this.#parts.viewer;
    if (this.#isDerived || info === null) this.#bar.hide();
    else this.#bar.show(info, place, this.#isSample);
    this.#accept();
  }

  /** @param {Loaded} loaded */
  #loaded({ kind, info, source, reference, position, isSample, work }) {
    const { page, viewer, data } = this.#parts;
    const { t = 0, z = 0, l = 0 } = position;
    const recording = recordingOf(info);
    const isSameContent = this.#parts.work.key === keyOf(recording);
    // The same file, such as after a restart of the server, keeps its look.
    const isSame = viewer.info?.source.path === info.source.path && viewer.info.scene === info.scene &&
      this.#isSample === isSample && (isSameContent || work === null || work.isOther);
    /** @type {any} */
    const kept = isSame ? viewer.look : work?.work.look;
    // A link that the user followed is newer than the kept calibration.
    const look = this.#linked === null ? kept : { ...kept, typed: this.#linked };
    const isChanged = !isSample && (isSame ? !isSameContent : work?.isOther === true);
    this.#isSample = isSample;
    if (this.#mayList(kind)) this.#recordings.follow(isSample ? "" : info.source.path, this.#path);
    this.#isDerived = false;
    this.#shownPlace = data.position = { t, z, l };
    page.notice(null);
    page.fault(null);
    page.title(info, isSample);
    const isAgain = kind === "again";
    const note = isSample ? SAMPLE_NOTE : "";
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
    viewer.show({ info, source, reference, look: look && { ...look, drawn }, note });
    for (const id of ["save", "restore"]) byId(id, HTMLButtonElement).disabled = isSample;
    if (viewer.groups !== null) data.show(info, viewer.groups, { isSample, isByPath: this.#mayOpenByPath });
    this.#steps.clear();
    this.#steps.keep({ t, z, l }, source.channels.map(({ samples }) => samples));
    // After a changed file reopens, the last requested step follows.
    this.#showPositions(isAgain ? this.#bar.place : { t, z, l });
    this.#keep();
    const opened = isAgain ? "The file has changed and was reopened" : `Opened ${info.source.name}`;
    const count = viewer.groups === null ? "" : shownText(viewer.groups.source);
    const elsewhere = !isSame && work !== null && !work.isOther && work.work.words !== "" &&
      work.work.path !== info.source.path;
    const shared = elsewhere ? [`with the work on ${work.work.path}, which has the same content`] : [];
    page.say(
      [isSample ? SAMPLE_NOTE : opened, ...shared, ...(count === "" ? [] : [`channels: ${count}`])].join(
        " · ",
      ),
    );
  }

  /** @param {unknown} error @param {string} file path or name */
  #failed(error, file) {
    const { page } = this.#parts;
    page.fault(error, file);
    page.say("Failed", true);
  }

  /** @param {Place} place @param {Place[]} ahead */
  async #step(place, ahead) {
    const { page, viewer } = this.#parts;
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
      this.#shownPlace = this.#parts.data.position = place;
      this.keepSoon();
    } catch (error) {
      page.end();
      this.#bar.pause();
      // The sliders show the visible position, not the requested one.
      this.#showPositions(this.#shownPlace);
      this.#failed(error, viewer.info?.source.path ?? "");
    }
  }

  /** Whether the opened file may lie in another folder, and the page may list that folder. @param {Kind} kind */
  #mayList(kind) {
    return this.#mayOpenByPath && kind !== "scene" && kind !== "again";
  }

  /** The file has changed, so fetch the shown planes again. */
  #changed() {
    const { controller, page } = this.#parts;
    this.#steps.clear();
    page.say("The file has changed and was reopened");
    controller.loadAgain(this.#bar.place);
  }

  #askAgain() {
    const text =
      "The server has closed this file. What you see stays; open the file again to see more of it.";
    this.#parts.page.notice(text, "Open file…", () => this.#ways.open());
  }

  /** @param {LinkedView | null} link */
  #follow(link) {
    const { info } = this.#parts.viewer;
    if (link === null || (link.path === info?.source.path && link.scene === info.scene)) return;
    this.#ways.fill(link);
  }

  async #readServer() {
    const { page, controller } = this.#parts;
    try {
      const { line, formats, list, capabilities } = await serverFacts(await controller.server());
      byId("server").textContent = line;
      byId("formats").textContent = formats;
      byId("server-facts").replaceChildren(...list);
      this.#mayOpenByPath = capabilities.openByPath ?? true;
      this.#ways.allow(capabilities);
    } catch (error) {
      page.fault(error);
    }
  }

  /** Whether leaving the open recording loses nothing, or the user accepts the loss. */
  #mayLeave() {
    return !this.#parts.work.isAtRisk || confirm("What you measured is not saved. Leave it?");
  }

  get #shown() {
    return { look: this.#parts.viewer.look, position: this.#bar.place };
  }

  /** Keeps the view, also for a reload, and puts its link into the address. */
  #keep() {
    const { viewer, work } = this.#parts;
    clearTimeout(this.#keepTimer);
    if (viewer.info === null) return;
    this.#link();
    work.save(this.#shown);
  }

  #link() {
    const { kept, viewer } = this.#parts;
    const { info } = viewer;
    if (info === null) return;
    const { source, scene = 0 } = info;
    const { typed } = /** @type {{typed?: TypedScan}} */ (viewer.look ?? {});
    const view = this.#isSample || !this.#mayOpenByPath
      ? null
      : { path: source.path, scene, position: this.#bar.place, typed };
    kept.view = view;
    const link = view === null ? location.pathname : linkOfView(view);
    if (view === null || location.hash !== link) history.replaceState(null, "", link);
  }
}

/** @param {import("../../../client/v2/acq-client.d.ts").OpenResponse} info @returns {import("./kept_work.js").Recording} */
export const recordingOf = ({ source: { path, name, fingerprint = null }, scene = 0 }) => ({
  path,
  scene,
  name,
  fingerprint,
});

/** Name of the file chosen in a dialog, from the message of the server. @param {unknown} error */
function quoted(error) {
  const { code = "", message = "" } = /** @type {{code?: string, message?: string}} */ (error ?? {});
  return code.startsWith("dialog_") ? "" : /"([^"]+)"/.exec(message)?.[1] ?? "";
}
