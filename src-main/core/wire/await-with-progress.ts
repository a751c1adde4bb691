/**
 * Waits for a promise on behalf of a call and sends a progress notification every few seconds, because silent clients
 * time out.
 */
import type { JsonObject } from '../base/json.ts';
import { cancelledError } from './peer.ts';

interface Waiter {
  readonly signal: AbortSignal;
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
}

interface Waiting {
  /** Time limit in ms. */
  readonly limitMs: number;
  /** Returns the progress message after this many seconds. */
  readonly message: (seconds: number) => string;
}

/** Time before the first progress notification, in ms. */
const initialQuietMs = 1000;
const progressIntervalMs = 5000;

/** Rejects as `coming` does, or with AppError cancelled. */
export async function awaitWithProgress<T>(
  coming: Promise<T>,
  { limitMs, message }: Waiting,
  { signal, onProgress }: Waiter,
): Promise<T> {
  if (signal.aborted) throw cancelledError(signal);
  const given = Promise.withResolvers<never>();
  const giveUp = (): void => given.reject(cancelledError(signal));
  signal.addEventListener('abort', giveUp, { once: true });
  const since = Date.now();
  const tell = (): void => {
    const passed = (Date.now() - since) / 1000;
    // Negative and rising, because the server's own progress starts at zero, and progress must not decrease.
    const progress = Math.min(passed - limitMs / 1000 - 1, -1 / (passed + 1));
    onProgress?.({ progress, message: message(Math.round(passed)) });
  };
  let timer = setTimeout(function again() {
    tell();
    timer = setTimeout(again, progressIntervalMs);
  }, initialQuietMs);
  try {
    return await Promise.race([coming, given.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}
