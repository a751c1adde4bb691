/**
 * Slow calls: their limits in tests are so short that on a busy computer any call is slow, and any wait ends before
 * its call.
 */
import { objectOrEmpty } from '../../src-main/core/base/json.ts';
import type { Params } from './raw-client.ts';

/** The handle in a call's result; undefined if it contains the final result. */
export function handleIn(result: Params | undefined): string | undefined {
  return objectOrEmpty(objectOrEmpty(result?.['_meta'])['tooltray/pending'])['handle'] as string | undefined;
}

/** The final result of a call, after calling await_result with these arguments. */
export async function finished(
  result: Params | undefined,
  wait: (input: Params) => Promise<Params | undefined>,
): Promise<Params> {
  const handle = handleIn(result);
  return handle === undefined ? (result ?? {}) : finished(await wait({ handle, waitSeconds: 30 }), wait);
}
