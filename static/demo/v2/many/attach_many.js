/** Connects the work on many recordings with the page. */
import { byId, element } from "../controls/element.js";
import { drawingWords } from "../measuring/drawn.js";
import { isPlainImage, scanOf, typedPlanes } from "../measuring/scan.js";
import { besideOwn, carriedFrom, Carrying } from "./carried.js";
import { ManyPanel } from "./many_panel.js";

/** @import { Acquisition } from "../../../client/v2/acq-client.d.ts" */
/** @import { MeasuredView } from "../measuring/measured_view.js" */
/** @import { KeptWork, Recalled } from "../opening/kept_work.js" */
/** @import { Opening } from "../opening/opening.js" */
/** @import { Page } from "../opening/page.js" */
/** @import { SessionController } from "../opening/session_controller.js" */
/** @import { Scan } from "../measuring/scan.js" */
/** @import { TypedScan } from "../../../measure/typed_scan.js" */
/** @import { Viewer } from "../panels/viewer.js" */
/** @import { Group } from "./many_panel.js" */

/**
 * @typedef {{viewer: Viewer, controller: SessionController, opening: Opening, measured: MeasuredView, work: KeptWork, page: Page}} Parts
 *
 * @param {Parts & {recall: (acquisition: Acquisition) => Promise<Recalled | null>}} parts `opening` listens to the controller already
 */
export function attachMany({ viewer, controller, opening, measured, work, recall, page }) {
  const { recordings } = opening;
  const carrying = new Carrying({
    show: (drawn, typed) => {
      if (typed !== null) measured.treat(typed);
      measured.adopt(besideOwn(drawn, /** @type {any} */ (viewer.look)?.drawn), false);
    },
    notice: (text, action, act) => page.notice(text, action, act),
  });

  /** The shown picture, an image as a line scan with the typed calibration; null before the first file. @param {TypedScan | null} typed */
  const shownAs = (typed) => {
    const { info, groups, note } = viewer;
    if (info === null || groups === null) return null;
    const { source: file, lineScan = null } = info;
    const { source } = groups;
    const { plane, channels } = typed !== null && isPlainImage(info)
      ? typedPlanes({ plane: info.plane, channels: source.channels }, typed)
      : source;
    const group = /** @type {typeof source} */ ({ plane, channels, shown: source.shown });
    return scanOf({ group, file, lineScan, place: () => [], note });
  };

  const panel = new ManyPanel({
    open: () => {
      const [scan, look] = [shownAs(null), /** @type {any} */ (viewer.look)];
      if (scan === null || !look?.drawn) return null;
      return { carried: carriedFrom(look.drawn, scan, work.key, look.typed), drawn: look.drawn };
    },
    groups,
    carry: (carried) => {
      carrying.waiting = carried;
      recordings.step(1);
      return "The next recording that you open takes the regions and settings.";
    },
    recall,
    work,
    mayArchive: () => opening.mayOpenByPath,
    archive: (members, images, name) =>
      controller.live(async (acquisition) => {
        const { sessionId } = await acquisition.state();
        const server = await controller.server();
        const { url, warnings } = await server.export(members, { images, name, sessionId });
        element("a", { href: url, download: "" }).click();
        return warnings;
      }),
    onMeasured: ({ carried, drawn }, found) => {
      recordings.showWorks();
      const now = /** @type {any} */ (viewer.look)?.drawn;
      // Something else may have been opened or drawn meanwhile.
      const isSame = carried.key === work.key && JSON.stringify(now) === JSON.stringify(drawn);
      if (found !== null && isSame) measured.adopt(found, false);
    },
  });

  /** The recordings of the folder, and the scenes of the file, where there are several. @returns {Group[]} */
  function groups() {
    const files = recordings.list.recordings.map(({ name, path }) => ({
      name,
      open: async (/** @type {AbortSignal} */ signal) => (await controller.server()).open(path, { signal }),
    }));
    const { scenes = [], source } = viewer.info ?? {};
    const parts = scenes.map(({ index: scene, name }) => ({
      name: `${source?.name} · ${name}`,
      open: (/** @type {AbortSignal} */ signal) =>
        controller.live((acquisition) => acquisition.reopen({ scene, signal }), signal),
    }));
    const stem = source?.name.replace(/\.[^.]*$/, "") ?? "";
    return [
      { id: "folder", name: "of this folder", stem: recordings.list.folderName, targets: files },
      { id: "file", name: "scenes of this file", stem, targets: parts },
    ].filter(({ targets }) => targets.length >= 2);
  }

  byId("measure").append(panel.element);
  addEventListener("beforeunload", (event) => panel.isRunning && event.preventDefault());
  recordings.list.on("changed", () => panel.refresh());
  viewer.on("shown", () => panel.refresh());
  controller.on("loaded", ({ isSample }) => {
    panel.refresh();
    if (isSample) return;
    const scanAs = (/** @type {TypedScan | null} */ typed) => /** @type {Scan} */ (shownAs(typed));
    carrying.offer(scanAs, work.key, drawingWords(/** @type {any} */ (viewer.look)?.drawn));
  });
}
