/**
 * The look of an acquisition, zoom and contrast, as JSON that survives a reload. It comes from the browser's storage,
 * so every value is checked before use.
 *
 * Tested in `tests/browser/sessions_test.ts`.
 */

/** @import { ChannelGroup } from "../picture/channel_group.js" */
/** @import { Pane } from "../picture/pane.js" */

/** @param {{source: ChannelGroup, reference: ChannelGroup | null}} groups @param {{source: Pane, reference: Pane}} panes */
export function lookOf(groups, panes) {
  const look = (/** @type {"source" | "reference"} */ name) => {
    const group = groups[name];
    return group && {
      shape: group.plane.shape,
      view: panes[name].view,
      mode: group.mode,
      channels: group.channels.map(({ index, visible, lutName, gamma, range, isAuto }) => ({
        index,
        visible,
        lutName,
        gamma,
        range,
        isAuto,
      })),
    };
  };
  return { source: look("source"), reference: look("reference"), statistic: panes.source.statistic };
}

/**
 * Applies what fits: planes of another shape keep their own view, other channels their own contrast.
 *
 * @param {any} look of whatever form
 * @param {{source: ChannelGroup, reference: ChannelGroup | null}} groups
 * @param {{source: Pane, reference: Pane}} panes
 */
export function applyLook(look, groups, panes) {
  for (const name of /** @type {const} */ (["source", "reference"])) {
    const [group, kept] = [groups[name], look?.[name]];
    if (!group || typeof kept !== "object" || kept === null) continue;
    if (kept.mode === "split" || (kept.mode === "single" && group.channels.length > 1)) {
      group.mode = kept.mode;
    }
    const channels = Array.isArray(kept.channels) ? kept.channels : [];
    for (const { index, visible, lutName, gamma, range, isAuto } of channels) {
      const channel = group.channels.find((channel) => channel.index === index);
      if (channel === undefined) continue;
      if (typeof visible === "boolean") channel.visible = visible;
      if (typeof lutName === "string" && channel.hasLut(lutName)) channel.lutName = lutName;
      if (gamma >= 0.25 && gamma <= 4) channel.gamma = gamma;
      if (isPair(range) && range[0] < range[1]) channel.setRange(range[0], range[1], isAuto === true);
    }
    const [rows, columns] = group.plane.shape;
    if (String(kept.shape) === String(group.plane.shape) && isView(kept.view, rows, columns)) {
      panes[name].view = kept.view;
    }
  }
}

/** @param {unknown} range @returns {range is [number, number]} */
const isPair = (range) => Array.isArray(range) && range.length === 2 && range.every(Number.isFinite);

/** @param {any} view @param {number} width @param {number} height */
function isView(view, width, height) {
  const { x0, x1, y0, y1 } = view ?? {};
  return [x0, x1, y0, y1].every(Number.isFinite) && 0 <= x0 && x0 < x1 && x1 <= width && 0 <= y0 && y0 < y1 &&
    y1 <= height;
}
