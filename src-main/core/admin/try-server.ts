/** Whether a server answers, found out on the line that everybody shares: nothing is started twice, no call is cut off. */
import { AppError, toAppError } from '../base/errors.ts';
import type { ManagedServer } from '../servers/managed-server.ts';

export interface ServerTrial {
  readonly name: string;
  readonly ok: boolean;
  readonly tools: number;
  /** Why not. */
  readonly error?: string;
}

/** A server that takes longer goes on starting; only the answer does not wait for it. */
const limitMs = 15_000;

/** Wakes it if it sleeps and reads its lists. Never rejects. */
export function testServer(server: ManagedServer): Promise<ServerTrial> {
  return trial(server, () => server.ready());
}

/** Tries one that is not there anew, without its back-off. Never rejects. */
export function retryServer(server: ManagedServer): Promise<ServerTrial> {
  // One that is ready may be at work for others.
  return trial(server, () => (server.state.kind === 'ready' ? server.ready() : server.retry()));
}

async function trial(server: ManagedServer, begin: () => Promise<void>): Promise<ServerTrial> {
  const { name } = server.config;
  try {
    await within(begin(), name);
    return { name, ok: true, tools: server.listing.tools.length };
  } catch (error) {
    return { name, ok: false, tools: 0, error: toAppError(error).text };
  }
}

async function within(work: Promise<void>, name: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new AppError('server_timeout', `${name} has not answered within ${limitMs / 1000} s.`, {
      fix: 'It is still being tried; look again later.',
    });
    timer = setTimeout(() => reject(error), limitMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
