/**
 * The page: wires the modules beside it together. Each of them does one job and can be copied alone; this one
 * holds what is on the screen.
 */
import { openAcquisition } from "./acquisition.js";
import { isTime } from "./axes.js";
import { deleteSession } from "./api.js";
import { ChannelGroup } from "./channel_group.js";
import { channelCard } from "./channel_card.js";
import { attachDivider } from "./divider.js";
import { element } from "./element.js";
import { jsonTree } from "./json_tree.js";
import { lutColor } from "./lut.js";
import { linkPanes } from "./linked_cursor.js";
import { mirrored, turned } from "./orientation.js";
import { Pane } from "./pane.js";
import { keepPlacement, kindOf, placementOf } from "./placement.js";
import { drawProfile } from "./profile.js";
import { facts, megabytes, readout, remainingTime } from "./readout.js";
import { pathPoints } from "./scan_path.js";
import { serverFacts } from "./server_facts.js";
import { watchSession } from "./session_watch.js";
import { attachShortcuts, listShortcuts } from "./shortcuts.js";
import { snippet } from "./snippet.js";

const at = (id) => document.getElementById(id);
const narrow = matchMedia("(max-width: 760px)");

/** What is open: the open response, channel groups and the last cursor of the profile; null before the first file. */
let current = null;
/** The session to delete when another file is opened or the page is left. */
let sessionId = null;
let opening = null;

// The label of each picture follows with the first file.
for (const name of ["source", "reference"]) at(name).append(at("picture").content.cloneNode(true));

const panes = {
  source: new Pane(at("source"), {
    onCursor: (cursor, byKeyboard) => moved("source", cursor, byKeyboard),
    onView: () => {
      paintProfileSoon();
      paintScaleSoon("source");
    },
  }),
  reference: new Pane(at("reference"), {
    onCursor: (cursor, byKeyboard) => moved("reference", cursor, byKeyboard),
    onView: () => paintScaleSoon("reference"),
  }, { isReference: true }),
};
const links = linkPanes(panes);

const session = watchSession({
  onTime: (seconds) => {
    at("time").hidden = seconds === null;
    at("time").textContent = seconds === null ? "" : `Session ${remainingTime(seconds)} left`;
  },
  onExpired: () => {
    sessionId = null;
    paintSnippet();
    noticeExpired();
  },
  onGone: () =>
    notice(
      `The server at ${location.host} does not answer. Start acq-server again, then try again.`,
      "Try again",
      () => session.ask(),
    ),
  onBack: () => {
    if (current !== null && sessionId === null) noticeExpired();
    else notice(null);
    if (at("status").classList.contains("bad")) say("The server answers again");
    readServer();
  },
  // Opening finds out by itself, and its transfers take all connections that a browser gives a server.
  isBusy: () => opening !== null,
});

async function open() {
  if (opening !== null) return;
  opening = new AbortController();
  at("transfer").hidden = false;
  at("progress").removeAttribute("value");
  at("progress-text").textContent = "Waiting for the dialog …";
  say("Choose a file in the dialog of the server's computer");
  for (const id of ["open", "open-first"]) at(id).disabled = true;
  try {
    const loaded = await openAcquisition({ signal: opening.signal, onOpened, onProgress });
    show(loaded);
    say(`Opened ${loaded.opened.source.name}`);
  } catch (error) {
    // The new session, if there was one, is deleted by now.
    if (current === null) sessionId = null;
    if (error.code === "cancelled") say("Cancelled");
    else fail(error);
  } finally {
    opening = null;
    if (current === null) showNothing();
    at("transfer").hidden = true;
    for (const id of ["open", "open-first"]) at(id).disabled = false;
  }
}

/** The new session exists: the former one goes, and with it what the page shows of it. */
function onOpened(opened) {
  closeSession();
  current = null;
  sessionId = opened.sessionId;
  notice(null);
  for (const pane of Object.values(panes)) pane.clear();
  at("viewer").hidden = true;
  at("empty").hidden = true;
  at("title").textContent = opened.source.name;
  at("title").title = opened.source.path;
  at("facts").textContent = facts(opened);
  document.title = `${opened.source.name} – acq-server`;
  const warnings = opened.warnings ?? [];
  at("warnings").replaceChildren(...warnings.map((text) => element("li", { textContent: text })));
  at("warnings").hidden = warnings.length === 0;
  say("Fetching planes");
}

function showNothing() {
  at("empty").hidden = false;
  at("title").textContent = document.title = "acq-server viewer";
  at("facts").textContent = "";
  at("warnings").hidden = true;
}

function onProgress(received, total) {
  at("progress").max = total;
  at("progress").value = received;
  at("progress-text").textContent = `${megabytes(received)} of ${megabytes(total)}`;
}

function show({ opened, session: read, source, reference }) {
  const groups = { source: new ChannelGroup(source), reference: reference && new ChannelGroup(reference) };
  const points = pathPoints(opened.reference);
  current = { opened, groups, profiled: null };
  links.begin(points, source.plane.shape[1]);
  at("viewer").hidden = false;
  at("source").querySelector("h2").textContent = isTime(source.plane.axes[0]) ? "Line scan" : "Image";
  at("reference").hidden = reference === null;
  at("reference-heading").hidden = reference === null;
  at("path-choice").hidden = points.length === 0;
  at("snippet-of").value = "source";
  at("snippet-of").hidden = reference === null;
  at("header-json").replaceChildren(jsonTree(opened.header));
  at("open-json").replaceChildren(jsonTree(opened));
  at("session-json").replaceChildren(jsonTree(read));
  session.watch(read);
  for (const [name, group] of Object.entries(groups)) {
    at(`${name}-cards`).replaceChildren();
    if (!group) continue;
    at(`${name}-cards`).append(
      ...group.channels.map((_, position) => channelCard(group, position, name, typed)),
    );
    at(name).querySelector(".composite").checked = group.composite;
    at(name).querySelector(".composite").parentElement.hidden = group.channels.length < 2;
    at(name).querySelector(".plot").setAttribute("aria-label", `${name} picture of ${opened.source.name}`);
    group.addEventListener("change", () => changed(name));
    panes[name].show(group, placementOf(kindOf(group.plane, name === "reference")));
  }
  nameProfileChoices(source.plane.axes);
  at("along").value = !panes.source.size.locked && !narrow.matches ? "x" : "";
  arrange();
  paintSnippet();
  for (const [name, group] of Object.entries(groups)) {
    if (!group) continue;
    panes[name].drawNow();
    paintReadout(name, null);
  }
}

/** A control changed how a group looks. */
function changed(name) {
  panes[name].redraw();
  paintReadout(name, panes[name].cursor);
  if (name === "source") paintProfile();
  paintSnippet();
}

function moved(name, cursor, byKeyboard) {
  links.follow(name, cursor);
  const text = paintReadout(name, cursor);
  if (byKeyboard) at("announcer").textContent = text;
  if (name === "source") paintProfileSoon();
}

/** Turns or mirrors a picture, and each one of its kind from now on. */
function place(name, change) {
  const kind = kindOf(current.groups[name].plane, name === "reference");
  panes[name].orientation = change(panes[name].orientation);
  keepPlacement(kind, panes[name].orientation);
}

function paintReadout(name, cursor) {
  const output = at(name).querySelector(".readout");
  const group = current?.groups[name];
  if (cursor === null || !group) {
    // The labels of the scale bars as text that can be selected.
    const textContent = group ? panes[name].scale : "\u00a0";
    output.replaceChildren(element("span", { className: "position", textContent }));
    return "";
  }
  const { position, values } = readout(group, cursor);
  const linked = links.text(name);
  output.replaceChildren(
    element("span", { className: "position", textContent: position }),
    ...values.map(({ name, value, channel }) => {
      const dot = element("span", { className: "swatch" });
      dot.style.background = lutColor(channel.lutName);
      const label = element("span", { className: "name", title: name, textContent: name });
      return element("span", { className: "sample" }, dot, label, " ", element("b", { textContent: value }));
    }),
    ...(linked === "" ? [] : [element("span", { className: "position", textContent: `→ ${linked}` })]),
  );
  const parts = [position, ...values.map(({ name, value }) => `${name} ${value}`), linked];
  return parts.filter((part) => part !== "").join("; ");
}

/** The scale bars follow the view once it is drawn. */
function paintScaleSoon(name) {
  requestAnimationFrame(() => panes[name].cursor ?? paintReadout(name, null));
}

/** Many changes within a frame paint the profile once. */
let profileFrame = null;
function paintProfileSoon() {
  profileFrame ??= requestAnimationFrame(() => {
    profileFrame = null;
    paintProfile();
  });
}

function paintProfile() {
  if (current === null || at("profile").hidden) return;
  current.profiled = panes.source.cursor ?? current.profiled;
  const { groups, profiled } = current;
  const chart = { canvas: at("curves"), svg: at("chart") };
  at("profile-hint").hidden = drawProfile(
    chart,
    groups.source,
    at("along").value,
    profiled,
    panes.source.view,
  );
}

function nameProfileChoices(axes) {
  const name = (axis) => isTime(axis) ? `${axis.name} (time)` : axis.name;
  at("along").options[1].textContent = `along ${name(axes[0])}`;
  at("along").options[2].textContent = `along ${name(axes[1])}`;
}

/** Which of the lower figures there are decides whether there is a divider. */
function arrange() {
  at("profile").hidden = at("along").value === "";
  at("profile-title").textContent = `Profile ${at("along").selectedOptions[0].textContent}`;
  const isSplit = !at("profile").hidden || !at("reference").hidden;
  at("lower").hidden = !isSplit;
  at("divider").hidden = !isSplit;
  at("panes").classList.toggle("whole", !isSplit);
  at("panes").classList.toggle("crowded", !at("profile").hidden && !at("reference").hidden);
  paintProfile();
}

function paintSnippet() {
  if (current === null) return;
  const { opened, groups } = current;
  const { shown } = groups[at("snippet-of").value];
  at("copy").disabled = shown.length === 0;
  at("snippet").textContent = shown.length === 0 ? "No channel is shown." : snippet(at("language").value, {
    origin: location.origin,
    path: opened.source.path,
    scene: opened.scene,
    isReference: at("snippet-of").value === "reference",
    channels: shown.map(({ index }) => index),
  });
}

function closeSession() {
  session.watch(null);
  if (sessionId !== null) deleteSession(sessionId).catch(() => {});
  sessionId = null;
}

function save(name) {
  const canvas = panes[name].snapshot();
  canvas.toBlob((blob) => {
    const url = URL.createObjectURL(blob);
    const stem = current.opened.source.name.replace(/\.[^.]+$/, "");
    element("a", { href: url, download: `${stem}-${name}.png` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
    say(`Saved the ${name} picture`);
  });
}

/** What is wrong with a number stands until another is typed. */
function typed(fault) {
  if (fault !== null) say(fault, true);
  else if (at("status").classList.contains("bad")) say("");
}

function say(text, isBad = false) {
  at("status").classList.toggle("bad", isBad);
  at("status").textContent = text;
}

function fail(error) {
  const code = error.code ?? "client_error";
  if (code === "server_gone") session.ask();
  say(`${code}: ${error.message}`, true);
}

function noticeExpired() {
  notice(
    "The session has expired. The picture stays, but the server has freed the data: open the file again to fetch more.",
    "Open file…",
    open,
  );
}

function notice(text, action = "", act = null) {
  at("notice").hidden = text === null;
  at("notice-text").textContent = text ?? "";
  at("notice-action").hidden = act === null;
  at("notice-action").textContent = action;
  at("notice-action").onclick = act;
}

async function readServer() {
  try {
    const { line, formats, list } = await serverFacts();
    at("server").textContent = line;
    at("formats").textContent = formats;
    at("server-facts").replaceChildren(...list);
  } catch (error) {
    fail(error);
  }
}

for (const id of ["open", "open-first"]) at(id).addEventListener("click", open);
at("cancel").addEventListener("click", () => opening?.abort());
at("along").addEventListener("change", arrange);
at("path").addEventListener("change", (event) => links.showPath(event.target.checked));
at("statistic").addEventListener("change", (event) => {
  for (const pane of Object.values(panes)) pane.statistic = event.target.value;
  for (const name of Object.keys(panes)) paintScaleSoon(name);
});
for (const id of ["language", "snippet-of"]) at(id).addEventListener("change", paintSnippet);
at("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(at("snippet").textContent);
    say("Copied");
  } catch {
    getSelection().selectAllChildren(at("snippet"));
    say("Selected, but the browser does not let the page copy: copy it yourself");
  }
});
for (const name of Object.keys(panes)) {
  at(name).querySelector(".home").addEventListener("click", () => panes[name].goHome());
  at(name).querySelector(".turn").addEventListener("click", () => place(name, turned));
  at(name).querySelector(".flip").addEventListener("click", () => place(name, mirrored));
  at(name).querySelector(".save").addEventListener("click", () => save(name));
  at(name).querySelector(".composite").addEventListener("change", (event) => {
    current.groups[name].composite = event.target.checked;
  });
}
attachDivider(at("divider"), (percent) => {
  at("panes").style.setProperty("--upper", `${percent}fr`);
  at("panes").style.setProperty("--rest", `${100 - percent}fr`);
}, () => narrow.matches ? 270 : 200);
new ResizeObserver(paintProfile).observe(at("chart"));
listShortcuts(at("shortcut-list"));
at("help").addEventListener("click", () => at("shortcuts").showModal());

const withFile = (action) => (key) => {
  if (current !== null) action(current.groups.source, key);
};
attachShortcuts({
  o: open,
  "?": () => at("shortcuts").showModal(),
  Escape: () => opening?.abort(),
  digit: withFile((group, key) => {
    if (key <= group.channels.length) group.toggle(key - 1);
  }),
  c: withFile((group) => {
    if (group.channels.length > 1) at("source").querySelector(".composite").click();
  }),
  a: withFile((group) => group.shown.forEach((channel) => channel.autoRange())),
  l: withFile(() => at("source-cards").querySelectorAll("[id$=log]").forEach((box) => box.click())),
  s: withFile(() => at("reference").hidden || at("path-choice").hidden || at("path").click()),
  m: withFile(() => {
    at("statistic").selectedIndex = (at("statistic").selectedIndex + 1) % 3;
    at("statistic").dispatchEvent(new Event("change"));
  }),
  r: withFile(() => place("source", turned)),
  f: withFile(() => place("source", mirrored)),
  p: withFile(() => {
    at("along").selectedIndex = (at("along").selectedIndex + 1) % 3;
    arrange();
  }),
});
addEventListener("pagehide", closeSession);
addEventListener("pageshow", (event) => {
  if (event.persisted && current !== null) {
    paintSnippet();
    notice(
      "The session was closed when the page was left: open the file again to fetch more.",
      "Open file…",
      open,
    );
  }
});
readServer();
