/**
 * Hours and days as they are where this machine is: a zone's hours may begin between those of UTC, a day has not always
 * 24 of them, and it does not always begin at midnight. Times in ms since the epoch.
 */

export const hourMs = 3_600_000;

/** When the hour of that time began. */
export function startOfHour(time: number): number {
  const shift = hourOffsetMs(time);
  return Math.floor((time + shift) / hourMs) * hourMs - shift;
}

/** How long before those of UTC the hours begin here at that time, in ms, less than an hour: half of one in India. */
export function hourOffsetMs(time: number): number {
  // Measured in minutes to the west.
  const minutes = -new Date(time).getTimezoneOffset() % 60;
  return ((minutes + 60) % 60) * 60_000;
}

/** `2026-11-21`. */
export function formatDay(time: number): string {
  const date = new Date(time);
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** When the day begins that is so many days later, or earlier. */
export function startOfDay(time: number, later = 0): number {
  const date = new Date(time);
  // Where the clocks go forward at midnight, this is the first hour that there is.
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + later).getTime();
}
