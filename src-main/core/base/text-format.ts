/**
 * Formats numbers with their nouns, sizes, and the closest known word. The page has its own version (`lib/format.ts`).
 */
import { editDistance } from './edit-distance.ts';

/** For example `1 server`, `2 servers`. */
export function formatCount(number: number, noun: string): string {
  return `${number} ${pluralize(number, noun)}`;
}

/** The noun for a number in another format: `1.2k ${pluralize(1200, 'token')}`. */
export function pluralize(number: number, noun: string): string {
  return number === 1 ? noun : `${noun}s`;
}

/** For example `12 345`: for models and terminals of any language. */
export function formatNumber(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ' ');
}

/**
 * For example `412 bytes`, `18.4 kB`, `415 kB`: decimal units, as in file managers. The dashboard uses the same
 * format, so
 * that a result has one size.
 */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return formatCount(bytes, 'byte');
  const power = Math.min(4, Math.floor(Math.log10(bytes * 1.0005) / 3));
  const size = bytes / 1000 ** power;
  const digits = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return `${Number(size.toFixed(digits))} ${['bytes', 'kB', 'MB', 'GB', 'TB'][power]}`;
}

/** Formats a duration in ms: `8 ms`, `1.2 s`, `3 min 5 s`. The dashboard uses the same format. */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Matches texts that contain every word that a user typed, ignoring case and order. */
export function wordMatcher(typed: string): (text: string) => boolean {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return (text) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
}

/** Longer words are not compared, because they are rarely mistyped, and comparison takes quadratic time. */
const maxComparedLength = 100;
const maxDistance = 2;

/**
 * The most similar of `words` by edits, ignoring case, `-` and `_`. Undefined if none is similar, or if
 * `word` is longer than 100 characters: words may come from models, servers and files, in any number and
 * length.
 */
export function closestMatch(word: string, words: Iterable<string>): string | undefined {
  if (word.length > maxComparedLength) return undefined;
  const wanted = plain(word);
  const limit = Math.min(maxDistance, Math.floor(wanted.length / 2.5));
  let best: { word: string; distance: number } | undefined;
  for (const candidate of words) {
    if (candidate.length > 2 * maxComparedLength) continue;
    const distance = editDistance(wanted, plain(candidate), limit);
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { word: candidate, distance };
    if (best?.distance === 0) break;
  }
  return best?.word;
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[-_\s]/g, '');
}

/** A command on one line, with quotes where a shell would split words. */
export function commandLine(words: readonly string[]): string {
  return words.map((word) => (/^[^\s"'\\]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}
