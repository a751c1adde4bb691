/** The page's questions to the core, over HTTP on the same origin (the server sets the cookie that lets us in). */
import type { CoreState } from '../../src-main/rpc/contract.ts';

/** `gone`: nobody answers. `unauthorized`: the core runs, but this page was not opened through its own address. */
export type Trouble = 'gone' | 'unauthorized';

export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly trouble: Trouble };

/** Longer than any healthy core takes, short enough to notice that it hangs. */
const answerWithinMs = 5_000;

export async function fetchState(): Promise<Answer<CoreState>> {
  try {
    const response = await fetch('/rpc/state', { cache: 'no-store', signal: AbortSignal.timeout(answerWithinMs) });
    if (response.status === 401 || response.status === 403) return { ok: false, trouble: 'unauthorized' };
    if (!response.ok) return { ok: false, trouble: 'gone' };
    return { ok: true, value: (await response.json()) as CoreState };
  } catch {
    return { ok: false, trouble: 'gone' };
  }
}
