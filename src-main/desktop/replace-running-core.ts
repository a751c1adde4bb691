/** Makes the desktop app the one core of its home: one that was left running is asked to end, and waited for. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../core/base/errors.ts';

interface OtherCore {
  ask(method: 'stop', input: Record<string, never>): Promise<unknown>;
  close(): Promise<void>;
}

interface TakeOverDeps {
  /** Undefined when no core runs. Rejects with AppError where one does not let us in. */
  readonly find: () => Promise<OtherCore | undefined>;
  /** Opens our own listeners. Rejects with AppError `already_running` while another has them. */
  readonly listen: () => Promise<void>;
  /** Between two looks, in ms. */
  readonly pollMs?: number;
  readonly graceMs?: number;
}

/** Rejects with AppError `already_running` when the other core does not end. */
export async function replaceRunningCore({
  find,
  listen,
  pollMs = 100,
  graceMs = 10_000,
}: TakeOverDeps): Promise<void> {
  const deadline = Date.now() + graceMs;
  for (let isRequested = false; ;) {
    const other = await find();
    if (other === undefined) {
      if (await opened(listen)) return;
    } else {
      if (!isRequested) await other.ask('stop', {});
      isRequested = true;
      await other.close();
    }
    if (Date.now() > deadline) throw stillRunningError();
    await sleep(pollMs);
  }
}

async function opened(listen: () => Promise<void>): Promise<boolean> {
  try {
    await listen();
    return true;
  } catch (error) {
    // Another core started between the check and the attempt: it is asked as well.
    if (error instanceof AppError && error.code === 'already_running') return false;
    throw error;
  }
}

function stillRunningError(): AppError {
  return new AppError('already_running', 'Another Tooltray is running and could not be stopped.', {
    fix: 'Stop "tooltray serve" in its terminal, then start Tooltray again.',
  });
}
