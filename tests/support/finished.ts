/** Calls that go on: their limits in tests are so short that on a machine under load any call is a slow one, and any wait ends before its call. */
import { objectOrEmpty } from '../../src-main/core/base/json.ts';
import type { Params } from './raw-client.ts';

/** The handle that a call was answered with; undefined where it was answered with what came of it. */
export function handleIn(result: Params | undefined): string | undefined {
  return objectOrEmpty(objectOrEmpty(result?.['_meta'])['tooltray/pending'])['handle'] as string | undefined;
}

/** What comes of a call in the end, as `wait` is told by await_result, which it calls with these arguments. */
export async function finished(
  result: Params | undefined,
  wait: (input: Params) => Promise<Params | undefined>,
): Promise<Params> {
  const handle = handleIn(result);
  return handle === undefined ? (result ?? {}) : finished(await wait({ handle, waitSeconds: 30 }), wait);
}
