/** Which entries match the typed text, and their order. Pure. */
import { type EntryKind, entryKinds, kindTitles, type PaletteEntry } from './palette-entry.ts';

export interface EntryGroup {
  readonly title: string;
  readonly entries: readonly PaletteEntry[];
}

/** Maximum entries per kind; results from the core are already limited. */
const maxPerKind: Readonly<Record<EntryKind, number>> = {
  view: 5,
  server: 5,
  command: 6,
  setting: 4,
  tool: 8,
  session: 5,
  call: 5,
  spill: 5,
};

/**
 * `known`: the page's own entries, of which those that contain every word are shown; the kind with the best match
 * comes first.
 * `found`: results from the core, appended in their order, so that nothing above moves when they arrive.
 */
export function rankEntries(
  typed: string,
  known: readonly PaletteEntry[],
  found: readonly PaletteEntry[],
): readonly EntryGroup[] {
  const query = typed.trim().toLowerCase();
  const words = query.split(/\s+/);
  const fitting = known
    .map((entry) => ({ entry, score: scoreOf(entry, query, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  const kinds = [...new Set(fitting.map(({ entry }) => entry.kind))];
  return [
    ...kinds.map((kind) =>
      groupOf(
        kind,
        fitting.map(({ entry }) => entry),
      ),
    ),
    ...entryKinds.map((kind) => groupOf(kind, found)),
  ].filter(({ entries }) => entries.length > 0);
}

/** Shown before anything is typed: recent choices, the views, and frequent commands. */
export function firstEntries(recent: readonly PaletteEntry[], known: readonly PaletteEntry[]): readonly EntryGroup[] {
  const rest = known.filter(({ id }) => !recent.some((one) => one.id === id));
  const of = (kind: EntryKind, most: number): readonly PaletteEntry[] =>
    rest.filter((entry) => entry.kind === kind).slice(0, most);
  return [
    { title: 'Recent', entries: recent },
    { title: kindTitles.view, entries: of('view', 7) },
    { title: kindTitles.command, entries: of('command', 3) },
  ].filter(({ entries }) => entries.length > 0);
}

function groupOf(kind: EntryKind, entries: readonly PaletteEntry[]): EntryGroup {
  return {
    title: kindTitles[kind],
    entries: entries.filter((entry) => entry.kind === kind).slice(0, maxPerKind[kind]),
  };
}

/**
 * 0 if a word is missing. Words in the label, at the beginning of a word, and at the beginning of the label score
 * higher.
 */
function scoreOf({ label, words: others = '' }: PaletteEntry, query: string, words: readonly string[]): number {
  const own = label.toLowerCase();
  const rest = others.toLowerCase();
  let score = own === query ? 100 : own.startsWith(query) ? 40 : 0;
  for (const word of words) {
    const worth = Math.max(placeOf(word, own) * 3, placeOf(word, rest));
    if (worth === 0) return 0;
    score += worth;
  }
  return score;
}

/** 2: at the beginning of a word; 1: inside a word; 0: missing. */
function placeOf(word: string, text: string): number {
  const at = text.indexOf(word);
  if (at === -1) return 0;
  for (let place = at; place !== -1; place = text.indexOf(word, place + 1)) {
    if (place === 0 || /[\s_\-./:,(]/.test(text[place - 1] ?? '')) return 2;
  }
  return 1;
}
