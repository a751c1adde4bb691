/** Manages the client apps of this machine: detects, connects and disconnects them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { AppError } from '../base/errors.ts';
import { Emitter } from '../base/emitter.ts';
import type { JsonObject } from '../base/json.ts';
import { maskText } from '../base/mask.ts';
import { AppAccessService, type AppAccessDeps } from './app-access-service.ts';
import { fileExists, knownApp, type Machine } from './app-files.ts';
import { AppImports, type ChosenOffer } from './app-imports.ts';
import type {
  AccessRow,
  AppRow,
  InstallOutcome,
  InstallPreview,
  ImportableServer,
  UninstallPreview,
} from './app-rows.ts';
import { loadAppStatus, appWarning } from './app-status.ts';
import { appTraits } from './app-traits.ts';
import { type AppConfigFile, placesOf } from './update-app-file.ts';
import { type AppChange, ChangeJournal } from './change-journal.ts';
import { findApps, type FoundApp, runningProcesses } from './find-apps.ts';
import type { ExistingServer } from './import-offers.ts';
import { ImportHistory } from './import-history.ts';
import type { FileChange, ImportDeps, ImportOutcome } from './import-servers.ts';
import { insertEntry } from './tooltray-entry.ts';
import {
  installEntry,
  planInstall,
  planUninstall,
  type RestoredFiles,
  restoreFiles,
  uninstallEntries,
} from './install.ts';
import { entryName, type AppLaunch, type StdioLaunch } from './known-app.ts';
import { findAggregators } from './other-aggregators.ts';
import { tooltrayLaunches, type TooltrayProgram, repairEntries } from './tooltray-launch.ts';
import { type ProjectSetupDeps, ProjectSetup } from './project-setup.ts';
import { strictWarning } from './formats/strict-json.ts';
import { type Undoable, undoChange, listUndoable } from './undo-app-change.ts';

export interface AppSetupDeps {
  readonly machine: Machine;
  readonly own: TooltrayProgram;
  /** Starts what an app would start; resolves to the reason of a failure, or undefined. */
  readonly tryLaunch: (launch: AppLaunch) => Promise<string | undefined>;
  /** The servers of our config. */
  readonly here: () => Promise<readonly ExistingServer[]>;
  /** Names of the enabled servers of our config. */
  readonly enabledServers: () => readonly string[];
  readonly add: ImportDeps['add'];
  readonly remove: ImportDeps['remove'];
  readonly secrets: ImportDeps['secrets'];
  /** The current folder of the user; undefined if there is none. */
  readonly cwd?: string | undefined;
  readonly isOnPath: ProjectSetupDeps['isOnPath'];
  readonly access: AppAccessDeps;
}

interface InstallWish {
  readonly app: string;
  readonly http?: boolean;
  /** One entry per server instead of a single one; absent: keep what the app has. */
  readonly split?: boolean;
}

/** A request, with the revision of the file in its preview. */
interface ReviewedInstall extends InstallWish {
  readonly revision: string;
}

interface UninstallWish {
  readonly app: string;
  /** The revision from the preview; absent: the current file. */
  readonly revision?: string;
}

interface AccessWish {
  readonly app: string;
  readonly allowed: boolean;
}

interface ImportRequest {
  readonly servers: readonly ChosenOffer[];
  readonly move: boolean;
  readonly keepSecrets?: boolean;
}

/** Apps to connect, and servers to move out of them. */
interface SetupChoice {
  /** Ids of client apps. */
  readonly apps: readonly string[];
  readonly servers: readonly ChosenOffer[];
}

interface SetupRequest extends SetupChoice {
  readonly keepSecrets?: boolean;
}

interface Said {
  readonly sentence: string;
}

export class AppSetup {
  /** The import of their servers. */
  readonly imports: AppImports;
  readonly #parts: AppSetupDeps;
  readonly #access: AppAccessService;
  readonly #journal: ChangeJournal;
  readonly #records: ImportHistory;
  readonly #changed = new Emitter();
  readonly #watch = new OffersWatch(() => this.#forget());
  #found: Promise<readonly FoundApp[]> | undefined;
  #rows: Promise<readonly AppRow[]> | undefined;

  constructor(parts: AppSetupDeps) {
    const { own } = parts;
    this.#parts = parts;
    this.#access = new AppAccessService(parts.access);
    this.#journal = new ChangeJournal(join(own.dataDir, 'app-changes'));
    this.#records = new ImportHistory(join(own.dataDir, 'imports'));
    this.imports = new AppImports({
      deps: this.#importDeps(),
      here: parts.here,
      machine: parts.machine,
      others: () => findAggregators(parts.machine, parts.cwd),
      places: () => this.#places(),
      onDone: async (moved) => {
        if (moved) await this.#access.syncFromFiles(await this.#find());
        this.#forget();
      },
    });
  }

  apps(): Promise<readonly AppRow[]> {
    this.#rows ??= this.#readRows();
    return this.#rows;
  }

  async access(): Promise<readonly AccessRow[]> {
    return this.#access.rows(await this.apps());
  }

  async setAccess({ app, allowed }: AccessWish): Promise<Said> {
    const sentence = await this.#access.set(app, allowed, await this.apps());
    this.#forget();
    return { sentence };
  }

  onChange(listener: () => void): () => void {
    return this.#changed.on(listener);
  }

  /** Rejects with AppError `bad_request` for an address together with one entry per server. */
  async previewInstall(wish: InstallWish): Promise<InstallPreview> {
    const { app: id } = wish;
    const found = await this.#require(id);
    const row = await this.#row(found);
    const { http, servers } = this.#kindOf(wish, row);
    const address = http ? await this.#access.previewLaunch(id) : undefined;
    const plan = await planInstall(found, address?.launch ?? this.#launch(id), this.#journal, servers);
    const warnings = [appWarning(found), await strictWarning(found), address?.warning].filter(
      (one) => one !== undefined,
    );
    return {
      ...plan,
      snippet: http ? maskText(plan.snippet) : plan.snippet,
      app: row,
      warning: warnings.length === 0 ? undefined : warnings.join(' '),
      split: servers.length > 0,
      splitReason: splitReasonFor(row, this.#parts.enabledServers().length),
    };
  }

  async installApp({ revision, ...wish }: ReviewedInstall): Promise<InstallOutcome> {
    const { app: id } = wish;
    const found = await this.#require(id);
    const { http, servers } = this.#kindOf(wish, await this.#row(found));
    const nothing = this.#access.isRevoked(id) ? 'can use Tooltray again' : 'is already connected';
    const deps = { journal: this.#journal, tryLaunch: this.#parts.tryLaunch };
    const change = await this.#access.withAccess(id, http, (address) =>
      installEntry(found, address ?? this.#launch(id), deps, revision, servers),
    );
    await this.#access.syncFromFiles([found]);
    const unread = await strictWarning(found);
    const done = unread === undefined ? `is connected. ${found.app.restart}` : `has the entry. ${unread}`;
    return this.#outcome(found, change, `${found.app.name} ${done}`, nothing);
  }

  /** Previews `uninstallApp`. */
  async previewUninstall({ app: id }: { readonly app: string }): Promise<UninstallPreview> {
    return planUninstall(await this.#require(id), this.#journal);
  }

  async uninstallApp({ app: id, revision }: UninstallWish): Promise<InstallOutcome> {
    const found = await this.#require(id);
    const change = await uninstallEntries(found, this.#journal, revision);
    await this.#access.disconnected(found);
    return this.#outcome(found, change, `${found.app.name} is disconnected.`, 'had no Tooltray entry');
  }

  /** Disconnects every app and restores each file to its state before Tooltray changed it. */
  async disconnectAll(): Promise<RestoredFiles> {
    const places = await this.#places();
    const restored = await restoreFiles(places, this.#journal);
    for (const place of await this.#find()) await this.#access.disconnected(place);
    this.#forget();
    return restored;
  }

  async undoInstall({ undo }: { readonly undo: string }): Promise<{ readonly sentence: string }> {
    const sentence = undo.startsWith('import-') ? await this.imports.undo(undo) : await this.#undo(undo);
    await this.#access.syncFromFiles(await this.#find());
    this.#forget();
    return { sentence };
  }

  undoable(): Promise<readonly Undoable[]> {
    return listUndoable(this.#journal, this.#records);
  }

  /** Returns the setup for the absolute path `folder`. */
  inProject(folder: string): ProjectSetup {
    return new ProjectSetup(folder, { ...this.#parts, access: this.#access, journal: this.#journal });
  }

  async importableServers(): Promise<{ readonly servers: readonly ImportableServer[] }> {
    return { servers: await this.imports.describeOffers() };
  }

  offeredEntry(id: string): Promise<JsonObject> {
    return this.imports.entryOf(id);
  }

  importServers({ servers, move, keepSecrets = false }: ImportRequest): Promise<ImportOutcome> {
    return this.imports.importOffered(servers, { move, seal: keepSecrets });
  }

  /** Plans `applySetup`: the change of each app's file, secrets masked. Writes nothing. */
  async planSetup({ apps, servers }: SetupChoice): Promise<{ readonly files: readonly FileChange[] }> {
    return { files: await this.imports.plan(servers, await this.#filesOf(apps)) };
  }

  /**
   * Adds the servers here, removes them from the apps, and connects the apps, as one change that one Undo reverts.
   * Rejects with AppError `server_not_started`, and nothing changed, if the entry for the apps does not work.
   */
  async applySetup({ apps, servers, keepSecrets = false }: SetupRequest): Promise<ImportOutcome> {
    const places = await this.#filesOf(apps);
    const [app] = apps;
    const problem = app === undefined ? undefined : await this.#parts.tryLaunch(this.#launch(app));
    if (problem !== undefined) {
      throw new AppError('server_not_started', `The Tooltray entry for client apps did not work: ${problem}`, {
        fix: 'Nothing was changed. Run "tooltray doctor" to see why.',
      });
    }
    return this.imports.importOffered(servers, { move: true, seal: keepSecrets, places });
  }

  async manualEntry({ app, http }: Required<Pick<InstallWish, 'app' | 'http'>>): Promise<{ readonly entry: string }> {
    const launch = http
      ? await this.#access.withAccess(app, true, (address) => Promise.resolve(address ?? this.#launch(app)))
      : this.#launch(app);
    if (http) this.#forget();
    return { entry: JSON.stringify({ mcpServers: { [entryName]: launch } }, undefined, 2) };
  }

  /** Detects apps again, and ends the sessions of those that have no access any more. */
  async rescan(): Promise<Record<string, never>> {
    await this.#access.endRefused();
    this.#forget();
    await this.apps();
    return {};
  }

  /** Rewrites entries of Tooltray whose launch is gone. Resolves to the names of the apps. */
  async repair(onProblem: (place: AppConfigFile, error: unknown) => void): Promise<readonly string[]> {
    const changes = await repairEntries(await this.#places(), (app) => this.#launch(app), this.#journal, onProblem);
    if (changes.length > 0) this.#forget();
    return changes.map(({ app }) => knownApp(app).name);
  }

  /** Our own servers have changed, so which offered servers already exist has to be determined again. */
  configChanged(): void {
    // Apps with one entry per server may have too few or too many now.
    this.#rows = undefined;
    this.imports.invalidate();
    this.#changed.emit();
  }

  async close(): Promise<void> {
    await this.#watch.close();
  }

  #launch(app: string): StdioLaunch {
    return tooltrayLaunches(this.#parts.own, app)[0];
  }

  #find(): Promise<readonly FoundApp[]> {
    this.#found ??= runningProcesses(this.#parts.machine.platform).then((running) =>
      findApps(this.#parts.machine, running),
    );
    return this.#found;
  }

  async #require(id: string): Promise<FoundApp> {
    const found = (await this.#find()).find(({ app }) => app.id === knownApp(id).id);
    if (found !== undefined) return found;
    throw new AppError('unsupported', `${knownApp(id).name} is not available on this operating system.`);
  }

  async #places(): Promise<readonly FoundApp[]> {
    const found = (await this.#find()).flatMap((one) => placesOf(one).map((place) => ({ ...one, ...place })));
    const there = await Promise.all(found.map(({ file }) => fileExists(file)));
    return found.filter((_, index) => there[index]);
  }

  async #readRows(): Promise<readonly AppRow[]> {
    const found = (await this.#find()).filter(({ installed }) => installed);
    await this.#watch.follow(found.flatMap((one) => placesOf(one).map(({ file }) => file)));
    return Promise.all(found.map((one) => this.#row(one)));
  }

  /** Every existing config file of these apps; for an app without one, the first candidate. */
  async #filesOf(apps: readonly string[]): Promise<readonly AppConfigFile[]> {
    const found = await Promise.all(apps.map((id) => this.#require(id)));
    const files = await Promise.all(
      found.map(async (one) => {
        const places = placesOf(one);
        const exist = await Promise.all(places.map(({ file }) => fileExists(file)));
        const there = places.filter((_, index) => exist[index]);
        return there.length > 0 ? there : places.slice(0, 1);
      }),
    );
    return files.flat();
  }

  /** Settings that were not requested keep the app's value. */
  #kindOf(wish: InstallWish, row: AppRow): { readonly http: boolean; readonly servers: readonly string[] } {
    const http = wish.http ?? (row.via === 'http' && wish.split !== true);
    const split = wish.split ?? (!http && this.#isSplitByDefault(row));
    if (http && split) {
      throw new AppError('bad_request', 'An app has either one HTTP address or one entry per server.', {
        fix: 'Choose --http or --split.',
      });
    }
    return { http, servers: split ? this.#parts.enabledServers() : [] };
  }

  /** A connected app keeps its kind of entry. A new one that loads tools on demand gets one entry per server. */
  #isSplitByDefault({ id, split, connected }: AppRow): boolean {
    if (connected !== 'no') return split;
    return appTraits(id).defersTools && this.#parts.enabledServers().length > 1;
  }

  async #row(found: FoundApp): Promise<AppRow> {
    const { id } = found.app;
    const status = await loadAppStatus(
      found,
      await this.#access.acceptedLaunches(id, tooltrayLaunches(this.#parts.own, id)),
      this.#parts.enabledServers(),
    );
    return { ...status, revoked: this.#access.isRevoked(id) };
  }

  #importDeps(): ImportDeps {
    const { here, add, remove, secrets, access } = this.#parts;
    return {
      journal: this.#journal,
      records: this.#records,
      names: async () => (await here()).map(({ name }) => name),
      add,
      remove,
      secrets,
      grant: async ({ id }) => {
        await access.store.grant(id);
      },
      connect: async (text, { app, project }) => {
        const launch = project === undefined ? this.#launch(app.id) : await this.inProject(project).launchFor(app);
        return insertEntry(text, app, { launch });
      },
    };
  }

  #outcome({ app }: FoundApp, change: AppChange | undefined, done: string, nothing: string): InstallOutcome {
    this.#forget();
    if (change === undefined) return { sentence: `${app.name} ${nothing}.`, backup: '', undo: '' };
    return { sentence: done, backup: change.backup, undo: change.id };
  }

  async #undo(id: string): Promise<string> {
    const { file } = await undoChange(id, this.#journal);
    return `${file} was restored.`;
  }

  #forget(): void {
    this.#found = this.#rows = undefined;
    this.imports.invalidate();
    this.#changed.emit();
  }
}

/** Source: core/client-apps/app-traits.ts, measured or documented for each app. */
function splitReasonFor({ id, name }: AppRow, servers: number): string | undefined {
  if (!appTraits(id).defersTools || servers < 2) return undefined;
  return `${name} loads tools when it needs them and groups them by server: one entry per server lets it find them by the server's name and set permissions for each. That is ${servers} entries, each with a process of about ${shimMegabytes} MB; the servers themselves run once.`;
}

/** Memory of a shim that is not shared with others, in MB. Source: docs/decisions/0011-shim-without-node-flags.md. */
const shimMegabytes = 13;

// Watches the config files of client apps, so that servers added there later are offered, too.

/** Some apps write their file continuously, so a change counts after the file was unchanged for this long, in ms. */
const debounceMs = 500;

class OffersWatch {
  readonly #onChange: () => void;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #followed = '';

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Watches these files from now on, if they exist. Resolves when they are watched. */
  async follow(files: readonly string[]): Promise<void> {
    const there = files.filter(existsSync);
    if (there.join('\n') === this.#followed) return;
    await this.close();
    this.#followed = there.join('\n');
    const watcher = watch(there, { ignoreInitial: true, persistent: false });
    this.#watcher = watcher;
    // A file that cannot be watched is read on request.
    watcher.on('error', () => undefined);
    watcher.on('all', () => this.#soon());
    await new Promise<void>((resolve) => watcher.once('ready', () => resolve()));
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const watcher = this.#watcher;
    this.#watcher = undefined;
    this.#followed = '';
    await watcher?.close();
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onChange, debounceMs).unref();
  }
}
