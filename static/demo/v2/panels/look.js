/** The look of an acquisition, zoom and contrast, as JSON that survives a reload. */

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
  return { source: look("source"), reference: look("reference") };
}

/**
 * Applies what fits: planes of another shape keep their own view, other channels their own contrast.
 *
 * @param {any} look of this or another acquisition
 * @param {{source: ChannelGroup, reference: ChannelGroup | null}} groups
 * @param {{source: Pane, reference: Pane}} panes
 */
export function applyLook(look, groups, panes) {
  for (const name of /** @type {const} */ (["source", "reference"])) {
    const [group, kept] = [groups[name], look?.[name]];
    if (!group || !kept) continue;
    if (kept.mode === "split" || (kept.mode === "single" && group.channels.length > 1)) {
      group.mode = kept.mode;
    }
    for (const { index, visible, lutName, gamma, range: [low, high], isAuto } of kept.channels) {
      const channel = group.channels.find((channel) => channel.index === index);
      if (channel === undefined) continue;
      Object.assign(channel, { visible, lutName, gamma });
      channel.setRange(low, high, isAuto);
    }
    if (String(kept.shape) === String(group.plane.shape)) panes[name].view = kept.view;
  }
}
