/** Starts the odd fixture server under a StdioTransport and collects its output. */
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Message, RpcFailure, RpcResult } from '../../../../src-main/core/wire/message.ts';
import { ProcessRegistry } from '../../../../src-main/core/servers/launch/process-registry.ts';
import { EnvironmentResolver } from '../../../../src-main/core/servers/launch/resolve-environment.ts';
import { ServerLog } from '../../../../src-main/core/servers/transports/server-log.ts';
import {
  StdioTransport,
  type StdioTransportOptions,
} from '../../../../src-main/core/servers/transports/stdio-transport.ts';

export const oddServer = fileURLToPath(new URL('../../../fixtures/stdio/odd-server.mjs', import.meta.url));

export interface Harness {
  readonly transport: StdioTransport;
  readonly stderr: ServerLog;
  readonly registry: ProcessRegistry;
  readonly oddities: string[];
  readonly messages: Message[];
  /** Resolves with the argument of onClose. */
  readonly closed: Promise<Error | undefined>;
  start(): Promise<void>;
  /** Sends a request and resolves with the response to its ID. */
  ask(method: string, params?: Record<string, unknown>): Promise<RpcResult | RpcFailure>;
}

export function stdioHarness(overrides: Partial<StdioTransportOptions> = {}): Harness {
  const stderr = overrides.log ?? new ServerLog({ mask: (text) => text });
  const registry = new ProcessRegistry();
  const transport = new StdioTransport({
    serverName: 'odd',
    command: process.execPath,
    args: [oddServer],
    env: {},
    inherited: [],
    cwd: undefined,
    maxMessageBytes: 512 * 1024 * 1024,
    environment: new EnvironmentResolver({
      own: { ...process.env, TERM: 'dumb', PATH: `/opt/x:${process.env['PATH']}` },
    }),
    registry,
    log: stderr,
    graceMs: 500,
    ...overrides,
  });
  const waiting = new Map<unknown, (answer: RpcResult | RpcFailure) => void>();
  const oddities: string[] = [];
  const messages: Message[] = [];
  let nextId = 0;
  let markClosed: (error: Error | undefined) => void;
  const closed = new Promise<Error | undefined>((resolve) => (markClosed = resolve));
  onTestFinished(async () => {
    await transport.close();
    registry.close();
  });
  return {
    transport,
    stderr,
    registry,
    oddities,
    messages,
    closed,
    start: async () => {
      await transport.start({
        onMessage: (message) => {
          messages.push(message);
          if ('id' in message && !('method' in message)) waiting.get(message.id)?.(message);
        },
        onClose: (error) => markClosed(error),
        onWarning: (text) => oddities.push(text),
      });
      // No handshake is done here; before it, output is limited.
      transport.setProtocolVersion();
    },
    ask: async (method, params = {}) => {
      const id = nextId++;
      const answer = new Promise<RpcResult | RpcFailure>((resolve) => waiting.set(id, resolve));
      await transport.send({ jsonrpc: '2.0', id, method, params });
      return answer;
    },
  };
}
