/** Connects to a server once on a separate connection, lists what it offers, and closes the connection. */
import { type AppError, toAppError } from '../base/errors.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { Connection } from './connection.ts';
import type { Handshake } from './handshake.ts';
import { fetchListing, type Listing } from './listing.ts';
import type { TransportFactory } from './transports/create-transport.ts';

export interface ProbeSuccess {
  readonly server: ServerConfig;
  readonly handshake: Handshake;
  readonly listing: Listing;
  /** Anomalies in sentences. */
  readonly problems: readonly string[];
  /** Duration from the start to the last page of the lists, in ms. */
  readonly ms: number;
}

export interface ProbeFailure {
  readonly server: ServerConfig;
  readonly error: AppError;
  /** The last lines of stderr, oldest first, with secrets masked. */
  readonly stderr: readonly string[];
  readonly ms: number;
}

export type ProbeResult = ProbeSuccess | ProbeFailure;

const lastWords = 5;

/** `downloading`: a package runner fetches the server. */
export type ProbeStage = 'starting' | 'downloading' | 'listing';

interface ProbeOptions {
  readonly signal?: AbortSignal;
  /** Called whenever the stage may have changed. */
  readonly onStage?: (stage: ProbeStage) => void;
}

const stagePollIntervalMs = 500;

/** `version`: our version, sent to the server. Never rejects. */
export async function probeConnection(
  server: ServerConfig,
  transports: TransportFactory,
  version: string,
  { signal = new AbortController().signal, onStage }: ProbeOptions = {},
): Promise<ProbeResult> {
  const started = performance.now();
  const elapsed = (): number => Math.round(performance.now() - started);
  const log = transports.log(server.name);
  // An earlier server with the same name may have logged lines.
  const saidBefore = log.lineCount;
  const connection = connect(server, transports, version);
  onStage?.('starting');
  const watch = onStage && setInterval(() => connection.isInstalling && onStage('downloading'), stagePollIntervalMs);
  try {
    const handshake = await connection.open({ timeoutMs: server.initTimeoutMs, signal });
    clearInterval(watch);
    onStage?.('listing');
    const ask = (method: string, params: Record<string, unknown>) =>
      connection.request(method, params, undefined, { timeoutMs: server.initTimeoutMs, signal });
    const { listing, problems } = await fetchListing(ask, handshake.capabilities);
    return { server, handshake, listing, problems: [...new Set(problems)], ms: elapsed() };
  } catch (error) {
    const ms = elapsed();
    await connection.close();
    return {
      server,
      error: toAppError(error, 'server_protocol'),
      stderr: log.linesSince(saidBefore, lastWords),
      ms,
    };
  } finally {
    clearInterval(watch);
    await connection.close();
  }
}

function connect(server: ServerConfig, transports: TransportFactory, version: string): Connection {
  return new Connection({
    server: server.name,
    transport: transports.create(server),
    identity: { clientInfo: { name: 'tooltray', title: 'Tooltray', version }, capabilities: {} },
    http: server.kind === 'http' || server.kind === 'sse',
    callTimeoutMs: server.callTimeoutMs,
    events: {
      onClose: () => undefined,
      onWarning: () => undefined,
      onNotification: () => undefined,
      onAsk: () => undefined,
    },
  });
}
