/** When a scan began: the document has the day, each sequence its time of day. */
import { hourOf, type Moment, moment, momentOf, UNDATED } from "../metadata/moment.ts";

/** Month, day, year and a clock of twelve hours: `3/5/2024 2:18:23 PM`, as a system in US English writes them. */
const US = /^\s*(\d{1,2})\/(\d{1,2})\/(\d{4})\s+(\d{1,2}):(\d\d):(\d\d)\s*([AP]M)\s*$/i;

/** A year that stands first, which no language writes before the day. */
const YEAR_FIRST = /^\s*\d{4}[-/]\d/;

/**
 * Day of the document and time of the sequence, cut to seconds.
 *
 * @param date none where it is of another form: which of its numbers is the month cannot be told
 */
export function scanMoment(date: string | undefined, time: string | undefined): Moment {
  const day = dayOf(date);
  const found = /^\s*(\d{1,2}):(\d\d):(\d\d)(?:[.,]\d*)?\s*$/.exec(time ?? "");
  if (found === null || day === UNDATED) return day;
  const [, hours, minutes, seconds] = found;
  return moment([day.date.slice(0, 4), day.date.slice(4, 6), day.date.slice(6)], [hours, minutes, seconds]);
}

function dayOf(text: string | undefined): Moment {
  const found = US.exec(text ?? "");
  if (found === null) return YEAR_FIRST.test(text ?? "") ? momentOf(text) : UNDATED;
  const [, month = "", day = "", year, hours, minutes, seconds, half] = found;
  // English of other countries has the day first and writes both numbers with two digits, or the month.
  const padded = month.startsWith("0") || day.startsWith("0");
  if (padded && Number(day) <= 12) return UNDATED;
  return moment([year, month, day], [hourOf(hours, half), minutes, seconds]);
}
