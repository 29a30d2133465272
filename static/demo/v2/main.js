/** Wires the page together: the open acquisition (session_controller.js), its display (viewer.js) and the ways to open more. */
import { byId } from "./controls/element.js";
import { DataPanel } from "./panels/data_panel.js";
import { KeptView, RecentFiles } from "./opening/kept.js";
import { Opening } from "./opening/opening.js";
import { MeasuredView } from "./measuring/measured_view.js";
import { Page } from "./opening/page.js";
import { watchServer } from "./opening/server.js";
import { SessionController } from "./opening/session_controller.js";
import { attachShortcuts, attachSwitch, listShortcuts } from "./controls/shortcuts.js";
import { Viewer } from "./panels/viewer.js";
import { viewerActions } from "./panels/viewer_actions.js";
import { explainDrops } from "./opening/ways_in.js";

const page = new Page();
const viewer = new Viewer();
const controller = new SessionController();
const opening = new Opening({
  page,
  viewer,
  controller,
  data: new DataPanel({
    readSession: () => controller.live((acquisition) => acquisition.state()),
    say: (text) => page.say(text),
  }),
  recent: new RecentFiles(() => localStorage),
  kept: new KeptView(() => sessionStorage),
});
const watch = watchServer({
  readHealth: (signal) => controller.readHealth(signal),
  onGone: () => opening.serverIsGone(() => watch.ask()),
  onBack: () => opening.serverIsBack(),
  // Opening reports failures itself, and its transfers use all connections of the browser to the server.
  isBusy: () => controller.isOpening,
});
controller.addEventListener("failed", () => watch.ask());
const measured = new MeasuredView(viewer, {
  place: () => opening.place,
  planesAt: (place, signal) => controller.planesAt(place, signal),
  onDerived: (isDerived) => opening.derived(isDerived),
  onDrawn: () => opening.keepSoon(),
  onLost: () => opening.drawnIsLost(),
});

listShortcuts(byId("shortcut-list"));
attachSwitch(byId("single-keys", HTMLInputElement));
byId("help").addEventListener("click", () => byId("shortcuts", HTMLDialogElement).showModal());
attachShortcuts({
  ...opening.actions,
  ...viewerActions(viewer),
  ...measured.actions,
  Escape: (key) => measured.layDown() || opening.actions.Escape?.(key),
});
explainDrops((text) => page.notice(text));
addEventListener("pagehide", () => opening.leave());
opening.begin();
