/** Tests a config entry in a temporary connection; writes nothing, and does not affect configured servers. */
import { AppError, toAppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { estimateTokens } from '../condense/estimate-tokens.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { ConfigStore } from '../config/config-store.ts';
import type { CallContext } from '../servers/in-flight-calls.ts';
import type { ManagedServer } from '../servers/managed-server.ts';
import { failureReason, type Remedy } from '../servers/launch/failure-reason.ts';
import { type ProbeStage, probeConnection } from '../servers/probe-connection.ts';
import type { TransportFactory } from '../servers/transports/create-transport.ts';
import { rpcCode, RpcError } from '../wire/message.ts';

export interface EntryProbe {
  readonly ok: boolean;
  /** The outcome, for the user. */
  readonly sentence: string;
  readonly tools: readonly string[];
  /** Estimated tokens of its whole tool list. */
  readonly listTokens: number;
  /** The reason in a few words after its name, and the fix; absent on success. */
  readonly failure?: { readonly reason: string; readonly fix: string };
  readonly tookMs: number;
  /** The last lines of a server that did not respond, oldest first, masked. */
  readonly stderr: readonly string[];
}

/** Keeps its log apart from that of the server which the entry may replace. */
const defaultTrialName = 'trial';

/** Rejects with AppError `config_invalid` for an invalid entry. */
export async function probeEntry(
  entry: JsonObject,
  {
    config,
    transports,
    version,
    onStage,
    trialName = defaultTrialName,
  }: {
    readonly config: ConfigStore;
    readonly transports: TransportFactory;
    readonly version: string;
    readonly onStage?: (stage: ProbeStage) => void;
    /** Concurrent probes need different names, because the name selects the log from which their output is read. */
    readonly trialName?: string;
  },
): Promise<EntryProbe> {
  const reading = config.parseText(
    JSON.stringify({ servers: { [trialName]: { ...entry, enabled: true, disabled: false } } }),
  );
  const [server] = reading.config?.servers ?? [];
  const problem = reading.problems.find(({ severity }) => severity === 'error');
  if (server === undefined || problem !== undefined) {
    throw new AppError('config_invalid', problem?.reason ?? 'This is not a valid server entry.', {
      ...(problem?.suggestion !== undefined && { fix: problem.suggestion }),
    });
  }
  const probe = await probeConnection(forgetful(server), transports, version, onStage && { onStage });
  const { ms: tookMs } = probe;
  if ('error' in probe) {
    const { error, stderr } = probe;
    const { words: reason, remedy } = failureReason(trialName, error);
    const failure = {
      reason,
      fix: error.code === 'server_exited' ? fixes[remedy] : (error.fix ?? '').replaceAll(trialName, 'NAME'),
    };
    return { ok: false, sentence: aboutIt(error.text, trialName), tools: [], listTokens: 0, failure, tookMs, stderr };
  }
  const tools = probe.listing.tools.map(({ name }) => String(name));
  const sentence = `It responded in ${tookMs} ms with ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}.`;
  return {
    ok: true,
    sentence: [sentence, ...probe.problems].join(' '),
    tools,
    listTokens: estimateTokens(probe.listing.tools),
    tookMs,
    stderr: [],
  };
}

/** Ensures that an unaccepted server leaves nothing behind that another server could find. */
function forgetful(server: ServerConfig): ServerConfig {
  if (server.kind !== 'stdio' || server.isolate === undefined) return server;
  return { ...server, isolate: { ...server.isolate, forgets: 'home' } };
}

/** Fixes for a program that exited. The fix text of its error assumes that the server is started again. */
const fixes: Readonly<Record<Remedy, string>> = {
  'set-value': 'Set the value once the server is added.',
  'edit-command': 'Check its command.',
  'edit-address': 'Check its address.',
  clear: 'Clear the npx folder, then retry.',
  retry: 'Retry, or start its command in a terminal to see why.',
};

/** Replaces the test's server name, which users do not know. */
function aboutIt(text: string, trialName: string): string {
  return text.replace(new RegExp(`^${trialName}: `), '').replace(new RegExp(`^${trialName}(?= )`), 'It');
}

/** Whether a server responds, tested on the shared connection: nothing is started twice, and no call is interrupted. */
export interface ServerProbe {
  readonly name: string;
  readonly ok: boolean;
  readonly status: 'healthy' | 'timeout' | 'error';
  readonly tools: number;
  /** The reason if it does not. */
  readonly error?: string;
  /** Whether it was asleep and not tested. */
  readonly asleep?: true;
}

/** How to treat a stopped server: leave it, start it as a call would, or start it without back-off. */
export type WakePolicy = 'leave' | 'wake' | 'retry';

/** A slower server continues to start, but the test does not wait for it. In ms. */
const defaultTimeoutMs = 15_000;

/** Never rejects. */
export async function testServer(
  server: ManagedServer,
  rousing: WakePolicy,
  limitMs: number = defaultTimeoutMs,
): Promise<ServerProbe> {
  const { name } = server.config;
  const limit = AbortSignal.timeout(limitMs);
  const healthy = (): ServerProbe => ({ name, ok: true, status: 'healthy', tools: server.listing.tools.length });
  if (rousing === 'leave' && server.state.kind === 'disconnected') return { ...healthy(), asleep: true };
  try {
    await untilAborted(rouse(server, rousing), limit);
    await server.request('tools/list', {}, trialContext(limit));
    return healthy();
  } catch (error) {
    // An error response also proves that the server responds.
    if (error instanceof RpcError) return healthy();
    if (!limit.aborted) return { name, ok: false, status: 'error', tools: 0, error: toAppError(error).text };
    return { name, ok: false, status: 'timeout', tools: 0, error: `No response within ${limitMs / 1000} s.` };
  }
}

async function rouse(server: ManagedServer, rousing: WakePolicy): Promise<void> {
  const { state } = server;
  if (rousing !== 'leave') {
    // A ready server may be in use by others.
    await (rousing === 'wake' || state.kind === 'ready' ? server.ready() : server.retry());
  } else if (state.kind === 'error' || state.kind === 'pending-sign-in') throw state.error;
}

async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(new AppError('cancelled', 'Timed out.'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([work, late]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function trialContext(signal: AbortSignal): CallContext {
  return {
    sessionId: 'trial',
    clientInfo: {},
    clientCapabilities: {},
    signal,
    onLog: () => undefined,
    askClient: () => Promise.reject(new RpcError(rpcCode.methodNotFound, 'User input is not available here.')),
    acceptsInputRequired: false,
  };
}
