/** Date and time of an acquisition, as written and without converting the time zone. */

/** Date as `YYYYMMDD` and time as `HH:MM:SS`; `""` if unknown. */
export interface Moment {
  readonly date: string;
  readonly time: string;
}

/** No date and no time. */
export const UNDATED: Moment = { date: "", time: "" };

/**
 * Finds a date and time in a text, year first: `2010:03:05 12:08:52`, `2013-01-15T17:02:40`, `20130115 17:02:40`.
 *
 * @returns {@linkcode UNDATED} if the text has no valid date
 */
export function findMoment(text: string | null | undefined): Moment {
  const found = /(\d{4})[:/-](\d\d?)[:/-](\d\d?)(?:[T ]+(\d\d?):(\d\d):(\d\d))?/.exec(text ?? "") ??
    /^\s*(\d{4})(\d\d)(\d\d) +(\d\d?):(\d\d):(\d\d)/.exec(text ?? "");
  return found ? buildMoment([found[1], found[2], found[3]], [found[4], found[5], found[6]]) : UNDATED;
}

/** Year, month and day, or hour, minute and second. */
export type MomentParts = readonly (string | number | undefined)[];

/**
 * Date and time from their parts; {@linkcode UNDATED} if the date is invalid, no time if the time is invalid. The first second of 2008
 * is the placeholder in projections of Prairie View.
 */
export function buildMoment([year, month, day]: MomentParts, time: MomentParts = []): Moment {
  const two = (part: string | number | undefined) => String(Math.trunc(Number(part ?? 0))).padStart(2, "0");
  const exists = Number(year) >= 1900 && Number(year) <= 9999 && Number(month) >= 1 && Number(month) <= 12 &&
    Number(day) >= 1 && Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (!exists) return UNDATED;
  const date = String(year).padStart(4, "0") + two(month) + two(day);
  const [hour, minute, second] = time;
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) {
    return { date, time: "" };
  }
  const clock = time.map(two).join(":");
  return date === "20080101" && clock === "00:00:00" ? UNDATED : { date, time: clock };
}

/** Hour of the day. `half` is `AM` or `PM` on a twelve-hour clock, on which 12 AM is midnight. */
export const convertHour = (hours: string | undefined, half: string | undefined): number =>
  half ? Number(hours) % 12 + (half.toUpperCase() === "PM" ? 12 : 0) : Number(hours);

/** Longest date with a time, in characters. Searching a longer text takes quadratic time. */
const MAX_TEXT = 256;

/**
 * Reads `07/22/2025 12:14:20.091 PM`: month first, twelve-hour clock. Some systems write the year first with 24 hours, or the day
 * first, which is recognised if it is above 12 or if dots separate the numbers.
 */
export function parseMonthFirst(text: string): Moment {
  const found = /(\d+)([/.-])(\d+)[/.-](\d+)(?:\s+|T)(\d+):(\d+):(\d+)\S*\s*([AP]M)?/i.exec(
    text.slice(0, MAX_TEXT),
  );
  if (!found) return UNDATED;
  const [, a, separator, b, c, hours, minutes, seconds, half] = found;
  const time = [convertHour(hours, half), minutes, seconds] as const;
  if (a?.length === 4) return buildMoment([a, b, c], time);
  const dayFirst = separator === "." || Number(a) > 12;
  return buildMoment(dayFirst ? [c, b, a] : [c, a, b], time);
}

/** The moment of `milliseconds` since 1970-01-01 on the instrument's clock. */
export function convertUnixTime(milliseconds: number): Moment {
  const date = new Date(milliseconds);
  const text = Number.isNaN(date.getTime()) ? "" : date.toISOString();
  // Years above 9999 begin with a sign.
  return /^\d/.test(text) ? findMoment(text) : UNDATED;
}

/** The first known moment. */
export const chooseMoment = (...moments: readonly Moment[]): Moment =>
  moments.find(({ date }) => date !== "") ?? UNDATED;
