/** Connects to a server once, on a line of its own, lists what it has, and ends the line: what `test`, `doctor` and `build-cache` do. */
import { join } from 'node:path';
import { type AppError, toAppError } from '../core/base/errors.ts';
import { Masker } from '../core/base/mask-secrets.ts';
import type { AppConfig, ServerConfig } from '../core/config/app-config.ts';
import { secretsOf } from '../core/config/secrets-of.ts';
import { Connection } from '../core/servers/connection.ts';
import type { Handshake } from '../core/servers/handshake.ts';
import { ProcessRegistry } from '../core/servers/launch/process-registry.ts';
import { EnvironmentResolver } from '../core/servers/launch/resolve-environment.ts';
import { fetchListing, type Listing } from '../core/servers/listing.ts';
import { SignIns } from '../core/servers/sign-in/sign-ins.ts';
import { StartSlots } from '../core/servers/start-slots.ts';
import { TransportFactory } from '../core/servers/transports/transport-factory.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { exitOnSignal } from './exit-on-signal.ts';
import { cliPaths } from './open-cli-config.ts';

export interface Answered {
  readonly server: ServerConfig;
  readonly handshake: Handshake;
  readonly listing: Listing;
  /** What was odd, as sentences. */
  readonly problems: readonly string[];
  /** From the start to the last page of its lists. */
  readonly ms: number;
}

export interface Failed {
  readonly server: ServerConfig;
  readonly error: AppError;
  /** Its last words on stderr, oldest first, secrets masked. */
  readonly stderr: readonly string[];
  readonly ms: number;
}

export type Probe = Answered | Failed;

const atOnce = 10;
const listTimeoutMs = 60_000;
const lastWords = 5;

/** Probes servers of `config`, ten at a time; the answers come in the order asked for. */
export async function probeServers(servers: readonly ServerConfig[], config: AppConfig): Promise<Probe[]> {
  exitOnSignal();
  const masker = new Masker(secretsOf(config));
  const mask = (text: string): string => masker.maskText(text);
  const registry = new ProcessRegistry();
  const environment = new EnvironmentResolver({ own: process.env });
  // A running core writes its servers' logs; ours go beside them.
  const logDir = join(cliPaths().logDir, 'probes');
  const signIns = new SignIns({ folder: join(cliPaths().dataDir, 'sign-ins'), env: process.env });
  signIns.secretsChanged.on(() => masker.setSecrets([...secretsOf(config), ...signIns.secrets]));
  const transports = new TransportFactory({ env: process.env, registry, environment, logDir, mask, signIns });
  const slots = new StartSlots(atOnce);
  try {
    return await Promise.all(servers.map((server) => slots.run(() => probe(server, transports))));
  } finally {
    signIns.close();
    registry.killAll();
    registry.dispose();
  }
}

async function probe(server: ServerConfig, transports: TransportFactory): Promise<Probe> {
  const started = performance.now();
  const elapsed = (): number => Math.round(performance.now() - started);
  const connection = connect(server, transports);
  try {
    const signal = new AbortController().signal;
    const handshake = await connection.open({ timeoutMs: server.initTimeoutMs, signal });
    const ask = (method: string, params: Record<string, unknown>) =>
      connection.request(method, params, undefined, { timeoutMs: listTimeoutMs });
    const { listing, problems } = await fetchListing(ask, handshake.capabilities);
    return { server, handshake, listing, problems: [...new Set(problems)], ms: elapsed() };
  } catch (error) {
    const ms = elapsed();
    await connection.close();
    return {
      server,
      error: toAppError(error, 'server_protocol'),
      stderr: transports.lastLines(server.name).slice(-lastWords),
      ms,
    };
  } finally {
    await connection.close();
  }
}

function connect(server: ServerConfig, transports: TransportFactory): Connection {
  return new Connection({
    transport: transports.create(server),
    identity: { clientInfo: { name: 'tooltray', title: 'Tooltray', version: packageJson.version }, capabilities: {} },
    http: server.kind === 'http' || server.kind === 'sse',
    callTimeoutMs: server.callTimeoutMs,
    events: {
      onClose: () => undefined,
      onOddity: () => undefined,
      onNotification: () => undefined,
      onAsk: () => undefined,
    },
  });
}
