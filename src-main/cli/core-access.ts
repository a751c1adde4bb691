/** Asks a core: the one that runs, or a private one for the time of a command. Commands cannot tell the difference. */
import { resolve } from 'node:path';
import type { RpcMethod, RpcMethods } from '../rpc/contract.ts';
import { findRunningCore } from './running-core.ts';

export interface CoreAccess {
  /** Rejects with AppError. */
  ask<M extends RpcMethod>(method: M, input: RpcMethods[M]['input']): Promise<RpcMethods[M]['output']>;
  close(): Promise<void>;
}

/** `config` is what `--config` said: a running core with another file is not the one that is meant. */
export async function withCore<T>(config: string | undefined, work: (core: CoreAccess) => Promise<T>): Promise<T> {
  const core = (await runningCoreFor(config)) ?? (await openPrivate(config));
  try {
    return await work(core);
  } finally {
    await core.close();
  }
}

/** The running core, if there is one and it uses that file. */
export async function runningCoreFor(config: string | undefined): Promise<CoreAccess | undefined> {
  const core = await findRunningCore();
  if (core === undefined || config === undefined) return core;
  const { home } = await core.ask('state', {});
  if (home === resolve(config)) return core;
  await core.close();
  return undefined;
}

async function openPrivate(config: string | undefined): Promise<CoreAccess> {
  // Loaded only here: it is the whole core.
  const { openPrivateCore } = await import('./private-core.ts');
  return openPrivateCore(config);
}
