/** Connects the work on many recordings with the page. */
import { byId } from "../controls/element.js";
import { drawnWords } from "../measuring/drawn.js";
import { scanOf } from "../measuring/scan.js";
import { carriedFrom } from "./carried.js";
import { Carrying } from "./carrying.js";
import { ManyPanel } from "./many_panel.js";

/** @import { MeasuredView } from "../measuring/measured_view.js" */
/** @import { KeptWork } from "../opening/kept_work.js" */
/** @import { Opening } from "../opening/opening.js" */
/** @import { Page } from "../opening/page.js" */
/** @import { SessionController } from "../opening/session_controller.js" */
/** @import { Viewer } from "../panels/viewer.js" */
/** @import { Group } from "./many_panel.js" */

/**
 * @param {object} parts
 * @param {Viewer} parts.viewer
 * @param {SessionController} parts.controller
 * @param {Opening} parts.opening which listens to the controller already
 * @param {MeasuredView} parts.measured
 * @param {KeptWork} parts.work
 * @param {Page} parts.page
 */
export function attachMany({ viewer, controller, opening, measured, work, page }) {
  const { recordings } = opening;
  const carrying = new Carrying({
    show: (drawn) => measured.adopt(drawn, false),
    notice: (text, action, act) => page.notice(text, action, act),
  });

  /** The shown picture, or null before the first file. */
  const shown = () => {
    const { info, groups, note } = viewer;
    if (info === null || groups === null) return null;
    const { source: file, lineScan = null } = info;
    return scanOf({ group: groups.source, file, lineScan, place: () => [], note });
  };

  const panel = new ManyPanel({
    open: () => {
      const [scan, drawn] = [shown(), /** @type {any} */ (viewer.look)?.drawn];
      if (scan === null || !drawn) return null;
      const channel = scan.group.shown[0]?.name ?? "";
      return { carried: carriedFrom(drawn, scan, work.key), drawn, channel };
    },
    groups: () => [...ofFolder(), ...ofFile()],
    carry: (carried) => {
      carrying.waiting = carried;
      recordings.step(1);
      return "The next recording that you open takes the regions and settings.";
    },
    work,
    onMeasured: () => recordings.showWorks(),
  });

  /** @returns {Group[]} */
  function ofFolder() {
    const targets = recordings.list.recordings.map(({ name, path }) => ({
      name,
      open: async (/** @type {AbortSignal} */ signal) => (await controller.server()).open(path, { signal }),
    }));
    return targets.length < 2 ? [] : [{ id: "folder", name: "of this folder", targets }];
  }

  /** @returns {Group[]} */
  function ofFile() {
    const { scenes = [], source } = viewer.info ?? {};
    const targets = scenes.map(({ index: scene, name }) => ({
      name: `${source?.name} · ${name}`,
      open: (/** @type {AbortSignal} */ signal) =>
        controller.live((acquisition) => acquisition.reopen({ scene, signal }), signal),
    }));
    return targets.length < 2 ? [] : [{ id: "file", name: "scenes of this file", targets }];
  }

  byId("measure").append(panel.element);
  recordings.list.on("changed", () => panel.refresh());
  viewer.on("shown", () => panel.refresh());
  controller.on("loaded", ({ isSample }) => {
    panel.refresh();
    const scan = shown();
    if (scan === null || isSample) return;
    carrying.offer(scan, work.key, drawnWords(/** @type {any} */ (viewer.look)?.drawn));
  });
}
