/** One image of a file as an acquisition. */
import type { Moment } from "../metadata/moment.ts";
import { calibrated } from "../metadata/axes.ts";
import { lineScanOf } from "../metadata/line_scan.ts";
import type { Acquisition } from "../reader.ts";
import { calibratedAxes } from "./axis_steps.ts";
import { fitWarnings } from "./block_fit.ts";
import { channelList } from "./channel_list.ts";
import type { ImageDescription } from "./image_description.ts";
import { planPlane, type StoredImage } from "./plane_plan.ts";
import { momentOfStamp, timesOf } from "./time_stamps.ts";

/** What of the file its images share. */
export interface SharedFacts {
  /** Bytes of the file. */
  readonly fileSize: number;
  /** When the experiment was made. */
  readonly moment: Moment;
  /** Memory that its index takes. */
  readonly indexBytes: number;
  /** The document. */
  readonly documents: Acquisition["documents"];
}

/** The acquisition of an image. The first time stamp dates it, else the experiment. */
export function acquisitionOf(
  stored: StoredImage,
  description: ImageDescription,
  shared: SharedFacts,
): Acquisition {
  const { layout } = stored;
  const times = timesOf(description.stamps, layout);
  const { axes, warnings } = calibratedAxes(layout, description.scan, times);
  const own = momentOfStamp(description.stamps);
  const { date, time } = own.date === "" ? shared.moment : own;
  return {
    axes,
    channels: channelList(layout, description.names),
    date,
    time,
    fileSize: shared.fileSize,
    reference: null,
    lineScan: layout.rowAxis === "T"
      ? lineScanOf(
        axes.find(({ name }) => name === "Y"),
        calibrated(description.scan?.pixelTime, "s"),
        description.scan?.direction,
      )
      : null,
    warnings: [...warnings, ...fitWarnings(layout, stored.block)],
    times,
    indexBytes: shared.indexBytes,
    documents: shared.documents,
    plan: (channels, position, rows) => Promise.try(() => planPlane(stored, { channels, position, rows })),
  };
}
