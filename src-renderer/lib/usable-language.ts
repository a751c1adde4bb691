/**
 * Ensures that the page has a valid locale. On a system without one (LANG=C) Chromium reports `en-US@posix`, and the
 * chart library throws while loading: call this before the views are loaded.
 */
export function ensureLocale(): void {
  if (isUsable(navigator.language)) return;
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
}

function isUsable(language: string): boolean {
  try {
    return Intl.getCanonicalLocales(language).length === 1;
  } catch {
    return false;
  }
}
