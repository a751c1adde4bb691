/** The core's socket: serves MCP to shims, and RPC to the command line. */
import type { Socket } from 'node:net';
import type { CoreContext } from '../core/core-context.ts';
import type { ClientsGroup } from '../core/create-clients.ts';
import { AppError, toAppError } from '../core/base/errors.ts';
import { requireMode } from '../core/modes/mode-registry.ts';
import type { AuthInfo } from '../core/security/principal.ts';
import { rejectSession } from '../core/sessions/peer-session.ts';
import type { Endpoint } from '../core/sessions/views/endpoint.ts';
import { homeLockFile } from '../core/sessions/socket/home-lock.ts';
import { type Hello, SocketListener } from '../core/sessions/socket/socket-listener.ts';
import { Peer } from '../core/wire/peer.ts';
import { StreamTransport } from '../core/wire/stream-transport.ts';
import type { Transport } from '../core/wire/transport.ts';
import { dispatchRpc } from '../rpc/dispatch-rpc.ts';
import type { RpcDeps } from '../rpc/deps.ts';
import type { AppAccessControl } from './app-access.ts';

interface SocketServerOptions {
  readonly context: Pick<CoreContext, 'paths' | 'version' | 'config' | 'log'>;
  readonly clients: Pick<ClientsGroup, 'token' | 'budgets'>;
  /** Pending until the servers are known. */
  readonly starting: () => Promise<void> | undefined;
  readonly gate: AppAccessControl;
  /** Serves MCP on a transport until it ends; rejects with AppError `mode_unknown`. */
  readonly serve: (transport: Transport, endpoint: Endpoint, letIn: AuthInfo) => Promise<void>;
  /** Read per connection, because the app setup is created later than the socket. */
  readonly rpcDeps: () => RpcDeps;
  /** Restores the files that clients read before they connect. */
  readonly keepFiles: () => void;
}

export function createSocketServer(options: SocketServerOptions): SocketListener {
  const { paths, version, config, log } = options.context;
  return new SocketListener({
    socketPath: paths.socketPath,
    namesPipe: paths.namesPipe,
    lockFile: homeLockFile(paths.dataDir),
    token: options.clients.token,
    version,
    check: (hello) => {
      check(hello, config.path);
      if (hello.purpose === 'session') options.gate.admit(hello.app);
    },
    onConnection: (socket, hello, rest) => welcome(options, socket, hello, rest),
    onRefused: (error) => log.warn(error.text),
    keepFiles: options.keepFiles,
    onRestored: () => log.warn('The socket was removed by another program and was created again.'),
  });
}

/** Throws AppError if a shim requests something that this core cannot provide. */
function check({ mode, config }: Hello, own: string): void {
  if (mode !== undefined) requireMode(mode);
  if (config === undefined || config === own) return;
  throw new AppError('config_conflict', `The running Tooltray uses the configuration file ${own}, not ${config}.`, {
    fix: 'Omit --config, add --standalone, or set TOOLTRAY_HOME to a separate directory.',
  });
}

function welcome(options: SocketServerOptions, socket: Socket, hello: Hello, rest: Buffer): void {
  const { context, clients, starting, serve, rpcDeps } = options;
  const transport = new StreamTransport(socket, socket, { leftover: rest, budgets: clients.budgets });
  if (hello.purpose === 'control') {
    void (starting() ?? Promise.resolve()).then(() => serveControlClient(transport, rpcDeps()));
    return;
  }
  const { app, mode, profile, server } = hello;
  serve(transport, { app, mode, profile, server }, { credential: { kind: 'own line' } })
    .catch((error: unknown) => {
      const why = toAppError(error);
      context.log.warn(why.text, { error });
      // The connection was accepted, so the reason must be an MCP response to the first request.
      return rejectSession(transport, why);
    })
    .catch(() => socket.destroy());
}

function serveControlClient(transport: Transport, deps: RpcDeps): Promise<void> {
  const peer = new Peer(transport, {
    onRequest: (method, params, { signal }) => dispatchRpc(method, params, deps, signal),
    onNotification: () => undefined,
    onClose: () => undefined,
  });
  return peer.start();
}
