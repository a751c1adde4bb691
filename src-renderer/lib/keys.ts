/** Which key does what, everywhere in the dashboard. Pure. */
import type { View } from './addresses.ts';

export interface KeyPress {
  readonly key: string;
  /** Where the key is, whatever it writes there: `Digit1`. */
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** Where the page is shown: what a window of ours may use, a browser has for its tabs. */
export interface Place {
  readonly isMac: boolean;
  readonly isBrowser: boolean;
}

interface Shortcut {
  /** What is held down with the digit. */
  readonly held: readonly ('ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey')[];
  /** In front of the digit, as the system writes it, and as `aria-keyshortcuts` has it. */
  readonly shown: string;
  readonly aria: string;
}

/** A browser takes Ctrl and Command with a digit, in Linux Alt as well; Firefox would even let the page take them away from it. */
const shortcuts: Readonly<Record<'macApp' | 'macBrowser' | 'app' | 'browser', Shortcut>> = {
  macApp: { held: ['metaKey'], shown: '⌘', aria: 'Meta+' },
  macBrowser: { held: ['ctrlKey', 'altKey'], shown: '⌃⌥', aria: 'Control+Alt+' },
  app: { held: ['ctrlKey'], shown: 'Ctrl+', aria: 'Control+' },
  browser: { held: ['altKey', 'shiftKey'], shown: 'Alt+Shift+', aria: 'Alt+Shift+' },
};

/** As the system writes it, and as `aria-keyshortcuts` has it. */
export interface KeyName {
  readonly shown: string;
  readonly aria: string;
}

export const filterKey: KeyName = { shown: '/', aria: '/' };
export const helpKey: KeyName = { shown: '?', aria: '?' };
export const closeKey: KeyName = { shown: 'Esc', aria: 'Escape' };

export function paletteKey({ isMac }: Place): KeyName {
  return isMac ? { shown: '⌘K', aria: 'Meta+K' } : { shown: 'Ctrl+K', aria: 'Control+K' };
}

/** How the shortcut of the view with this number (from 1) is written. */
export function viewShortcut(number: number, place: Place): KeyName {
  const { shown, aria } = shortcutIn(place);
  return { shown: `${shown}${number}`, aria: `${aria}${number}` };
}

/** Beside what it does: `Filter (/)`. */
export function withKey(what: string, { shown }: KeyName): string {
  return `${what} (${shown})`;
}

export type Command = { readonly view: View } | 'filter' | 'palette' | 'help';

/** What a key stands for; undefined for one that is nobody's. `isTyping`: the focus is in a field; `views`: in the order of the sidebar. */
export function commandOf(
  press: KeyPress,
  isTyping: boolean,
  place: Place,
  views: readonly View[],
): Command | undefined {
  const { key, code, ctrlKey, metaKey, altKey } = press;
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(code)?.[1];
  if (digit !== undefined && isHeld(press, shortcutIn(place).held)) {
    const view = views[Number(digit) - 1];
    return view && { view };
  }
  if (isLetterK(press) && isHeld(press, [place.isMac ? 'metaKey' : 'ctrlKey'])) return 'palette';
  if (ctrlKey || metaKey || altKey || isTyping) return undefined;
  if (key === filterKey.shown) return 'filter';
  return key === helpKey.shown ? 'help' : undefined;
}

/** By what it writes; where that is no Latin letter, by its place. */
function isLetterK({ key, code }: KeyPress): boolean {
  return key.toLowerCase() === 'k' || (code === 'KeyK' && key > '\u007f');
}

function shortcutIn({ isMac, isBrowser }: Place): Shortcut {
  if (isMac) return isBrowser ? shortcuts.macBrowser : shortcuts.macApp;
  return isBrowser ? shortcuts.browser : shortcuts.app;
}

/** These and no others: more held keys are another shortcut. */
function isHeld(press: KeyPress, held: Shortcut['held']): boolean {
  return (['ctrlKey', 'metaKey', 'altKey', 'shiftKey'] as const).every((name) => press[name] === held.includes(name));
}
