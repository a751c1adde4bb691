/** Light or dark: the user's choice in this browser, else the desktop app's setting, else the system's. */
import { createSubscriber } from 'svelte/reactivity';
import type { SettingsFacts } from '../../src-main/rpc/contract.ts';
import { api } from './api.ts';

type Theme = SettingsFacts['theme'];

const storageName = 'tooltray.theme';
/** Other tabs of this browser receive a storage event; this one does not. */
const chosenHere = 'tooltray-theme';

const follow = createSubscriber((update) => {
  const others = ({ key }: StorageEvent): void => {
    if (key === storageName || key === null) update();
  };
  addEventListener('storage', others);
  addEventListener(chosenHere, update);
  return () => {
    removeEventListener('storage', others);
    removeEventListener(chosenHere, update);
  };
});

export const browserTheme = {
  /** undefined: not chosen in this browser. */
  get choice(): Theme | undefined {
    follow();
    const stored = localStorage.getItem(storageName);
    return stored === 'light' || stored === 'dark' || stored === 'system' ? stored : undefined;
  },
  /** Stored in this browser, for all tabs. */
  choose(theme: Theme): void {
    localStorage.setItem(storageName, theme);
    dispatchEvent(new Event(chosenHere));
  },
};

/** The theme to show; in the desktop app's window, the app's setting. */
export function themeToShow(ofApp: Theme | undefined): Theme {
  const own = window.tooltray === undefined ? browserTheme.choice : undefined;
  return own ?? ofApp ?? 'system';
}

/** Stored in the browser, or in the desktop app's settings. */
export async function chooseTheme(theme: Theme): Promise<void> {
  if (window.tooltray === undefined) browserTheme.choose(theme);
  else await api.ask('setSettings', { theme });
}

/** Also called before anything is rendered, so that the page never flashes in the other theme. */
export function showTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}
