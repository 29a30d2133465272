/** The result of a measurement of one region in one channel. */
import type { Item, Rejected, Settings } from "./measurement.ts";

/** Where something was measured: the id of its region, and the index of its channel, as text. */
export type Of = { band: string; channel: string };

/** What a measurement found in a region and channel, before edits. */
export interface Result {
  of: Of;
  /** Measured columns; the end is not included. */
  columns: readonly [number, number];
  /** Settings of all parameters, those that the measurement chose, too. */
  settings: Settings;
  /** Method, channel, region and settings for tables. */
  about: [name: string, value: string | number][];
  /** In order of time. */
  found: readonly Item[];
  /** Rejected candidates with their reasons; the user may take them. */
  rejected?: readonly Rejected[];
}
