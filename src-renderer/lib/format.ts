/** Formats numbers, sizes, and times, and maps states to shapes. Pure. */
import type { HealthLevel } from '../../src-main/rpc/contract.ts';

// Cached, because creating a formatter takes 30 times as long as using one. They format times shifted by the time zone,
// because a cached formatter would not follow a user who travels.
const clockFormats = new Intl.DateTimeFormat([], {
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  timeZone: 'UTC',
});
const hours = new Intl.DateTimeFormat([], { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' });
const days = new Intl.DateTimeFormat([], { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Shapes of status marks, so that color is never the only difference. */
export type MarkShape = 'disc' | 'half' | 'triangle' | 'cross' | 'ring';

const shapes: Readonly<Record<HealthLevel, MarkShape>> = {
  ok: 'disc',
  busy: 'half',
  attention: 'triangle',
  error: 'cross',
  off: 'ring',
};

export function markShape(level: HealthLevel): MarkShape {
  return shapes[level];
}

/** `1 session`, `2 sessions`, `1,204 tools`. */
export function count(number: number, noun: string): string {
  return `${whole(number)} ${nouns(number, noun)}`;
}

/** `1 token`, `18.4k tokens`. */
export function compactCount(number: number, noun: string): string {
  return `${compact(number)} ${nouns(number, noun)}`;
}

/** A number that rounds to one takes the singular. */
function nouns(number: number, noun: string): string {
  return Math.round(Math.abs(number)) === 1 ? noun : `${noun}s`;
}

/** `38,400`. */
export function whole(number: number): string {
  return Math.round(number).toLocaleString('en');
}

/** `no problems`, `1,204 problems`: failed calls. */
export function formatProblems(number: number): string {
  return number === 0 ? 'no problems' : count(number, 'problem');
}

/** At most three digits: `950`, `18.4k`, `184k`, `1.84M`; with a minus sign if negative. */
export function compact(number: number): string {
  const size = Math.abs(number);
  const sign = number < 0 ? '−' : '';
  if (size < 1_000) return sign + Math.round(size).toString();
  const [scaled, unit] =
    size < 999_500 ? [size / 1_000, 'k'] : size < 999_500_000 ? [size / 1e6, 'M'] : [size / 1e9, 'G'];
  return sign + threeDigits(scaled) + unit;
}

/** `412 bytes`, `18.4 kB`, `1.2 GB`: in thousands, as in file managers. */
export function bytes(number: number): string {
  if (number < 1_000) return count(number, 'byte');
  const power = Math.min(4, Math.floor(Math.log10(number * 1.0005) / 3));
  return `${threeDigits(number / 1_000 ** power)} ${['bytes', 'kB', 'MB', 'GB', 'TB'][power]}`;
}

/** Formats a duration in ms: `8 ms`, `1.2 s`, `3 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats the age of a time (ms since 1970): `just now`, `3 min ago`, `2 h ago`, `5 days ago`. */
export function ago(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ago` : `${count(Math.floor(hours / 24), 'day')} ago`;
}

/** Formats a time (ms since 1970) as time of day, in the user's locale. */
export function clock(at: number): string {
  return clockFormats.format(here(at));
}

/** Like `clock`, without seconds. */
export function hour(at: number): string {
  return hours.format(here(at));
}

/** Like `clock`, preceded by the day unless it is today; `inShort`: then without seconds. */
export function moment(at: number, now: number, inShort = false): string {
  const [day, today] = [new Date(at), new Date(now)].map((date) => date.toDateString());
  if (day === today) return clock(at);
  return `${days.format(here(at))}, ${inShort ? hour(at) : clock(at)}`;
}

/** The time at which UTC has the same time of day as the user's zone at this one. */
function here(at: number): number {
  return at - new Date(at).getTimezoneOffset() * 60_000;
}

/** `Search`, for the mode `search`. */
export function modeName(mode: string): string {
  return mode.charAt(0).toUpperCase() + mode.slice(1);
}

/** `a`, `a and b`, `a, b and c`. */
export function list(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function threeDigits(number: number): string {
  const text = number < 9.995 ? number.toFixed(2) : number < 99.95 ? number.toFixed(1) : number.toFixed(0);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
