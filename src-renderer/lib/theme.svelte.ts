/** Light or dark: what the user chose for this browser, else what the desktop app has, else as the system is. */
import { createSubscriber } from 'svelte/reactivity';
import type { SettingsFacts } from '../../src-main/rpc/contract.ts';
import { api } from './api.ts';

type Theme = SettingsFacts['theme'];

const storageName = 'tooltray.theme';
/** Another tab of this browser says so by itself; this one does not. */
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
  /** undefined: nobody has chosen one here. */
  get choice(): Theme | undefined {
    follow();
    const stored = localStorage.getItem(storageName);
    return stored === 'light' || stored === 'dark' || stored === 'system' ? stored : undefined;
  },
  /** Remembered by this browser, for every tab of it. */
  choose(theme: Theme): void {
    localStorage.setItem(storageName, theme);
    dispatchEvent(new Event(chosenHere));
  },
};

/** What the page is shown in; the desktop app's window is what the app says. */
export function themeToShow(ofApp: Theme | undefined): Theme {
  const own = window.tooltray === undefined ? browserTheme.choice : undefined;
  return own ?? ofApp ?? 'system';
}

/** A browser remembers the choice for itself; the window of the desktop app is as its settings say. */
export async function chooseTheme(theme: Theme): Promise<void> {
  if (window.tooltray === undefined) browserTheme.choose(theme);
  else await api.ask('setSettings', { theme });
}

/** To be called before anything is drawn, too, so that the page never shows in the other theme first. */
export function showTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}
