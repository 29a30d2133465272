/** Wires the page together: the open acquisition (session_controller.ts), its display (viewer.ts) and the ways to open more. */
import { byId } from "./controls/element.ts";
import { DataPanel } from "./panels/data_panel.ts";
import { Drawer } from "./panels/drawer.ts";
import { KeptWork } from "./opening/kept_work.ts";
import { ManyPanel } from "./many/many_panel.ts";
import { identifyRecording, Opening } from "./opening/opening.ts";
import { MeasuredView } from "./measuring/measured_view.ts";
import { Page } from "./opening/page.ts";
import { watchServer } from "./opening/server.ts";
import { SessionController } from "./opening/session_controller.ts";
import { attachShortcuts, attachSwitch } from "./controls/shortcuts.ts";
import { listViewerActions, Viewer } from "./panels/viewer.ts";
import { recallSaved } from "./opening/saved_work.ts";
import { Saving } from "./opening/saving.ts";
import { takeDrops } from "./opening/open_buttons.ts";
import { WorkStore } from "./opening/work_store.ts";
import type { Acquisition } from "../../client/v2/acq-client.ts";

/** While work is unsaved, sessions that expire soon are renewed: a file that only a dialog can open would be lost. */
const [RENEW_EVERY_MS, RENEW_WITHIN_S] = [20_000, 60];

const page = new Page();
const viewer = new Viewer();
const work = new KeptWork(new WorkStore());
const recallWork = async (acquisition: Acquisition) =>
  recallSaved(await work.recall(identifyRecording(acquisition.info)), acquisition);
const controller = new SessionController(recallWork);
const opening = new Opening({
  page,
  viewer,
  controller,
  data: new DataPanel({
    readSession: () => controller.live((acquisition) => acquisition.state()),
    say: (text) => page.say(text),
  }),
  work,
  show: (saved) => saving.show(saved, "the file"),
});
const askServer = watchServer({
  readHealth: (signal) => controller.readHealth(signal),
  onGone() {
    const text = `The server at ${location.host} does not answer. Start acq-server again, then try again.`;
    page.notice(text, "Try again", askServer);
  },
  onBack() {
    page.notice(null);
    page.fault(null);
    page.say("The server answers again");
    opening.readServer();
  },
  // Opening reports failures itself, and its transfers use all connections of the browser to the server.
  isBusy: () => controller.isOpening,
});
controller.addEventListener("failed", askServer);
const drawer = new Drawer();
const measured = new MeasuredView(viewer, {
  place: () => opening.place,
  run: (channel, options) => controller.run(channel, options),
  texts: async () => (await controller.live((acquisition) => acquisition.metadata())).map(({ text }) => text),
  go: (place) => void opening.go(place),
  onDerived: (isDerived) => opening.derived(isDerived),
  onDrawn() {
    opening.drawn();
    many.refresh();
  },
  onLost: () =>
    page.notice("The file has changed in size: earlier drawings and pinned cursors are not shown."),
}, drawer);
const parts = { viewer, controller, opening, measured, page };
const saving = new Saving(parts);
const many = new ManyPanel({ ...parts, work, recall: recallWork, drawer });

attachSwitch(byId("single-keys", HTMLInputElement));
byId("help").addEventListener("click", () => byId("shortcuts", HTMLDialogElement).showModal());
attachShortcuts({
  ...opening.actions,
  ...listViewerActions(viewer),
  ...measured.actions,
  Escape: (key) => measured.layDown() || opening.actions.Escape?.(key),
});
takeDrops((file) => saving.restore(file), (text) => page.notice(text));
addEventListener("pagehide", ({ persisted }) => opening.leave(persisted));
addEventListener("pageshow", ({ persisted }) => persisted && work.resume());
addEventListener("beforeunload", (event) => work.isUnsaved && event.preventDefault());
work.on("newer", ({ work: { look }, isChanged }) => {
  measured.adopt(look?.drawn, isChanged);
  page.notice(
    isChanged
      ? "Another tab had kept other work on this recording. Undo shows it."
      : "Shown is the work that another tab has kept.",
  );
});
work.on("lost", () =>
  page.notice(
    "The browser has removed all work that it kept for this page. Below “Measure” stands whether that on the open recording is saved again.",
  ));
setInterval(() => work.isUnsaved && controller.renewExpiring(RENEW_WITHIN_S), RENEW_EVERY_MS);
opening.begin();
