/** Recent choices in the palette, stored in this browser. */
import { entryKinds, type PaletteEntry } from './palette-entry.ts';

const storageName = 'tooltray.recent';
const maxRecent = 5;

/**
 * Newest first. Entries known to the page are current, and omitted if they no longer exist; entries from the core are
 * as stored.
 */
export function recentEntries(known: readonly PaletteEntry[]): readonly PaletteEntry[] {
  const byId = new Map(known.map((entry) => [entry.id, entry]));
  return readRecent().flatMap((entry) => byId.get(entry.id) ?? (isFoundByCore(entry) ? [entry] : []));
}

export function rememberEntry(entry: PaletteEntry): void {
  // What a search found is masked only with the secrets known at that time.
  const { keys: _keys, snippet: _snippet, ...stored } = entry;
  const others = readRecent().filter(({ id }) => id !== entry.id);
  localStorage.setItem(storageName, JSON.stringify([stored, ...others].slice(0, maxRecent)));
}

/** The stored text may come from another version or another program. */
function readRecent(): PaletteEntry[] {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(storageName) ?? '[]');
    return Array.isArray(read) ? read.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is PaletteEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { id, kind, label, detail, target } = value as Partial<Record<keyof PaletteEntry, unknown>>;
  const areTexts = [id, label, detail].every((text) => typeof text === 'string');
  return areTexts && entryKinds.some((one) => one === kind) && typeof target === 'object' && target !== null;
}

function isFoundByCore({ kind, target }: PaletteEntry): boolean {
  return ['tool', 'session', 'call', 'spill'].includes(kind) && 'href' in target && target.href.startsWith('#/');
}
