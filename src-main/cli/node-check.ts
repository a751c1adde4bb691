/** Says what is missing where the Node.js that runs us is too old, before anything fails in its own words. */
import { isBuiltin } from 'node:module';
import { AppError } from '../core/base/errors.ts';

/** Throws AppError unsupported. Looks for what we need, not for a number: builds differ. */
export function requireNode(): void {
  const hasRawJson = typeof (JSON as { rawJSON?: unknown }).rawJSON === 'function';
  if (hasRawJson && isBuiltin('node:sqlite')) return;
  throw new AppError(
    'unsupported',
    `Tooltray needs Node.js 22.13 or newer, and this is ${process.version} (${process.execPath}).`,
    {
      fix: 'Install a newer one from https://nodejs.org, or start Tooltray with the full path of one you have.',
    },
  );
}
