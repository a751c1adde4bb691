/**
 * Hours and days in local time: hours may start between those of UTC, a day may not have 24 of them, and it may not
 * start at midnight. Times in ms since the epoch.
 */

export const hourMs = 3_600_000;

/** The start of the hour of that time. */
export function startOfHour(time: number): number {
  const shift = hourOffsetMs(time);
  return Math.floor((time + shift) / hourMs) * hourMs - shift;
}

/** How long before the hours of UTC local hours start at that time, in ms, less than an hour: half an hour in India. */
export function hourOffsetMs(time: number): number {
  // Measured in minutes west of UTC.
  const minutes = -new Date(time).getTimezoneOffset() % 60;
  return ((minutes + 60) % 60) * 60_000;
}

/** For example `2026-11-21`. */
export function formatDay(time: number): string {
  const date = new Date(time);
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The start of the day `later` days after that time; negative: before. */
export function startOfDay(time: number, later = 0): number {
  const date = new Date(time);
  // If clocks go forward at midnight, this is the first existing hour.
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + later).getTime();
}
