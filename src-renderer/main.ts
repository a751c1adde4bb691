/** Entry point of the page. */
import { mount } from 'svelte';
import '@fontsource-variable/inter/wght.css';
import { AppStateStore } from './lib/app-state.svelte.ts';
import { storeKeyFromUrl } from './lib/page-key.ts';
import { showTheme, themeToShow } from './lib/theme.svelte.ts';
import { ToastStore } from './lib/toasts.svelte.ts';
import { UnsavedEdits } from './lib/unsaved.svelte.ts';
import { ensureLocale } from './lib/usable-language.ts';
import './theme/tokens.css';
import './theme/base.css';
import './theme/controls.css';

showTheme(themeToShow(undefined));
ensureLocale();
storeKeyFromUrl();
const unsaved = new UnsavedEdits();
unsaved.confirmLeave();
// A link pasted into the address bar changes only the fragment, which does not reload the page. An authenticated page
// keeps its place.
addEventListener('hashchange', ({ oldURL }) => {
  if (!location.hash.startsWith('#key=')) return;
  if (storeKeyFromUrl()) location.reload();
  else history.replaceState(undefined, '', oldURL);
});

const { default: App } = await import('./App.svelte');
const target = document.getElementById('app');
if (target) mount(App, { target, props: { appState: new AppStateStore(), toasts: new ToastStore(), unsaved } });
