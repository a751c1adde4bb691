/** Access to a core: the running one, or a private one for the duration of a command, with the same interface. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { resolveAppPaths, socketLocation } from '../core/base/app-paths.ts';
import { AppError, type ErrorCode, errorCodes } from '../core/base/errors.ts';
import { type JsonObject, objectOrEmpty } from '../core/base/json.ts';
import { homeIsHeld, HomeLock, homeLockFile } from '../core/sessions/socket/home-lock.ts';
import { rpcCode, RpcError } from '../core/wire/message.ts';
import { Peer } from '../core/wire/peer.ts';
import { toObject } from '../core/wire/raw-json.ts';
import { StreamTransport } from '../core/wire/stream-transport.ts';
import type { CoreAccess, StoreName } from '../rpc/contract.ts';
import { CoreNotRunningError, dial, type Link } from '../shim/dial.ts';
import { oneLine, paint } from './terminal.ts';

/** `config` is the value of `--config`: a running core that uses another file is ignored. */
export async function withCore<T>(config: string | undefined, work: (core: CoreAccess) => Promise<T>): Promise<T> {
  const core = (await runningCoreFor(config)) ?? (await openPrivate(config));
  try {
    return await work(core);
  } finally {
    await core.close();
  }
}

/** Warns on stderr if data of these stores is incomplete because they cannot be written. */
export async function warnOfStores(core: CoreAccess, ...stores: readonly StoreName[]): Promise<void> {
  const { storeProblems } = await core.ask('state', {});
  for (const { store, summary, fix } of storeProblems)
    if (stores.includes(store)) process.stderr.write(`${paint('bad', oneLine(`${summary} ${fix}`))}\n`);
}

/** The running core, if it uses that file. */
export async function runningCoreFor(config: string | undefined): Promise<CoreAccess | undefined> {
  const core = await findRunningCore();
  if (core === undefined || config === undefined) return core;
  const { home } = await core.ask('state', {});
  if (home === resolve(config)) return core;
  await core.close();
  return undefined;
}

/** Uses any running core, whatever its config. Rejects with AppError `not_found` if there is none. */
export async function withRunningCore<T>(
  absent: string,
  fix: string,
  work: (core: CoreAccess) => Promise<T>,
): Promise<T> {
  const core = await findRunningCore();
  if (core === undefined) throw new AppError('not_found', absent, { fix });
  try {
    return await work(core);
  } finally {
    await core.close();
  }
}

async function openPrivate(config: string | undefined): Promise<CoreAccess> {
  // Loaded on demand, because it is the whole core.
  const { openPrivateCore } = await import('./private-core.ts');
  return openPrivateCore(config);
}

/**
 * Connects to the running core's control socket; undefined if none runs. Rejects with AppError `not_allowed` if it
 * refuses the connection, and `already_running` if a core holds the lock but cannot be reached.
 */
export async function findRunningCore(): Promise<CoreAccess | undefined> {
  const link = await reachOrWait();
  if (link === undefined) return undefined;
  const { socket, rest } = link;
  const peer = new Peer(new StreamTransport(socket, socket, { leftover: rest }), {
    onRequest: (method) => Promise.reject(new RpcError(rpcCode.methodNotFound, `Method not found: ${method}`)),
    onNotification: () => undefined,
    onClose: () => undefined,
  });
  await peer.start();
  return {
    ask: async (method, input) => await request(peer, method, { ...input }),
    async close() {
      await peer.close();
      // Nothing is pending; waiting for the other side to close would only delay the exit.
      socket.destroySoon();
    },
  };
}

/** Time for a core to restore its removed socket or token, in ms. */
const restoreMs = 5_000;
const pollIntervalMs = 50;

async function reachOrWait(): Promise<Link | undefined> {
  const { dataDir } = resolveAppPaths(process.env, process.platform, homedir());
  const lockFile = homeLockFile(dataDir);
  for (const deadline = Date.now() + restoreMs; ; await sleep(pollIntervalMs)) {
    const link = await reach();
    if (link !== undefined || !existsSync(lockFile) || !HomeLock.isHeld(lockFile)) return link;
    if (Date.now() > deadline) throw homeIsHeld(lockFile);
  }
}

async function reach(): Promise<Link | undefined> {
  try {
    return await dial(socketLocation(process.env, process.platform, homedir()), { purpose: 'control' });
  } catch (cause) {
    if (cause instanceof CoreNotRunningError) return undefined;
    throw new AppError('not_allowed', (cause as Error).message, { cause });
  }
}

async function request(peer: Peer, method: string, input: JsonObject): Promise<JsonObject> {
  try {
    return toObject(await peer.request(method, input));
  } catch (error) {
    throw error instanceof RpcError ? toAppError(error) : gone(error);
  }
}

/** Errors of the core keep their code; an unknown method is reported as a version mismatch. */
function toAppError(error: RpcError): AppError {
  if (error.code === rpcCode.methodNotFound) {
    return new AppError(
      'unsupported',
      'The running Tooltray is a different version and does not support this command.',
      {
        fix: 'Restart Tooltray.',
        cause: error,
      },
    );
  }
  const { code, ...data } = objectOrEmpty(error.data);
  const known = errorCodes.find((one) => one === code);
  return new AppError(known ?? ('call_failed' satisfies ErrorCode), error.message, { data, cause: error });
}

function gone(cause: unknown): AppError {
  return new AppError('call_failed', 'Tooltray exited before responding.', { fix: 'Retry.', cause });
}
