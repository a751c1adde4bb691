/** Which key does what, everywhere in the dashboard. Pure. */
import type { View } from './addresses.ts';

export interface KeyPress {
  readonly key: string;
  /** Where the key is, whatever it writes there: `KeyK`. */
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** As the system writes it, and as `aria-keyshortcuts` has it. */
export interface KeyName {
  readonly shown: string;
  readonly aria: string;
}

export const filterKey: KeyName = { shown: '/', aria: '/' };
export const helpKey: KeyName = { shown: '?', aria: '?' };
export const closeKey: KeyName = { shown: 'Esc', aria: 'Escape' };
export const fullWidthKey: KeyName = { shown: 'F', aria: 'F' };
export const addServerKey: KeyName = { shown: 'N', aria: 'N' };

/** The second key after G. */
const viewKeys: Readonly<Record<View, string>> = {
  overview: 'o',
  activity: 'a',
  spills: 's',
  servers: 'v',
  setup: 'p',
  inbox: 'i',
  settings: ',',
  people: 'e',
  audit: 'l',
  tokens: 't',
};
/** The second key has to follow within this time, in ms. */
export const sequenceMs = 1_500;

export function paletteKey(isMac: boolean): KeyName {
  return isMac ? { shown: '⌘K', aria: 'Meta+K' } : { shown: 'Ctrl+K', aria: 'Control+K' };
}

/** The keys that open a view, one after the other. */
export function keysOfView(view: View): readonly [string, string] {
  return ['G', viewKeys[view].toUpperCase()];
}

/** Beside what it does: `Filter (/)`. */
export function withKey(what: string, { shown }: KeyName): string {
  return `${what} (${shown})`;
}

/** `go`: the next key says where. */
export type Command = { readonly view: View } | 'go' | 'filter' | 'palette' | 'help' | 'add-server';

/**
 * Returns what a key does; undefined for a key without a meaning. `isTyping`: the focus is in a field; `isAfterGo`: the
 * key before it was G; `views`: those that can be opened.
 */
export function commandOf(
  press: KeyPress,
  {
    isTyping,
    isMac,
    isAfterGo,
    views,
  }: {
    readonly isTyping: boolean;
    readonly isMac: boolean;
    readonly isAfterGo: boolean;
    readonly views: readonly View[];
  },
): Command | undefined {
  if (isPalettePress(press, isMac)) return 'palette';
  if (press.ctrlKey || press.metaKey || press.altKey || isTyping) return undefined;
  const letter = letterOf(press);
  if (isAfterGo) {
    const view = views.find((one) => viewKeys[one] === letter);
    if (view !== undefined) return { view };
  }
  if (letter === 'g') return 'go';
  if (letter === 'n' && views.includes('setup')) return 'add-server';
  if (press.key === filterKey.shown) return 'filter';
  return press.key === helpKey.shown ? 'help' : undefined;
}

/** The key with Ctrl or Command that opens the palette, and no other held key. */
export function isPalettePress(press: KeyPress, isMac: boolean): boolean {
  const { ctrlKey, metaKey, altKey, shiftKey } = press;
  return letterOf(press) === 'k' && metaKey === isMac && ctrlKey !== isMac && !altKey && !shiftKey;
}

/** What the key writes; where that is not a Latin letter, the letter of its place. */
function letterOf({ key, code }: KeyPress): string {
  const place = /^Key([A-Z])$/.exec(code)?.[1];
  return key > '\u007f' && key.length === 1 && place !== undefined ? place.toLowerCase() : key.toLowerCase();
}
