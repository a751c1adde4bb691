/**
 * Which client apps may use Tooltray, as the user sees and decides it, and the addresses and tokens that an install
 * writes.
 */
import { AppError } from '../base/errors.ts';
import type { AppAccessStore } from '../security/app-access.ts';
import type { AccessRow, AppRow } from './app-rows.ts';
import { readAppServers } from './app-servers.ts';
import type { AppConfigFile } from './update-app-file.ts';
import type { HttpLaunch, AppLaunch, StdioLaunch } from './known-app.ts';
import { knownApps, clientDisplayName } from './known-apps.ts';
import { httpLaunch, unstablePortWarning, type HttpEndpoint, tokenIn } from './tooltray-launch.ts';

export interface AppAccessDeps {
  readonly store: AppAccessStore;
  /** Returns our current HTTP endpoint; undefined if there is none. */
  readonly address: () => Promise<HttpEndpoint | undefined>;
  /** Ends the app's sessions in the running core, if there is one. */
  readonly endSessions?: ((app: string, why: AppError) => Promise<void>) | undefined;
}

/** Placeholder for a token that is created when the entry is written. */
const tokenToCome = '***';

export class AppAccessService {
  readonly #parts: AppAccessDeps;

  constructor(parts: AppAccessDeps) {
    this.#parts = parts;
  }

  /** Returns the valid launches in this app's entry: its command, or its own address if it has a token. */
  async acceptedLaunches(
    app: string,
    own: readonly [StdioLaunch, ...StdioLaunch[]],
  ): Promise<readonly [AppLaunch, ...AppLaunch[]]> {
    const token = this.#tokenOf(app);
    const address = token === undefined ? undefined : await this.#parts.address();
    if (token === undefined || address === undefined) return own;
    const [first, ...others] = own;
    return [first, ...others, httpLaunch(address, app, token)];
  }

  /** Previews the launch that an install would write; its token may not exist yet. Throws AppError `unsupported`. */
  async previewLaunch(app: string): Promise<{ readonly launch: HttpLaunch; readonly warning: string | undefined }> {
    const address = await this.#parts.address();
    const launch = httpLaunch(address, app, this.#tokenOf(app) ?? tokenToCome);
    return { launch, warning: address && unstablePortWarning(address) };
  }

  /**
   * Grants the app access while `work` connects it, by an address of its own if `http`; a failure leaves its access
   * unchanged.
   */
  async withAccess<T>(app: string, http: boolean, work: (address: HttpLaunch | undefined) => Promise<T>): Promise<T> {
    const address = http ? await this.#parts.address() : undefined;
    const { token = '', takeBack } = await this.#parts.store.grant(app, http);
    try {
      return await work(http ? httpLaunch(address, app, token) : undefined);
    } catch (error) {
      await takeBack();
      throw error;
    }
  }

  isRevoked(app: string): boolean {
    return this.#parts.store.isRevoked(app);
  }

  /** Every app that is connected, was seen, or was revoked, by name. */
  rows(apps: readonly AppRow[]): readonly AccessRow[] {
    const stored = new Map(this.#parts.store.list().map((one) => [one.app, one]));
    const vias = new Map(apps.map(({ id, via }) => [id, via]));
    const ids = new Set([...apps.filter(({ via }) => via !== 'none').map(({ id }) => id), ...stored.keys()]);
    const rows = [...ids].map((app): AccessRow => {
      const { since, seen, revoked } = stored.get(app) ?? {};
      return { app, name: clientDisplayName(app), via: vias.get(app) ?? 'none', since, seen, revoked };
    });
    return rows.toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  }

  /** Resolves to the outcome in words. Rejects with AppError `not_found` for an unknown app. */
  async set(app: string, allowed: boolean, apps: readonly AppRow[]): Promise<string> {
    const { store, endSessions } = this.#parts;
    const name = clientDisplayName(app);
    // Access of a known app can be revoked before it ever connected.
    if (name === app && !this.rows(apps).some((row) => row.app === app)) throw unknownApp(app);
    if (allowed) {
      if (accessRefusal(store, app) === undefined) return `${name} already has access.`;
      await store.grant(app);
      return `${name} can use Tooltray again.`;
    }
    if (!(await store.revoke(app))) return `The access of ${name} is already revoked.`;
    await endSessions?.(app, accessRevokedError(app));
    return `The access of ${name} was revoked, and its sessions were closed.`;
  }

  /** Updates the tokens from the apps' files: an undo restores a token, an uninstall removes it. */
  async syncFromFiles(places: readonly AppConfigFile[]): Promise<void> {
    const { store } = this.#parts;
    for (const place of places) {
      const { id } = place.app;
      const { ours, problem } = await readAppServers(place);
      if (problem !== '') continue;
      const token = ours.map(({ launch }) => tokenIn(launch, id)).find((one) => one !== undefined);
      const given = store.list().find(({ app }) => app === id)?.since;
      if (ours.length === 0 && given !== undefined) await this.#disconnect(id);
      else if (ours.length > 0 && store.isDisconnected(id)) await store.grant(id);
      if (token !== this.#tokenOf(id)) await store.setToken(id, token);
    }
  }

  /** Called after the user disconnected the app: if its file has no entry of Tooltray left, its access is removed. */
  async disconnected(place: AppConfigFile): Promise<void> {
    const { ours, problem } = await readAppServers(place);
    if (problem === '' && ours.length === 0) await this.#disconnect(place.app.id);
  }

  /** Ends the sessions of known apps that have no access any more, as another process may have decided. */
  async endRefused(): Promise<void> {
    for (const { id } of knownApps) {
      const why = accessRefusal(this.#parts.store, id);
      if (why !== undefined) await this.#parts.endSessions?.(id, why);
    }
  }

  async #disconnect(app: string): Promise<void> {
    await this.#parts.store.disconnect(app);
    await this.#parts.endSessions?.(app, appDisconnectedError(app));
  }

  /** A token file that is not private counts as empty. */
  #tokenOf(app: string): string | undefined {
    try {
      return this.#parts.store.tokenOf(app);
    } catch {
      return undefined;
    }
  }
}

function unknownApp(app: string): AppError {
  return new AppError('not_found', `No client app called "${app}" has or had access to Tooltray.`, {
    fix: 'Run "tooltray apps" to list them.',
  });
}

/** The error for a client app that has no access because the user revoked it or disconnected the app. */
export function accessRefusal(store: AppAccessStore, app: string): AppError | undefined {
  if (store.isRevoked(app)) return accessRevokedError(app);
  return store.isDisconnected(app) ? appDisconnectedError(app) : undefined;
}

/** The error for a client app whose entry the user removed. */
function appDisconnectedError(app: string): AppError {
  return new AppError('not_allowed', `${clientDisplayName(app)} was disconnected from Tooltray.`, {
    fix: `To connect it again, run "tooltray install ${app}".`,
  });
}

/** The error for a client app whose access the user revoked. */
function accessRevokedError(app: string): AppError {
  const known = knownApps.find(({ id }) => id === app);
  const fix =
    known === undefined
      ? 'To restore it, choose Allow in the dashboard’s settings.'
      : `To restore it, run "tooltray install ${app}", or choose Allow in the dashboard’s settings.`;
  const message = `The access of ${clientDisplayName(app)} to Tooltray was revoked, so it cannot use any servers.`;
  return new AppError('not_allowed', message, { fix });
}
