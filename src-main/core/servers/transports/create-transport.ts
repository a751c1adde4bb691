/** The transport that a server's configuration asks for. */
import type { BuiltinServerConfig, HttpServerConfig, ServerConfig } from '../../config/app-config.ts';
import type { LineBudgets } from '../../wire/byte-budget.ts';
import type { Transport } from '../../wire/transport.ts';
import type { ProcessRegistry } from '../launch/process-registry.ts';
import type { EnvironmentResolver } from '../launch/resolve-environment.ts';
import type { SignIns } from '../sign-in/sign-ins.ts';
import type { HttpTransportOptions } from './http-line.ts';
import { LazyTransport } from './lazy-transport.ts';
import { adaptSdkTransport, type SdkTransport } from './memory-transport.ts';
import type { StderrLog } from './stderr-log.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface TransportDeps {
  readonly environment: EnvironmentResolver;
  readonly registry: ProcessRegistry;
  /** What this server says on stderr; it outlives the transport. */
  readonly stderr: StderrLog;
  /** Our own environment: proxies for servers over HTTP. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Without it nobody is signed in to servers over HTTP. */
  readonly signIns?: SignIns | undefined;
  /** Hides secrets in what servers over HTTP say when they fail. */
  readonly mask?: ((text: string) => string) | undefined;
  /** What all lines together may have of the memory. */
  readonly budgets?: LineBudgets | undefined;
  /** Starts a built-in server and gives our end of its line. */
  readonly connectBuiltin: (config: BuiltinServerConfig) => Promise<SdkTransport>;
}

/** A new, unstarted transport; each is used once. */
export function createTransport(config: ServerConfig, deps: TransportDeps): Transport {
  switch (config.kind) {
    case 'stdio':
      return new StdioTransport({ ...config, ...deps, env: config.env, serverName: config.name });
    case 'http':
      return new LazyTransport(async () => {
        const { HttpOrSseTransport } = await import('./http-or-sse-transport.ts');
        return new HttpOrSseTransport(httpOptions(config, deps));
      });
    case 'sse':
      return new LazyTransport(async () => {
        const { SseTransport } = await import('./sse-transport.ts');
        return new SseTransport(httpOptions(config, deps));
      });
    case 'builtin':
      return new LazyTransport(async () => adaptSdkTransport(await deps.connectBuiltin(config)));
  }
}

function httpOptions(config: HttpServerConfig, deps: TransportDeps): HttpTransportOptions {
  const { name, url, headers, maxMessageBytes } = config;
  const signIn = deps.signIns?.find(config);
  const { env, mask, budgets } = deps;
  return { serverName: name, url, headers, maxMessageBytes, env, mask, budgets, signIn };
}
