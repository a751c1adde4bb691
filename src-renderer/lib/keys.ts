/** Which key does what, everywhere in the dashboard. Pure. */
import { views, type View } from './addresses.ts';

export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** What a key stands for; undefined for one that is nobody's. `isTyping`: the focus is in a field. */
export function commandOf(press: KeyPress, isTyping: boolean): { readonly view: View } | 'filter' | undefined {
  const { key, ctrlKey, metaKey, altKey } = press;
  if (altKey) return undefined;
  if ((ctrlKey || metaKey) && /^[1-6]$/.test(key)) {
    const view = views[Number(key) - 1];
    return view && { view };
  }
  return key === '/' && !ctrlKey && !metaKey && !isTyping ? 'filter' : undefined;
}
