/**
 * Per-user connections of one replica to remote servers, each with the user's own OAuth tokens and settings, up to a
 * limit. Any replica can open one, because tokens are stored in the database. A connection closes on sign-out, on a
 * change of account, or after the idle timeout.
 */
import type {
  HttpServerConfig,
  Message,
  Person,
  PerUserAccess,
  SendOptions,
  Transport,
  TransportHandlers,
} from '../../core/edition.ts';
import { AppError } from '../../core/base/errors.ts';
import { formatCount } from '../../core/base/text-format.ts';
import type { TeamSignIns } from './team-sign-ins.ts';

interface UserConnectionsOptions {
  readonly signIns: Pick<TeamSignIns, 'of' | 'link' | 'changed'>;
  /** Creates an unstarted transport with the user's own values. */
  readonly transport: (config: HttpServerConfig, user: string) => Transport;
  /** Returns the idle timeout in ms. */
  readonly idleMs: () => number;
  /** Maximum number of open connections of all users on this replica. */
  readonly maxConnections: number;
}

export class UserConnections implements PerUserAccess {
  readonly #options: UserConnectionsOptions;
  #open = 0;

  constructor(options: UserConnectionsOptions) {
    this.#options = options;
  }

  get idleMs(): number {
    return this.#options.idleMs();
  }

  /** Returns the number of open connections. */
  get size(): number {
    return this.#open;
  }

  readonly connect: PerUserAccess['connect'] = (config, { user }) => {
    const { maxConnections: most, transport } = this.#options;
    if (this.#open >= most) {
      const open = formatCount(this.#open, 'connection');
      throw new AppError(
        'server_not_started',
        `${config.name}: this replica has reached its limit of ${open} for users.`,
        {
          fix: 'Idle connections are closed automatically. Try again in a few minutes, or add a replica.',
        },
      );
    }
    this.#open++;
    return new CountedTransport(transport(config, user), () => this.#open--);
  };

  readonly link: PerUserAccess['link'] = async (config, { user }, refused) => {
    const { signIns } = this.#options;
    const signIn = config.oauth?.tokenExchange === undefined ? signIns.of(user).find(config) : undefined;
    if (signIn === undefined) return undefined;
    await signIn.accessToken();
    // The user is already authenticated: signing in again helps only if scopes are missing.
    const isKnown = signIn.info.isSignedIn && refused.data?.['status'] === 403;
    if (isKnown && signIn.requestedScopes === undefined) return undefined;
    return signIns.link({ user, server: config.name, scopes: signIn.requestedScopes?.scopes });
  };

  readonly onSignedIn: PerUserAccess['onSignedIn'] = (config, { user }: Person, signal) => {
    const { signIns } = this.#options;
    const signIn = signIns.of(user).find(config);
    const signedIn = Promise.withResolvers<void>();
    const stop = signIns.changed.on((change) => {
      if (change.user === user && change.server === config.name && signIn?.info.isSignedIn === true) signedIn.resolve();
    });
    const giveUp = (): void => signedIn.reject(new AppError('cancelled', 'The request is no longer pending.'));
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
    return signedIn.promise.finally(() => {
      stop();
      signal.removeEventListener('abort', giveUp);
    });
  };
}

/** Invokes a callback once, when the transport closes or is closed before it was started. */
class CountedTransport implements Transport {
  readonly #transport: Transport;
  #onClose: (() => void) | undefined;

  constructor(inner: Transport, over: () => void) {
    this.#transport = inner;
    this.#onClose = over;
  }

  start(handlers: TransportHandlers): Promise<void> {
    return this.#transport.start({
      onMessage: (message, origin) => handlers.onMessage(message, origin),
      onWarning: (text) => handlers.onWarning(text),
      onClose: (error) => {
        this.#end();
        handlers.onClose(error);
      },
    });
  }

  send(message: Message, options?: SendOptions): Promise<void> {
    return this.#transport.send(message, options);
  }

  async close(): Promise<void> {
    await this.#transport.close();
    this.#end();
  }

  setProtocolVersion(version: string): void {
    this.#transport.setProtocolVersion?.(version);
  }

  setReadPaused(held: boolean): void {
    this.#transport.setReadPaused?.(held);
  }

  #end(): void {
    this.#onClose?.();
    this.#onClose = undefined;
  }
}
