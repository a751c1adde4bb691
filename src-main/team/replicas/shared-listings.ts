/**
 * What servers list, as any replica last saw it: a digest of each in the database. Where one sees something else, the others read their
 * own again and tell whoever listens there, since the app that listens at one of them lists at another.
 */
import { createHash } from 'node:crypto';
import type { Sql } from 'postgres';
import { errorText } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/log.ts';
import type { Listing } from '../../core/servers/listing.ts';
import type { ServerManager } from '../../core/servers/server-manager.ts';
import { announce, type Change, type Changes } from '../database/changes.ts';

interface SharedListingsParts {
  readonly tenant: string;
  /** The tenant's connections. */
  readonly sql: Sql;
  readonly changes: Pick<Changes, 'changed'>;
  readonly servers: Pick<ServerManager, 'all' | 'find' | 'listingChanged'>;
  /** Tells every app that listens here that lists have changed. */
  readonly tell: () => void;
  readonly log: Pick<Log, 'warn'>;
}

/** A server's name follows. */
const topicStart = 'listing/';
/** Several servers are ready at about the same time, in ms. */
const gatherMs = 100;

export class SharedListings {
  readonly #parts: SharedListingsParts;
  readonly #digests = new WeakMap<Listing, string>();
  /** What was written of each server, or found to stand there. */
  readonly #told = new Map<string, string>();
  readonly #stops: readonly (() => void)[];
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(parts: SharedListingsParts) {
    this.#parts = parts;
    this.#stops = [
      parts.servers.listingChanged.on(() => this.#lookSoon()),
      parts.changes.changed.on((change) => this.#hear(change)),
    ];
    this.#lookSoon();
  }

  /** Resolves when nothing is being written any more. */
  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    clearTimeout(this.#timer);
    await this.#working;
  }

  #lookSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#then(() => this.#look());
    }, gatherMs);
  }

  /** One after the other; what fails is tried with the next change. */
  #then(work: () => Promise<void>): void {
    this.#working = this.#working
      .then(work)
      .catch((error: unknown) =>
        this.#parts.log.warn(`Lists were not compared with those of other replicas: ${errorText(error)}`),
      );
  }

  async #look(): Promise<void> {
    const { tenant, sql, servers } = this.#parts;
    for (const server of servers.all) {
      // What is known from before its start is nothing that it said.
      if (server.state.kind !== 'ready' || server.listedAt === undefined) continue;
      const { name } = server.config;
      const digest = this.#digestOf(server.listing);
      if (this.#told.get(name) === digest) continue;
      await sql.begin(async (work) => {
        const written = await work`
          INSERT INTO tooltray.listings (tenant, server, digest) VALUES (${tenant}, ${name}, ${digest})
          ON CONFLICT (tenant, server) DO UPDATE SET digest = excluded.digest
          WHERE listings.digest <> excluded.digest RETURNING server`;
        if (written.length > 0) await announce(work, tenant, topicStart + name);
      });
      this.#told.set(name, digest);
    }
  }

  #hear({ tenant, topic }: Change): void {
    if (tenant !== this.#parts.tenant || !topic.startsWith(topicStart)) return;
    this.#then(() => this.#compare(topic.slice(topicStart.length)));
  }

  /** Where this replica lists the same, its apps have been told by itself. */
  async #compare(name: string): Promise<void> {
    const { tenant, sql, servers, tell } = this.#parts;
    const server = servers.find(name);
    if (server === undefined) return;
    const [row] = await sql<{ digest: string }[]>`
      SELECT digest FROM tooltray.listings WHERE tenant = ${tenant} AND server = ${name}`;
    if (row === undefined || row.digest === this.#digestOf(server.listing)) return;
    server.listAgain();
    tell();
  }

  #digestOf(listing: Listing): string {
    const known = this.#digests.get(listing);
    if (known !== undefined) return known;
    const digest = createHash('sha256').update(JSON.stringify(listing)).digest('base64url');
    this.#digests.set(listing, digest);
    return digest;
  }
}
