/** When a recording began: days since 1899-12-30, on the clock of the microscope. */
import { type Moment, moment, UNDATED } from "../metadata/moment.ts";

/** Days from 1899-12-30 to 1970-01-01. */
const UNIX_EPOCH_DAY = 25_569;

/** Date and time of a number of days; none where a calendar lacks it. */
export function startMoment(days: number | null): Moment {
  if (days === null || days <= 0) return UNDATED;
  const date = new Date(Math.round((days - UNIX_EPOCH_DAY) * 86_400_000));
  if (Number.isNaN(date.getTime())) return UNDATED;
  return moment(
    [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()],
    [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()],
  );
}
