/** Waits on behalf of a call for a server that is on its way, and says so every few seconds: who hears nothing gives up. */
import { cancelled } from '../wire/pending-request.ts';
import type { CallContext } from './call-context.ts';

/** A start that takes no longer is nothing to speak of. */
const quietMs = 1000;
const everyMs = 5000;

/** `limitMs`: how long the start may take. Rejects with what `coming` rejects with, or with AppError cancelled. */
export async function awaitStart<T>(
  server: string,
  limitMs: number,
  coming: Promise<T>,
  { signal, onProgress }: Pick<CallContext, 'signal' | 'onProgress'>,
): Promise<T> {
  if (signal.aborted) throw cancelled(signal);
  const given = Promise.withResolvers<never>();
  const giveUp = (): void => given.reject(cancelled(signal));
  signal.addEventListener('abort', giveUp, { once: true });
  const since = Date.now();
  const tell = (): void => {
    const passed = (Date.now() - since) / 1000;
    // Below zero and rising: what the server itself will say of its work begins at zero, and progress must not fall.
    const progress = Math.min(passed - limitMs / 1000 - 1, -1 / (passed + 1));
    onProgress?.({ progress, message: `${server} is starting, ${Math.round(passed)} s` });
  };
  let timer = setTimeout(function again() {
    tell();
    timer = setTimeout(again, everyMs);
  }, quietMs);
  try {
    return await Promise.race([coming, given.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}
