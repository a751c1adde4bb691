/** Makes the desktop app the only core: asks a running one to stop, and waits for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../core/base/errors.ts';

interface OtherCore {
  ask(method: 'stop', input: Record<string, never>): Promise<unknown>;
  close(): Promise<void>;
}

interface TakeOverDeps {
  /** undefined if no core runs. Rejects with AppError if one refuses the connection. */
  readonly find: () => Promise<OtherCore | undefined>;
  /** Opens our own listeners. Rejects with AppError `already_running` while another core has them. */
  readonly listen: () => Promise<void>;
  /** Polling interval in ms. */
  readonly pollMs?: number;
  readonly graceMs?: number;
}

/** Rejects with AppError `already_running` if the other core does not stop. */
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
    // Another core started between check and attempt: it is asked to stop as well.
    if (error instanceof AppError && error.code === 'already_running') return false;
    throw error;
  }
}

function stillRunningError(): AppError {
  return new AppError('already_running', 'Another Tooltray is running and could not be stopped.', {
    fix: 'Stop "tooltray serve" in its terminal, then start Tooltray again.',
  });
}
