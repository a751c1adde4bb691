/** Keyboard shortcuts of the whole dashboard. Pure. */
import type { View } from './addresses.ts';

export interface KeyPress {
  readonly key: string;
  /** Physical key: `KeyK`. */
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** As shown on this system, and as in `aria-keyshortcuts`. */
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
/** Maximum time until the second key, in ms. */
export const sequenceMs = 1_500;

export function paletteKey(isMac: boolean): KeyName {
  return isMac ? { shown: '⌘K', aria: 'Meta+K' } : { shown: 'Ctrl+K', aria: 'Control+K' };
}

/** Key sequence that opens a view. */
export function keysOfView(view: View): readonly [string, string] {
  return ['G', viewKeys[view].toUpperCase()];
}

/** Adds the key to a label: `Filter (/)`. */
export function withKey(what: string, { shown }: KeyName): string {
  return `${what} (${shown})`;
}

/** `go`: the next key selects the view. */
export type Command = { readonly view: View } | 'go' | 'filter' | 'palette' | 'help' | 'add-server';

/**
 * The command of a key; undefined if it has none. `isTyping`: a text field has the focus; `isAfterGo`: the previous
 * key was G; `views`: the available ones.
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

/** Ctrl or Command with the palette's key, without other modifiers. */
export function isPalettePress(press: KeyPress, isMac: boolean): boolean {
  const { ctrlKey, metaKey, altKey, shiftKey } = press;
  return letterOf(press) === 'k' && metaKey === isMac && ctrlKey !== isMac && !altKey && !shiftKey;
}

/** The typed letter; if it is not Latin, the letter of the physical key. */
function letterOf({ key, code }: KeyPress): string {
  const place = /^Key([A-Z])$/.exec(code)?.[1];
  return key > '\u007f' && key.length === 1 && place !== undefined ? place.toLowerCase() : key.toLowerCase();
}
