/** Reads what a person typed as an entry. Pure. */
import type { Entry } from './entry-form.ts';

export function readEntry(text: string): { readonly entry: Entry } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { entry: value as Entry };
    return { problem: 'An entry is an object: { "command": … } or { "url": … }.' };
  } catch (error) {
    return { problem: `This is not JSON yet: ${error instanceof Error ? error.message : String(error)}` };
  }
}
