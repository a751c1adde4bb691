/** The servers that client apps have of their own: offered, and brought over into our config. */
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
  /** Configs of products like ours. */
  readonly others: () => Promise<readonly AggregatorFile[]>;
  /** The apps that have a config file. */
  readonly places: () => Promise<readonly FoundApp[]>;
  /** Our config has other servers now, and where `moved` the apps' files are others. */
  readonly onDone: (moved: boolean) => Promise<void>;
}

/** An offer, and the name that its server gets. */
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

  /** With their entries, secrets and all: for this process alone. As they were found last. */
  async offers(): Promise<readonly ImportOffer[]> {
    return (await this.found()).offers;
  }

  /**
   * The same with what cannot be brought over, a sentence each: files that cannot be read, and entries, with the
   * reason.
   */
  found(): Promise<FoundOffers> {
    this.#found ??= this.#find();
    return this.#found;
  }

  /** The same for users. */
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

  /**
   * Takes an import back; resolves to what came of it, for users. Rejects with AppError `not_found`, `config_conflict`.
   */
  undo(id: string): Promise<string> {
    return undoImport(id, this.#parts.deps);
  }

  /** The apps' files or our own servers are others. */
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
    throw new AppError('not_found', `${name} is not offered any more: its app has changed its file.`, {
      fix: 'Look at the list again.',
    });
  }
}
