/** The servers of client apps: offers them, and imports them into our config. */
import { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { Machine } from './app-files.ts';
import type { ImportableServer } from './app-rows.ts';
import type { FoundApp } from './find-apps.ts';
import { launchText } from './heal-candidates.ts';
import { maskedEntry } from '../trust/launch-change.ts';
import type { ImportedServer } from '../config/dialects/read-servers.ts';
import {
  type FoundOffers,
  offersFromServers,
  type ImportOffer,
  findImportOffers,
  type ExistingServer,
} from './import-offers.ts';
import { foundImportFiles } from './import-places.ts';
import {
  type FileChange,
  type ImportDeps,
  type ImportOutcome,
  importServers,
  planImport,
  type ImportOptions,
  type ImportRequest,
  undoImport,
} from './import-servers.ts';
import type { AppConfigFile } from './update-app-file.ts';
import type { AggregatorFile } from './other-aggregators.ts';

interface AppImportsParts {
  readonly deps: ImportDeps;
  /** The servers of our config. */
  readonly here: () => Promise<readonly ExistingServer[]>;
  readonly machine: Machine;
  /** Configs of similar products (aggregators). */
  readonly others: () => Promise<readonly AggregatorFile[]>;
  /** The apps that have a config file. */
  readonly places: () => Promise<readonly FoundApp[]>;
  /** Called after our config has changed, and after apps' files have changed if `moved`. */
  readonly onDone: (moved: boolean) => Promise<void>;
}

/** An offer, and the name for its server. */
export interface ChosenOffer {
  readonly id: string;
  readonly name: string;
}

export class AppImports {
  readonly #parts: AppImportsParts;
  #found: Promise<FoundOffers> | undefined;

  constructor(parts: AppImportsParts) {
    this.#parts = parts;
  }

  /** The latest offers, with entries and secrets: for this process only. */
  async offers(): Promise<readonly ImportOffer[]> {
    return (await this.found()).offers;
  }

  /** The same, with sentences about files and entries that cannot be imported, and why. */
  found(): Promise<FoundOffers> {
    this.#found ??= this.#find();
    return this.#found;
  }

  /** The same for display. */
  async describeOffers(): Promise<readonly ImportableServer[]> {
    return (await this.offers()).map(({ id, name, entry, places, sources, losses, secrets, sealable, already }) => ({
      id,
      name,
      app: [...new Set([...places.map(({ app }) => app.name), ...sources])].join(', '),
      apps: places.map(({ app }) => app.id),
      endpoint: launchText(maskedEntry(entry)),
      secrets,
      sealable,
      losses,
      already,
    }));
  }

  /** Rejects with AppError `not_found`. */
  async entryOf(id: string): Promise<JsonObject> {
    return (await this.#require(id, 'This server')).entry;
  }

  /** Offers for servers that come from no app. */
  async offersFrom(servers: readonly ImportedServer[]): Promise<readonly ImportOffer[]> {
    return offersFromServers(servers, await this.#parts.here());
  }

  /** Rejects with AppError `not_found`, `config_conflict`. */
  async importOffered(servers: readonly ChosenOffer[], way: ImportOptions): Promise<ImportOutcome> {
    return this.importRequested(await this.#requests(servers), way);
  }

  /** Plans the changes of these files; writes nothing. Rejects with AppError `not_found`. */
  async plan(servers: readonly ChosenOffer[], places: readonly AppConfigFile[]): Promise<readonly FileChange[]> {
    return planImport(await this.#requests(servers), places, this.#parts.deps);
  }

  /** Rejects with AppError `config_conflict`. */
  async importRequested(wishes: readonly ImportRequest[], way: ImportOptions): Promise<ImportOutcome> {
    const { deps, onDone } = this.#parts;
    const outcome = await importServers(wishes, way, deps);
    await onDone(way.move);
    return outcome;
  }

  /** Undoes an import; resolves to the outcome in words. Rejects with AppError `not_found`, `config_conflict`. */
  undo(id: string): Promise<string> {
    return undoImport(id, this.#parts.deps);
  }

  /** Called when the apps' files or our own servers have changed. */
  invalidate(): void {
    this.#found = undefined;
  }

  async #find(): Promise<FoundOffers> {
    const { places, here, machine, others, deps } = this.#parts;
    const apps = await places();
    const files = await foundImportFiles(machine, new Set(apps.map(({ file }) => file)));
    const known = await here();
    const { offers, skipped } = await findImportOffers(apps, known, machine, await others(), files);
    const added = await deps.records.addedOffers();
    const names = new Set(known.map(({ name }) => name));
    const already = ({ id, already: same }: ImportOffer): string | undefined => {
      const name = added.get(id);
      return same ?? (name !== undefined && names.has(name) ? name : undefined);
    };
    return { offers: offers.map((offer) => ({ ...offer, already: already(offer) })), skipped };
  }

  #requests(servers: readonly ChosenOffer[]): Promise<readonly ImportRequest[]> {
    return Promise.all(servers.map(async ({ id, name }) => ({ offer: await this.#require(id, name), name })));
  }

  async #require(id: string, name: string): Promise<ImportOffer> {
    const offer = (await this.offers()).find((one) => one.id === id);
    if (offer !== undefined) return offer;
    throw new AppError('not_found', `${name} is no longer offered, because its app changed its file.`, {
      fix: 'List the servers again.',
    });
  }
}
