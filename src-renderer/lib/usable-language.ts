/**
 * Gives the page a language that formatters take. On a system without one (LANG=C) Chromium says `en-US@posix`, and the
 * chart's library throws while it loads: to be called before the views are loaded.
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
