/** Which values of a server's variables or headers are secrets that a Masker should know. */
import { maskText } from './mask-secrets.ts';
import { isSecretName } from './secret-names.ts';

/** The secret values among these, for `new Masker(...)`: `NODE_ENV=production` must not make "production" unreadable. */
export function secretValues(entries: Readonly<Record<string, string>>): string[] {
  return Object.entries(entries)
    .filter(([name, value]) => isSecretName(name) || maskText(value) !== value || looksRandom(value))
    .map(([, value]) => value);
}

/** Long, without spaces or path separators, of letters and digits: what people put under names we do not know. */
function looksRandom(value: string): boolean {
  return value.length >= 20 && /^[\w.~+=-]+$/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value);
}
