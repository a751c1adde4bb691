/** Entry of the page. */
import { mount } from 'svelte';
import '@fontsource-variable/inter/wght.css';
import { AppStateStore } from './lib/app-state.svelte.ts';
import { takeKey } from './lib/page-key.ts';
import { ToastStore } from './lib/toasts.svelte.ts';
import { UnsavedEdits } from './lib/unsaved.svelte.ts';
import { ensureUsableLanguage } from './lib/usable-language.ts';
import './theme/tokens.css';
import './theme/base.css';
import './theme/controls.css';

ensureUsableLanguage();
takeKey();
const unsaved = new UnsavedEdits();
unsaved.guard();
// A new link pasted over the old one changes the fragment only, which loads nothing.
addEventListener('hashchange', () => {
  if (!location.hash.startsWith('#key=')) return;
  takeKey();
  location.reload();
});

const { default: App } = await import('./App.svelte');
const target = document.getElementById('app');
if (target) mount(App, { target, props: { appState: new AppStateStore(), toasts: new ToastStore(), unsaved } });
