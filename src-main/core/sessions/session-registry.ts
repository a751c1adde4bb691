/** All sessions: creates and ends them, and delivers their notifications. */
import { toText } from '../base/json.ts';
import { randomUUID } from 'node:crypto';
import { Emitter } from '../base/emitter.ts';
import type { CatalogChange, LiveCatalog } from '../catalog/live-catalog.ts';
import { isDeclared } from '../servers/extension-set.ts';
import type { NamedNotification, ServerManager } from '../servers/server-manager.ts';
import { Session, type SessionOptions } from './session.ts';
import { taskNotification } from './subscriptions.ts';
import { taskStatus, TaskNotifications } from './task-notifications.ts';
import { TasksByServer } from './views/server-tasks.ts';

export class SessionRegistry {
  readonly changed = new Emitter();
  /** Emits the id. */
  readonly ended = new Emitter<string>();
  /** Owners of the servers' tasks, over all sessions. */
  readonly serverTasks = new TasksByServer();
  readonly #sessions = new Map<string, Session>();
  readonly #servers: ServerManager;
  readonly #otherCatalogUsers: ((catalog: LiveCatalog) => boolean)[] = [];
  readonly #taskNotices = new TaskNotifications(() => this.all);

  constructor(servers: ServerManager, catalog: LiveCatalog) {
    this.#servers = servers;
    catalog.changed.on((change) => this.announce(catalog, change));
    servers.notified.on((notification) => this.#deliver(notification));
  }

  /** Notifies the sessions that use this catalog. */
  announce(catalog: LiveCatalog, change: CatalogChange): void {
    for (const session of this.#sessions.values()) if (session.view.catalog === catalog) session.announce(change);
  }

  /** Adds a check for clients without a session: whether one of them is shown a catalog now. */
  addCatalogUsers(useCatalog: (catalog: LiveCatalog) => boolean): void {
    this.#otherCatalogUsers.push(useCatalog);
  }

  /** Whether a client is shown the catalog now. */
  usesCatalog(catalog: LiveCatalog): boolean {
    return (
      this.all.some((session) => session.usesCatalog(catalog)) ||
      this.#otherCatalogUsers.some((useCatalog) => useCatalog(catalog))
    );
  }

  get all(): readonly Session[] {
    return [...this.#sessions.values()];
  }

  open(options: Omit<SessionOptions, 'id'> & { readonly id?: string }): Session {
    const session = new Session({ ...options, id: options.id ?? randomUUID() });
    this.#sessions.set(session.id, session);
    this.#servers.onUserSeen(session.person);
    this.changed.emit();
    return session;
  }

  async end(session: Session): Promise<void> {
    if (!this.#sessions.delete(session.id)) return;
    session.end();
    this.ended.emit(session.id);
    this.changed.emit();
    await this.#servers.endSession(session.id);
  }

  /** Delivers notifications that belong to no call: only to their session if it is known, never to all. */
  #deliver({ server, method, params, sessionId, person }: NamedNotification): void {
    const name = server.config.name;
    const declared = server.handshake?.capabilities;
    const shown = this.all.filter(
      (session) =>
        session.view.includesServer(server) &&
        (person === undefined || session.isOfPerson(person)) &&
        isDeclared(method, declared, session.capabilities),
    );
    if (method === 'notifications/resources/updated') {
      const uri = toText(params['uri']);
      const subscribers = sessionId === undefined ? server.subscribers(uri) : new Set([sessionId]);
      for (const session of shown.filter((one) => subscribers.has(one.id))) {
        session.notify(method, { ...params, uri: session.view.listedUri(name, uri) });
      }
      return;
    }
    if (method === taskNotification) {
      for (const session of shown) {
        const mapped = session.view.mapTaskNotification(name, params);
        if (mapped !== undefined) session.notify(method, mapped);
      }
    } else if (method === taskStatus) this.#taskNotices.deliver({ server, method, params, sessionId });
    else if (sessionId !== undefined) shown.find(({ id }) => id === sessionId)?.notify(method, params);
    else if (method === 'notifications/elicitation/complete') {
      shown.find((session) => session.knowsElicitation(params['elicitationId']))?.notify(method, params);
    } else if (shown.length === 1) shown[0]?.notify(method, params);
  }
}
