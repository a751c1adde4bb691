/** Manages what client apps read in one project's folder: shows, connects, disconnects, imports. */
import type { AppAccessService } from './app-access-service.ts';
import { fileExists, knownApp, type Machine } from './app-files.ts';
import type { AppRow, InstallOutcome, InstallPreview, UninstallPreview } from './app-rows.ts';
import { loadAppStatus, appWarning } from './app-status.ts';
import type { AppChange, ChangeJournal } from './change-journal.ts';
import { findProjectApps, type FoundApp, inspectApp, runningProcesses } from './find-apps.ts';
import { type FoundOffers, type ImportOffer, findImportOffers, type ExistingServer } from './import-offers.ts';
import { type InstallDeps, installEntry, planInstall, planUninstall, uninstallEntries } from './install.ts';
import type { KnownApp, StdioLaunch } from './known-app.ts';
import { type TooltrayProgram, projectLaunches, sharedCommand } from './tooltray-launch.ts';
import { tokenInProjectError, resolveProjectFile, projectWarning } from './project-file.ts';

export interface ProjectSetupDeps {
  readonly machine: Machine;
  readonly own: TooltrayProgram;
  readonly journal: ChangeJournal;
  readonly access: Pick<AppAccessService, 'withAccess' | 'isRevoked'>;
  readonly here: () => Promise<readonly ExistingServer[]>;
  readonly tryLaunch: InstallDeps['tryLaunch'];
  /** Whether a command of that name is on the PATH. */
  readonly isOnPath: (command: string) => Promise<boolean>;
}

export class ProjectSetup {
  /** Absolute. */
  readonly folder: string;
  readonly #parts: ProjectSetupDeps;

  constructor(folder: string, parts: ProjectSetupDeps) {
    this.folder = folder;
    this.#parts = parts;
  }

  /** The apps that are installed or have a file in the project. */
  async apps(): Promise<readonly AppRow[]> {
    const found = (await this.#find()).filter(({ installed }) => installed);
    return Promise.all(found.map((one) => this.#row(one)));
  }

  /** Rejects with AppError unsupported, bad_request or not_allowed if the app has no file of its own in the project. */
  async previewInstall({
    app,
    http = false,
  }: {
    readonly app: string;
    readonly http?: boolean;
  }): Promise<InstallPreview> {
    if (http) throw tokenInProjectError();
    const found = await this.#require(app);
    const launch = await this.launchFor(found.app);
    const plan = await planInstall(found, launch, this.#parts.journal);
    const warning = [projectWarning(launch), appWarning(found)].filter((one) => one !== undefined).join(' ');
    return { ...plan, app: await this.#row(found), warning, split: false, splitReason: undefined };
  }

  async installApp({
    app,
    revision,
    http = false,
  }: {
    readonly app: string;
    readonly revision: string;
    readonly http?: boolean;
  }): Promise<InstallOutcome> {
    if (http) throw tokenInProjectError();
    const { journal, tryLaunch, access } = this.#parts;
    const found = await this.#require(app);
    const launch = await this.launchFor(found.app);
    const install = () => installEntry(found, launch, { journal, tryLaunch }, revision);
    const change = await access.withAccess(app, false, install);
    const { name, restart, projectRestart = restart } = found.app;
    return outcome(
      change,
      `${name} is connected in ${this.folder}. ${projectRestart}`,
      `${name} is already connected.`,
    );
  }

  async previewUninstall({ app }: { readonly app: string }): Promise<UninstallPreview> {
    return planUninstall(await this.#require(app), this.#parts.journal);
  }

  async uninstallApp({ app, revision }: { readonly app: string; readonly revision?: string }): Promise<InstallOutcome> {
    const found = await this.#require(app);
    const { name } = found.app;
    const change = await uninstallEntries(found, this.#parts.journal, revision);
    return outcome(change, `${name} is disconnected in ${this.folder}.`, `${name} had no Tooltray entry there.`);
  }

  /** The servers that the project's files define. */
  async offers(): Promise<readonly ImportOffer[]> {
    return (await this.found()).offers;
  }

  /** The same, with sentences about what cannot be imported. */
  async found(): Promise<FoundOffers> {
    const found = await this.#find();
    const areThere = await Promise.all(found.map(({ file }) => fileExists(file)));
    const { here, machine } = this.#parts;
    return findImportOffers(
      found.filter((_, index) => areThere[index]),
      await here(),
      machine,
    );
  }

  /** Returns the launch to install. */
  async launchFor(app: KnownApp): Promise<StdioLaunch> {
    return (await this.#launches(app))[0];
  }

  async #launches(app: KnownApp): Promise<readonly [StdioLaunch, ...StdioLaunch[]]> {
    const { own, isOnPath } = this.#parts;
    return projectLaunches(own, app, await isOnPath(sharedCommand));
  }

  async #find(): Promise<readonly FoundApp[]> {
    const { machine } = this.#parts;
    return findProjectApps(machine, await runningProcesses(machine.platform), this.folder);
  }

  async #require(id: string): Promise<FoundApp> {
    const { machine } = this.#parts;
    const place = await resolveProjectFile(machine, knownApp(id), this.folder);
    return inspectApp(place, machine, await runningProcesses(machine.platform));
  }

  async #row(found: FoundApp): Promise<AppRow> {
    const { app } = found;
    return {
      ...(await loadAppStatus(found, await this.#launches(app))),
      revoked: this.#parts.access.isRevoked(app.id),
    };
  }
}

function outcome(change: AppChange | undefined, done: string, nothing: string): InstallOutcome {
  if (change === undefined) return { sentence: nothing, backup: '', undo: '' };
  return { sentence: done, backup: change.backup, undo: change.id };
}
