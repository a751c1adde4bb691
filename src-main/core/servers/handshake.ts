/** Opens a connection, detects the server's protocol on it (never with a second process), and initializes it. */
import { AppError, type ErrorCode } from '../base/errors.ts';
import { type JsonObject, objectOrEmpty } from '../base/json.ts';
import { isObject } from '../base/json.ts';
import {
  type ClientIdentity,
  type ProtocolKind,
  latestStatefulVersion,
  statefulVersions,
  statelessVersion,
  withRequestMeta,
} from '../wire/protocol-kind.ts';
import { type Result, rpcCode, RpcError } from '../wire/message.ts';
import type { Peer } from '../wire/peer.ts';
import { toObject } from '../wire/raw-json.ts';
import { isNobodyThere } from './network/http-errors.ts';

export interface Handshake {
  readonly era: ProtocolKind;
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly serverInfo: JsonObject;
  readonly instructions: string | undefined;
  /** The whole result of `initialize` or `server/discover`, including unknown members. */
  readonly raw: JsonObject;
}

export interface HandshakeOptions {
  readonly identity: ClientIdentity;
  /** The protocol at an earlier start of the same config entry, which saves the probe. */
  readonly knownEra?: ProtocolKind | undefined;
  /** Uses only `initialize`: for a second connection to a server that supports both protocols. */
  readonly legacyOnly?: boolean | undefined;
  readonly timeoutMs: number;
  /** Whether the server is still being installed, which does not count towards the start timeout. */
  readonly isInstalling?: () => boolean;
  /** How long to wait for a response to `server/discover` before `initialize` is sent as well, in ms. */
  readonly probeSilenceMs?: number;
  readonly signal: AbortSignal;
  /**
   * Called if the connection ended or failed after an unanswered probe, because some servers exit if the first message
   * is not `initialize`. They are started with `initialize` from then on.
   */
  readonly onProbeEnded?: () => void;
  /** Called with the negotiated version before anything else is sent (HTTP puts it into a header). */
  readonly onVersion?: (version: string) => void;
}

const defaultProbeSilenceMs = 4000;

/**
 * Rejects with AppError: `server_timeout`, `server_protocol`, `server_unauthorized`, or the error that ended the
 * connection. Source: MCP 2026-07-28, basic/lifecycle (probe: any other response, or none, identifies a stateful
 * server).
 */
export async function performHandshake(peer: Peer, options: HandshakeOptions): Promise<Handshake> {
  const limit = new TimeLimit(options);
  const timeout = limit.signal;
  const signal = AbortSignal.any([options.signal, timeout]);
  try {
    await unlessAborted(() => peer.start(), signal);
    const greet = options.legacyOnly === true ? initialize : options.knownEra === 'legacy' ? greetKnown : probe;
    return await greet(peer, options, signal);
  } catch (error) {
    if (timeout.aborted)
      throw new AppError('server_timeout', `No response to the first request within ${options.timeoutMs / 1000} s.`, {
        fix: 'If it is only slow, raise initTimeoutSeconds in its entry.',
      });
    throw error;
  } finally {
    limit.stop();
  }
}

/** Interval of checks whether a server is still being installed, in ms. */
const installPollMs = 500;

/** Aborts its signal after the start timeout. */
class TimeLimit {
  readonly #controller = new AbortController();
  readonly #options: Pick<HandshakeOptions, 'timeoutMs' | 'isInstalling'>;
  #since = performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: Pick<HandshakeOptions, 'timeoutMs' | 'isInstalling'>) {
    this.#options = options;
    this.#look();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #look(): void {
    const { timeoutMs, isInstalling } = this.#options;
    const now = performance.now();
    const installs = isInstalling?.() === true;
    if (installs) this.#since = now;
    const left = this.#since + timeoutMs - now;
    if (left <= 0) return this.#controller.abort();
    const waitMs = isInstalling === undefined ? left : Math.min(left, installPollMs);
    this.#timer = setTimeout(() => this.#look(), Math.min(waitMs, 2 ** 31 - 1)).unref();
  }
}

/** Whether a server rejected `initialize`, as opposed to being unreachable or not started. */
export function isHandshakeRefusal(error: unknown): boolean {
  return error instanceof RpcError || isPlainRefusal(error);
}

/** A start can hang too, for example if a host accepts the connection and never responds. */
function unlessAborted(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new AppError('cancelled', `Cancelled: ${String(signal.reason)}.`));
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    void work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', giveUp));
  });
}

/** Uses the known protocol; the same command may start a newer release than before. */
async function greetKnown(peer: Peer, options: HandshakeOptions, signal: AbortSignal): Promise<Handshake> {
  try {
    return await initialize(peer, options, signal);
  } catch (error) {
    const discovered = error instanceof RpcError ? await discover(peer, options, signal) : undefined;
    if (discovered === undefined) throw error;
    return discovered;
  }
}

/** Sends `server/discover`. A server with any other response, or none, receives `initialize` on the same connection. */
async function probe(peer: Peer, options: HandshakeOptions, signal: AbortSignal): Promise<Handshake> {
  const silence = options.probeSilenceMs ?? defaultProbeSilenceMs;
  let isAnswered = false;
  const discovered = discover(peer, options, signal).then((found) => {
    isAnswered = true;
    return found;
  });
  try {
    const first = await Promise.race([
      discovered,
      new Promise<'silent'>((resolve) => setTimeout(resolve, silence, 'silent').unref()),
    ]);
    if (first !== 'silent') return first ?? (await initialize(peer, options, signal));
    const handshake = initialize(peer, options, signal);
    return (await Promise.race([discovered.then((found) => found ?? handshake), handshake])) ?? (await handshake);
  } catch (error) {
    if (!isAnswered && !options.signal.aborted) options.onProbeEnded?.();
    throw error;
  }
}

async function discover(peer: Peer, options: HandshakeOptions, signal: AbortSignal): Promise<Handshake | undefined> {
  const ask = (): Promise<Result> =>
    peer.request('server/discover', withRequestMeta({}, options.identity), { signal, cancelBy: 'signal' });
  let result: Result;
  try {
    // A server that rejects our version but names it is asked once more before older protocols.
    result = await ask().catch((error: unknown) => {
      if (namesOurVersion(error)) return ask();
      throw error;
    });
  } catch (error) {
    if (isLegacyAnswer(error)) return undefined;
    throw error;
  }
  const raw = toObject(result);
  const versions = Array.isArray(raw['supportedVersions']) ? (raw['supportedVersions'] as unknown[]) : [];
  if (!versions.includes(statelessVersion)) return undefined;
  options.onVersion?.(statelessVersion);
  const meta = objectOrEmpty(raw['_meta']);
  const info = raw['serverInfo'] ?? meta['io.modelcontextprotocol/serverInfo'];
  return describe('modern', statelessVersion, raw, objectOrEmpty(info));
}

async function initialize(peer: Peer, options: HandshakeOptions, signal: AbortSignal): Promise<Handshake> {
  const { clientInfo, capabilities } = options.identity;
  const params = { protocolVersion: latestStatefulVersion, capabilities, clientInfo };
  const raw = toObject(await peer.request('initialize', params, { signal, cancelBy: 'signal' }));
  const version = raw['protocolVersion'];
  if (typeof version !== 'string' || !statefulVersions.includes(version)) {
    throw new AppError(
      'server_protocol',
      `The server returned the unsupported protocol version ${JSON.stringify(version)}.`,
      {
        fix: 'Update the server or Tooltray.',
      },
    );
  }
  options.onVersion?.(version);
  // Over HTTP this opens the stream for server-initiated requests, so it must precede the first call.
  await peer.notifyAndFlush('notifications/initialized');
  return describe('legacy', version, raw, objectOrEmpty(raw['serverInfo']));
}

function describe(era: ProtocolKind, protocolVersion: string, raw: JsonObject, serverInfo: JsonObject): Handshake {
  const capabilities = objectOrEmpty(raw['capabilities']);
  const instructions = typeof raw['instructions'] === 'string' ? raw['instructions'] : undefined;
  return { era, protocolVersion, capabilities, serverInfo, instructions, raw };
}

function namesOurVersion(error: unknown): boolean {
  if (!(error instanceof RpcError) || error.code !== rpcCode.unsupportedProtocolVersion) return false;
  const supported = isObject(error.data) ? error.data['supported'] : undefined;
  return Array.isArray(supported) && supported.includes(statelessVersion);
}

/** Whether the probe's error identifies a stateful server: any error except the end of the connection. */
function isLegacyAnswer(error: unknown): boolean {
  if (!(error instanceof AppError)) return error instanceof RpcError;
  return statefulResponses.has(error.code) && !isNobodyThere(error);
}

const statefulResponses: ReadonlySet<ErrorCode> = new Set([
  'server_unreachable',
  'server_unauthorized',
  'server_protocol',
  'message_too_large',
]);

/** Over HTTP a stateful server rejects `server/discover` with a status, which is a response, not a failure. */
function isPlainRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code === 'server_unreachable' && typeof error.data?.['status'] === 'number';
}

/** Our identity on shared connections, with every capability that any client app may have. */
export function defaultClientIdentity(version: string): {
  clientInfo: Record<string, unknown>;
  capabilities: Record<string, unknown>;
} {
  return {
    clientInfo: { name: 'tooltray', title: 'Tooltray', version },
    capabilities: {
      roots: { listChanged: true },
      sampling: { tools: {}, context: {} },
      elicitation: { form: {}, url: {} },
    },
  };
}
