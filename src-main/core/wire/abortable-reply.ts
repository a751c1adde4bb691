/**
 * A server-initiated request that waits for its reply: however it ends, it is removed from the open ones and the
 * requester is notified.
 */
import type { Result } from './message.ts';
import { cancelledError } from './peer.ts';

interface Settle {
  readonly answer: (result: Result | Promise<Result>) => void;
  readonly refuse: (error: Error) => void;
}

/**
 * `put` sends the request and returns how to withdraw it; it is not called if the signal has aborted already. Rejects
 * with AppError `cancelled` when the signal aborts.
 */
export function awaitReply(signal: AbortSignal, put: (settle: Settle) => () => void): Promise<Result> {
  if (signal.aborted) return Promise.reject(cancelledError(signal));
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      signal.removeEventListener('abort', giveUp);
      takeAway();
      settle();
    };
    const giveUp = (): void => end(() => reject(cancelledError(signal)));
    signal.addEventListener('abort', giveUp);
    const takeAway = put({
      answer: (result) => end(() => resolve(result)),
      refuse: (error) => end(() => reject(error)),
    });
  });
}
