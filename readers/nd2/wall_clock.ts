/** Date and time of an image, from a text of the computer's clock whose form depends on the computer's language. */
import { buildMoment, convertHour, findMoment, type Moment, UNDATED } from "../metadata/moment.ts";

/** Number of days between the start of Julian day numbers and of Unix time. */
const UNIX_EPOCH_JULIAN_DAY = 2_440_587.5;
const DAY_MS = 86_400_000;

/** Largest difference in days between the file's clock and the time in UTC: time zones, and a long recording. */
const NEAR_DAYS = 31;

/** Longest date with a time, in characters. */
const MAX_TEXT = 100;

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** A time, followed by the half of the day; in Chinese and Korean preceded by it. */
const CLOCK =
  /(?:([\u4e0a\u4e0b]\u5348|\u5348[\u524d\u5f8c]|\uc624[\uc804\ud6c4])\s*)?(\d{1,2})[:.](\d\d)(?:[:.](\d\d))?(?:\s*([AP])\.?\s?M)?/i;

/** Characters for the second half of the day: Chinese in both scripts, Japanese, Korean, Latin. */
const AFTERNOON = /[\u4e0b\u5f8c\ud6c4P]/i;

/** Milliseconds since 1970 of a Julian day number; `null` if it is invalid. */
export function convertJulianDay(day: number | null): number | null {
  if (day === null || day < 1) return null;
  const ms = (day - UNIX_EPOCH_JULIAN_DAY) * DAY_MS;
  return Math.abs(ms) < 8.64e15 ? ms : null;
}

/**
 * The moment in a text. If the order of day and month is ambiguous, the reading nearer to the time in UTC counts;
 * without that time, a 12-hour clock is assumed to be American.
 *
 * @param text such as `3/7/2025  2:38:00 PM`, `18/06/2014  15:55:27`, `2014-06-18 15:55:27`, `18-Jun-14 3:55:27 PM`
 * @param utc milliseconds since 1970, or `null`
 * @returns the moment in UTC if the text contains none
 */
export function readWallClock(text: string | null, utc: number | null): Moment {
  const written = text === null ? UNDATED : parseWallClock(text, utc);
  if (written.date !== "") return written;
  return utc === null ? UNDATED : findMoment(new Date(utc).toISOString());
}

function parseWallClock(text: string, utc: number | null): Moment {
  const found = /^\s*(\d{1,4})\s*[-/. ]\s*(\d{1,2}|[a-z]{3})[a-z]*\.?\s*[-/. ]\s*(\d{1,4})\b\.?(.*)$/is.exec(
    text.slice(0, MAX_TEXT),
  );
  if (!found) return findMoment(text);
  const [, first = "", second = "", third = "", rest = ""] = found;
  const clock = CLOCK.exec(rest);
  // None on a 24-hour clock.
  const half = clock?.[1] ?? clock?.[5];
  const hour = clock ? convertHour(clock[2], half && (AFTERNOON.test(half) ? "PM" : "AM")) : undefined;
  const time = [hour, clock?.[3], clock?.[4] ?? 0] as const;
  const month = MONTHS.indexOf(second.toLowerCase()) + 1;
  const dates: (readonly [string, string | number, string | number])[] = first.length > 2
    ? [[first, second, third]]
    : month > 0
    ? [[expandYear(third), month, first]]
    : [[expandYear(third), second, first], [expandYear(third), first, second]];
  const existing = dates.map((date) => buildMoment(date, time)).filter(({ date }) => date !== "");
  const american = clock?.[5] !== undefined && /^\s*\d+\//.test(text);
  return chooseNearest(american ? existing.reverse() : existing, utc);
}

/** The moment nearest to a time, if it is near enough; else the first moment. */
function chooseNearest(moments: readonly Moment[], utc: number | null): Moment {
  const away = ({ date }: Moment) =>
    Math.abs(Date.UTC(+date.slice(0, 4), +date.slice(4, 6) - 1, +date.slice(6)) - (utc ?? 0)) / DAY_MS;
  const [first = UNDATED] = moments;
  const near = moments.toSorted((a, b) => away(a) - away(b))[0];
  return utc !== null && near !== undefined && away(near) <= NEAR_DAYS ? near : first;
}

/** The full year; two digits mean 1980 to 2079. */
function expandYear(year: string): string {
  return year.length > 2 ? year : String((Number(year) < 80 ? 2000 : 1900) + Number(year));
}
