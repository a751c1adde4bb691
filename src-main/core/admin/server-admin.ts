/**
 * The one service through which models change servers, whatever tool they use: reading is free, what the person must decide
 * becomes a proposal, the rest takes effect at once. `policy.agentChanges: "allow"` in the config lifts it; no call can.
 */
import { AppError } from '../base/errors.ts';
import { Event } from '../base/events.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { addServer, removeServer, setServerField } from '../config/edit-config.ts';
import type { ServerManager } from '../servers/server-manager.ts';
import type { Proposal, ProposalStore } from './proposal-store.ts';
import { type ChangeAuthor, needsPerson, type ServerChange } from './server-change.ts';
import { type ServerFacts, serverFacts } from './server-facts.ts';

export type ChangeOutcome =
  | { readonly kind: 'applied' }
  /** Nothing has changed yet. */
  | { readonly kind: 'proposed'; readonly proposal: Proposal };

export class ServerAdmin {
  /** Proposals were added, approved or rejected. */
  readonly proposalsChanged = new Event();
  readonly #config: ConfigStore;
  readonly #servers: ServerManager;
  readonly #store: ProposalStore;
  /** Servers a model switched off: it may switch them on again. */
  readonly #switchedOff = new Set<string>();

  constructor(config: ConfigStore, servers: ServerManager, store: ProposalStore) {
    this.#config = config;
    this.#servers = servers;
    this.#store = store;
  }

  list(): readonly ServerFacts[] {
    return this.#servers.all.map(serverFacts);
  }

  proposals(): Promise<readonly Proposal[]> {
    return this.#store.all();
  }

  /** Asks for a change. Rejects with AppError config_conflict (name taken), server_not_found, config_invalid. */
  async request(change: ServerChange, author: ChangeAuthor): Promise<ChangeOutcome> {
    this.#check(change);
    if (this.#isFree(change)) {
      await this.#apply(change);
      if (change.kind === 'disable') this.#switchedOff.add(change.server);
      return { kind: 'applied' };
    }
    const proposal = await this.#store.add(change, author, this.#servers.find(change.server)?.config.hash);
    this.proposalsChanged.emit();
    return { kind: 'proposed', proposal };
  }

  /** The person's yes. Rejects with AppError not_found, or config_conflict where the entry is not what it was. */
  async approve(id: string): Promise<Proposal> {
    const proposal = await this.#store.take(id);
    this.proposalsChanged.emit();
    this.#check(proposal.change);
    const now = this.#servers.find(proposal.change.server)?.config.hash;
    if (now !== proposal.baseHash) {
      throw new AppError('config_conflict', `"${proposal.change.server}" was changed since this was proposed.`, {
        fix: 'It was dropped; let it be proposed anew.',
      });
    }
    await this.#apply(proposal.change);
    return proposal;
  }

  /** The person's no. Rejects with AppError not_found. */
  async reject(id: string): Promise<Proposal> {
    const proposal = await this.#store.take(id);
    this.proposalsChanged.emit();
    return proposal;
  }

  #isFree(change: ServerChange): boolean {
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

  /** Writes the config, and waits until the servers follow: whoever asks next finds what it asked for. */
  async #apply(change: ServerChange): Promise<void> {
    await this.#config.update((text) => edit(text, change));
    await this.#servers.apply(this.#config.current.servers);
    if (change.kind !== 'disable') this.#switchedOff.delete(change.server);
  }
}

function edit(text: string, change: ServerChange): string {
  switch (change.kind) {
    case 'add':
      return addServer(text, change.server, change.entry);
    case 'remove':
      return removeServer(text, change.server);
    case 'update':
      return Object.entries(change.fields).reduce(
        (edited, [field, value]) => setServerField(edited, change.server, field, value === null ? undefined : value),
        text,
      );
    case 'enable':
      return setServerField(text, change.server, 'enabled', true);
    case 'disable':
      return setServerField(text, change.server, 'enabled', false);
  }
}
