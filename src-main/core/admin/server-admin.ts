/**
 * The one service through which models change servers, whatever tool they use: reading is free, what the person must decide
 * becomes a proposal, the rest takes effect at once. `policy.agentChanges: "allow"` in the config lifts it; no call can.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { AppError } from '../base/errors.ts';
import type { Event } from '../base/events.ts';
import type { JsonObject } from '../base/json.ts';
import type { ConfigProblem } from '../config/app-config.ts';
import type { ServerConfig } from '../config/app-config.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { addServer, removeServer } from '../config/edit-config.ts';
import { type EntryNotes, readEntryNotes } from '../config/entry-notes.ts';
import { type Hold, mayLift, switchServer } from '../config/holds.ts';
import { type Kit, readKits } from '../config/kits.ts';
import { readConfigText } from '../config/read-config-text.ts';
import { mergeServerField } from '../config/merge-server-field.ts';
import type { EnvironmentResolver } from '../servers/launch/resolve-environment.ts';
import type { ServerManager } from '../servers/server-manager.ts';
import { checkEntries, type EntryCheck } from './check-entries.ts';
import { checkNewEntry } from './check-new-entry.ts';
import type { Proposal, ProposalStore } from './proposal-store.ts';
import { type ChangeAuthor, needsPerson, type ServerChange } from './server-change.ts';
import { type ServerFacts, serverFacts } from './server-facts.ts';
import { type Rousing, type ServerTrial, tryServer } from './try-server.ts';

export type ChangeOutcome =
  | { readonly kind: 'applied' }
  /** Nothing has changed yet. */
  | { readonly kind: 'proposed'; readonly proposal: Proposal };

/** What is within a model's reach: never the person's word. */
export type ModelAdmin = Omit<ServerAdmin, 'approve' | 'reject'>;

export class ServerAdmin {
  readonly #config: ConfigStore;
  readonly #servers: ServerManager;
  readonly #store: ProposalStore;
  readonly #environment: EnvironmentResolver;
  readonly #lastLines: (server: string) => readonly string[];
  readonly #revisionKey = randomBytes(16);
  /** Servers a model switched off: it may switch them on again. */
  readonly #switchedOff = new Set<string>();

  /** `lastLines`: what a server said on stderr, oldest first, masked. */
  constructor(
    config: ConfigStore,
    servers: ServerManager,
    store: ProposalStore,
    environment: EnvironmentResolver,
    lastLines: (server: string) => readonly string[],
  ) {
    this.#config = config;
    this.#servers = servers;
    this.#store = store;
    this.#environment = environment;
    this.#lastLines = lastLines;
  }

  list(): readonly ServerFacts[] {
    return this.#servers.all.map((server, index) => serverFacts(server, index, this.#configOf(server.config.name)));
  }

  get configPath(): string {
    return this.#config.path;
  }

  /** Whether each entry of the config can work; starts nothing. */
  validate(): Promise<readonly EntryCheck[]> {
    return checkEntries(this.#config, this.#environment);
  }

  /** Whether an entry that is to be added can work; starts nothing. Rejects with AppError config_invalid or command_not_found. */
  checkNew(server: string, entry: JsonObject): Promise<void> {
    return checkNewEntry(server, entry, this.#config, this.#environment);
  }

  /** What the entries say for people and kits, by server. */
  async notes(): Promise<ReadonlyMap<string, EntryNotes>> {
    return readEntryNotes(await readConfigText(this.configPath).catch(() => ''));
  }

  /** The kits there are now. */
  kits(): Promise<readonly Kit[]> {
    return readKits(join(dirname(this.configPath), 'kit.d'));
  }

  /** Reads the config file again; resolves when the servers follow, with what is wrong in it. */
  async reload(): Promise<readonly ConfigProblem[]> {
    await this.#config.reload();
    await this.#servers.apply(this.#config.current.servers);
    return this.#config.problems;
  }

  /** Whether a server answers, in 15 s unless said otherwise. Throws AppError server_not_found. */
  try(server: string, rousing: Rousing, limitMs?: number): Promise<ServerTrial> {
    return tryServer(this.#servers.get(server), rousing, limitMs);
  }

  /** What a server said on stderr last, oldest first, masked; at most `count` lines. Throws AppError server_not_found. */
  log(server: string, count: number): readonly string[] {
    this.#servers.get(server);
    return this.#lastLines(server).slice(-count);
  }

  /**
   * Changes with everything that is configured of a server, and with the core: for whoever wants to change only what they
   * have seen. Keyed, because it covers secrets too. Throws AppError server_not_found.
   */
  revision(server: string): string {
    const { hash, enabled, description } = this.#configOf(server);
    const text = JSON.stringify([hash, enabled, description]);
    return createHmac('sha256', this.#revisionKey).update(text).digest('hex').slice(0, 12);
  }

  /** Proposals were added, approved or rejected, in whatever process. */
  get proposalsChanged(): Event {
    return this.#store.changed;
  }

  proposals(): Promise<readonly Proposal[]> {
    return this.#store.all();
  }

  /**
   * Asks for a change, or for several that are decided on together (a kit). `sentence` says what they are as a whole.
   * Rejects with AppError not_allowed, config_conflict (name taken), server_not_found, config_invalid, session_limit.
   */
  async request(
    asked: ServerChange | readonly ServerChange[],
    author: ChangeAuthor,
    sentence?: string,
  ): Promise<ChangeOutcome> {
    const changes = ('kind' in asked ? [asked] : asked).map((change) => this.#withLifts(change));
    for (const change of changes) {
      this.#requireAllowed(change);
      this.#check(change);
    }
    if (changes.every((change) => this.#isFree(change))) {
      await this.#apply(changes);
      for (const { kind, server } of changes) if (kind === 'disable') this.#switchedOff.add(server);
      return { kind: 'applied' };
    }
    const proposal = await this.#store.add({ author, changes, bases: this.#basesOf(changes), sentence });
    return { kind: 'proposed', proposal };
  }

  /** The person's yes. Rejects with AppError not_found, or config_conflict where an entry is not what it was. */
  async approve(id: string): Promise<Proposal> {
    const proposal = await this.#store.take(id);
    for (const change of proposal.changes) this.#check(change);
    const now = this.#basesOf(proposal.changes);
    const other = Object.keys(now).find((server) => now[server] !== proposal.bases[server]);
    if (other !== undefined) {
      throw new AppError('config_conflict', `"${other}" was changed since this was proposed.`, {
        fix: 'It was dropped; let it be proposed anew.',
      });
    }
    await this.#apply(proposal.changes);
    return proposal;
  }

  /** The person's no. Rejects with AppError not_found. */
  reject(id: string): Promise<Proposal> {
    return this.#store.take(id);
  }

  #configOf(server: string): ServerConfig {
    const { config } = this.#servers.get(server);
    return this.#config.current.servers.find(({ name }) => name === server) ?? config;
  }

  /** Throws AppError not_allowed where the person wants to hear of no such change. */
  #requireAllowed({ kind }: ServerChange): void {
    const { agentChanges, mayAdd, mayRemove } = this.#config.current.policy;
    if (agentChanges !== 'refuse' && (kind !== 'add' || mayAdd) && (kind !== 'remove' || mayRemove)) return;
    throw new AppError('not_allowed', 'The person has switched such changes by models off.', {
      fix: 'Tell them what you would change; they can do it themselves.',
    });
  }

  /** Switching on says what else it lifts, so that whoever agrees knows. */
  #withLifts(change: ServerChange): ServerChange {
    const held = change.kind === 'enable' ? this.#heldOf(change.server) : undefined;
    return change.kind !== 'enable' || held === undefined ? change : { ...change, lifts: held };
  }

  #heldOf(server: string): Hold | undefined {
    return this.#config.current.servers.find(({ name }) => name === server)?.held;
  }

  /** Whether it starts a server that waits for a person to agree, whatever models may do otherwise. */
  #lifts(change: ServerChange): boolean {
    if (change.kind === 'enable') return change.lifts !== undefined;
    const isHeld = this.#heldOf(change.server) !== undefined;
    return change.kind === 'update' && isHeld && mayLift(change.fields);
  }

  #isFree(change: ServerChange): boolean {
    if (this.#lifts(change)) return false;
    if (this.#config.current.policy.agentChanges === 'allow') return true;
    return !needsPerson(change) || (change.kind === 'enable' && this.#switchedOff.has(change.server));
  }

  #check({ kind, server }: ServerChange): void {
    if (kind !== 'add') this.#servers.get(server);
    else if (this.#servers.find(server) !== undefined) {
      throw new AppError('config_conflict', `Server '${server}' already exists.`, {
        fix: 'Choose another name, or update it.',
      });
    }
  }

  #basesOf(changes: readonly ServerChange[]): Record<string, string | null> {
    return Object.fromEntries(changes.map(({ server }) => [server, this.#servers.find(server)?.config.hash ?? null]));
  }

  /** Writes the config, all or nothing, and waits until the servers follow: whoever asks next finds what it asked for. */
  async #apply(changes: readonly ServerChange[]): Promise<void> {
    const { isolateCommands } = this.#config.current;
    await this.#config.update((text) =>
      changes.reduce((edited, change) => edit(edited, change, isolateCommands), text),
    );
    await this.#servers.apply(this.#config.current.servers);
    for (const { kind, server } of changes) {
      // Whoever follows the config may have been first to apply it, and is starting the server still.
      await this.#servers.find(server)?.start();
      if (kind !== 'disable') this.#switchedOff.delete(server);
    }
  }
}

function edit(text: string, change: ServerChange, isolateCommands: boolean): string {
  switch (change.kind) {
    case 'add':
      return addServer(text, change.server, change.entry);
    case 'remove':
      return removeServer(text, change.server);
    case 'update':
      return Object.entries(change.fields).reduce(
        (edited, [field, value]) => mergeServerField(edited, change.server, field, value),
        text,
      );
    case 'enable':
      return switchServer(text, change.server, true, isolateCommands);
    case 'disable':
      return switchServer(text, change.server, false, isolateCommands);
  }
}
