/** The shape of all answers of `proxy-dispatch`: a text, and what programs may want to know of it in `_meta`. */
import { AppError, errorText } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { maskText } from '../../base/mask-secrets.ts';
import { failureText } from '../../calls/error-result.ts';

/** Under it stand in `_meta` the members that mini-a's answer has beside its text. */
const factsKey = 'tooltray/dispatch';

/**
 * `more` are content blocks that follow the text. No `structuredContent`: apps that have one hand on nothing else, and the
 * answer is the text.
 */
export function envelope(facts: JsonObject, text: string, more: readonly unknown[] = []): JsonObject {
  return {
    content: [{ type: 'text', text }, ...more],
    _meta: { [factsKey]: facts },
    ...(facts['error'] !== undefined && { isError: true }),
  };
}

export function failure(facts: JsonObject, error: string, more: readonly unknown[] = []): JsonObject {
  return envelope({ ...facts, error }, `Error: ${error}`, more);
}

/** What went wrong. Our own words may tell a command line or an address; a server's are its answer. */
export function reason(error: unknown): string {
  return error instanceof AppError ? maskText(errorText(error)) : failureText(error);
}

/** Nobody waits for the answer any more. */
export function isCancelled(error: unknown): boolean {
  return error instanceof AppError && error.code === 'cancelled';
}

/** As mini-a estimates: four characters are a token. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
