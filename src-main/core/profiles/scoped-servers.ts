/** The servers of a profile, as if no others were configured. */
import { AppError } from '../base/errors.ts';
import { Emitter } from '../base/emitter.ts';
import type { ManagedServer } from '../servers/managed-server.ts';
import type { NamedNotification, ServerSet } from '../servers/server-manager.ts';
import type { ProfileScope } from './profile-scope.ts';

export class ScopedServers implements ServerSet {
  readonly changed: Emitter;
  readonly listingChanged: Emitter;
  readonly notified = new Emitter<NamedNotification>();
  readonly #servers: ServerSet;
  readonly #scope: ProfileScope;
  readonly #stop: () => void;

  constructor(servers: ServerSet, scope: ProfileScope) {
    this.#servers = servers;
    this.#scope = scope;
    // Listeners check again, with these servers only.
    this.changed = servers.changed;
    this.listingChanged = servers.listingChanged;
    this.#stop = servers.notified.on((notification) => {
      if (scope.hasServer(notification.server.config.name)) this.notified.emit(notification);
    });
  }

  /** Called when the last session has left. */
  end(): void {
    this.#stop();
  }

  get all(): readonly ManagedServer[] {
    return this.#servers.all.filter(({ config }) => this.#scope.hasServer(config.name));
  }

  get isConfigLoaded(): boolean {
    return this.#servers.isConfigLoaded;
  }

  find(name: string): ManagedServer | undefined {
    return this.#scope.hasServer(name) ? this.#servers.find(name) : undefined;
  }

  get(name: string): ManagedServer {
    const server = this.find(name);
    if (server !== undefined) return server;
    const names = this.all.map(({ config }) => config.name);
    throw new AppError('server_not_found', `There is no server named ${JSON.stringify(name)}.`, {
      fix: names.length === 0 ? 'This profile has none.' : `There are: ${names.join(', ')}.`,
      data: { available: names },
    });
  }

  pausedError(server: string): AppError | undefined {
    return this.#scope.hasServer(server) ? this.#servers.pausedError(server) : undefined;
  }
}
