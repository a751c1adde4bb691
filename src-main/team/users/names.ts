/** Validates names of users and groups, and detects confusable ones. */
import { AppError } from '../../core/base/errors.ts';

/** Scripts with confusable letters. */
const confusableScripts = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee'] as const;

/** Throws AppError `bad_request`. */
export function checkName(name: string): void {
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._@+'-]{0,99}$/u.test(name))
    throw new AppError('bad_request', `${JSON.stringify(name.slice(0, 120))} is not a valid name.`, {
      fix: "Use up to 100 letters, digits, spaces, and . _ @ + - ', starting with a letter or digit.",
    });
  if (mixesScripts(name))
    throw new AppError('bad_request', `${JSON.stringify(name)} mixes alphabets whose letters look alike.`, {
      fix: 'Write it in one alphabet.',
    });
}

/** Whether it mixes scripts with confusable letters, such as a Cyrillic а among Latin ones. */
export function mixesScripts(name: string): boolean {
  return confusableScripts.filter((script) => new RegExp(`\\p{Script=${script}}`, 'u').test(name)).length > 1;
}

/** Equal for names that differ only in case, width, white space, or Unicode composition: only one of them may exist. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}
