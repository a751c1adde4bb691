/** The page's theme for views, so that they match it. Source: SEP-1865 (2026-01-26), "Theming". */
import type { McpUiHostContext } from '@modelcontextprotocol/ext-apps/app-bridge';

type Variables = NonNullable<NonNullable<McpUiHostContext['styles']>['variables']>;

/** The specification's variables by ours: `theme/tokens.css`. */
const tokens: Readonly<Partial<Record<keyof Variables, string>>> = {
  '--color-background-primary': '--surface',
  '--color-background-secondary': '--paper',
  '--color-background-tertiary': '--rail',
  '--color-background-inverse': '--ink',
  '--color-background-disabled': '--track',
  '--color-background-info': '--selected',
  '--color-text-primary': '--ink',
  '--color-text-secondary': '--ink-soft',
  '--color-text-tertiary': '--ink-soft',
  '--color-text-inverse': '--paper',
  '--color-text-info': '--primary',
  '--color-text-danger': '--bad',
  '--color-text-success': '--good',
  '--color-text-warning': '--warning',
  '--color-text-disabled': '--ink-faint',
  '--color-border-primary': '--line-strong',
  '--color-border-secondary': '--line',
  '--color-border-tertiary': '--line',
  '--color-border-info': '--primary',
  '--color-border-danger': '--bad',
  '--color-border-success': '--good',
  '--color-border-warning': '--warning',
  '--color-ring-primary': '--primary',
  '--font-sans': '--sans',
  '--font-mono': '--mono',
  '--border-radius-md': '--radius',
  '--border-radius-lg': '--radius-large',
};

/** Unresolved values: `light-dark()` follows the theme. */
export function viewVariables(root: HTMLElement = document.documentElement): Variables {
  const style = getComputedStyle(root);
  const values = Object.entries(tokens).map(([theirs, ours]) => [theirs, style.getPropertyValue(ours).trim()]);
  return Object.fromEntries(values) as Variables;
}

const dark = matchMedia.bind(globalThis, '(prefers-color-scheme: dark)');

/** The current theme. */
export function shownTheme(root: HTMLElement = document.documentElement): 'light' | 'dark' {
  const { theme } = root.dataset;
  if (theme === 'light' || theme === 'dark') return theme;
  return dark().matches ? 'dark' : 'light';
}

/** Calls back when the theme changes; returns an unsubscribe function. */
export function followTheme(listener: () => void, root: HTMLElement = document.documentElement): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(root, { attributes: true, attributeFilter: ['data-theme'] });
  const system = dark();
  system.addEventListener('change', listener);
  return () => {
    observer.disconnect();
    system.removeEventListener('change', listener);
  };
}
