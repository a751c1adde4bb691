/**
 * The only service through which models change servers, whatever tool they use: reading and retrying are free, every
 * change becomes a proposal (`changeRule`). `policy.agentChanges: "allow"` in the config lifts this; no call can. It
 * also manages approvals of edits of the config file by other programs.
 */
import { AppError } from '../base/errors.ts';
import { Emitter } from '../base/emitter.ts';
import { type JsonObject, mapTexts } from '../base/json.ts';
import type { HealCandidate } from '../client-apps/heal-candidates.ts';
import type { DescriptionStore } from '../condense/description-store.ts';
import { pendingEditsId } from '../config/config-approval.ts';
import type { ConfigProblem } from '../config/app-config.ts';
import type { LeaseHandle, ServerConfig } from '../config/server-config.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { mayLiftHold, assertReviewed } from '../config/server-holds.ts';
import { readConfigText } from '../config/update-config-file.ts';
import type { SecretService } from '../secrets/secret-service.ts';
import { userApp } from '../security/principal.ts';
import type { EnvironmentResolver } from '../servers/launch/resolve-environment.ts';
import { packageArgument } from '../trust/launch-change.ts';
import type { Showing } from '../trust/inbox/inbox.ts';
import type { ServerManager } from '../servers/server-manager.ts';
import { withDefaultSandbox, isWithinDefaultSandbox, isDefaultSandbox, changesSandbox } from './default-sandbox.ts';
import { checkEntries, type EntryCheck } from './check-entries.ts';
import { explainChanges, type ExplainedChange, explainEdits } from './explain-change.ts';
import {
  type ChangeAuthor,
  describeChange,
  describeEdits,
  editConfig,
  type Proposal,
  type ProposalStore,
  assertSensible,
  type ServerChange,
} from './server-change.ts';
import { type ServerSummary, summarizeServer } from './server-summary.ts';
import { revertEdit } from './revert-edit.ts';
import { type WakePolicy, type ServerProbe, testServer } from './probe-entry.ts';

export type ChangeOutcome =
  | { readonly kind: 'applied' }
  /** Pending: nothing has changed yet. */
  | { readonly kind: 'proposed'; readonly proposal: Proposal };

/** The methods available to models; excludes the user's decisions. */
export type ModelAdmin = Omit<ServerAdmin, 'approve' | 'reject' | 'explain' | 'proposals' | 'recordUserDecision'>;

interface ServerAdminParts {
  readonly config: ConfigStore;
  readonly servers: ServerManager;
  readonly proposals: ProposalStore;
  readonly environment: EnvironmentResolver;
  /** Returns the stderr lines of a server, oldest first, masked. */
  readonly lastLines: (server: string) => readonly string[];
  /** A launch configuration that the user could apply for a server that does not start, as a sentence. */
  readonly knownFix: (server: string) => string | undefined;
  /** The best launch configuration on this machine for a name without an entry. */
  readonly knownLaunch: (server: string) => Promise<HealCandidate | undefined>;
  readonly secrets: Pick<SecretService, 'sealEntry' | 'removeUnused' | 'valuesOf'>;
  readonly descriptions: Pick<DescriptionStore, 'save'>;
}

/** The user's choices for a proposal, or for a server in review. */
type PersonsChoice = 'approve' | 'reject' | 'accept' | 'refuse' | 'block' | 'look' | 'sign-out';

/** An event for the audit log: who requested or decided what, and the outcome. */
export interface AdminEvent {
  readonly author: ChangeAuthor;
  readonly what: string;
  readonly failure: unknown;
  /** The decision and who made it; absent if none was needed. */
  readonly decided?: {
    readonly id: string;
    readonly choice: 'asked' | 'done' | PersonsChoice;
    readonly by: 'client app' | 'policy' | 'person';
  };
}

export class ServerAdmin {
  /** Emits when a proposal was added or decided, in any process. */
  readonly proposalsChanged = new Emitter();
  readonly recorded = new Emitter<AdminEvent>();
  readonly #config: ConfigStore;
  readonly #servers: ServerManager;
  readonly #store: ProposalStore;
  readonly #environment: EnvironmentResolver;
  readonly #lastLines: (server: string) => readonly string[];
  readonly #knownFix: ServerAdminParts['knownFix'];
  readonly #knownLaunch: ServerAdminParts['knownLaunch'];
  readonly #secrets: ServerAdminParts['secrets'];
  readonly #descriptions: ServerAdminParts['descriptions'];
  readonly #asking = new WeakSet<ChangeAuthor>();
  #waitingSince = Date.now();

  constructor({ config, servers, proposals, environment, lastLines, ...parts }: ServerAdminParts) {
    this.#config = config;
    this.#servers = servers;
    this.#store = proposals;
    this.#environment = environment;
    this.#lastLines = lastLines;
    this.#knownFix = parts.knownFix;
    this.#knownLaunch = parts.knownLaunch;
    this.#secrets = parts.secrets;
    this.#descriptions = parts.descriptions;
    proposals.changed.on(() => this.proposalsChanged.emit());
    config.pendingEditsChanged.on(() => {
      this.#waitingSince = Date.now();
      this.proposalsChanged.emit();
    });
  }

  list(): readonly ServerSummary[] {
    return this.#servers.all.map((server, index) => summarizeServer(server, index, this.#configOf(server.config.name)));
  }

  get configPath(): string {
    return this.#config.path;
  }

  /** Whether each config entry can work; starts nothing. */
  async validate(): Promise<readonly EntryCheck[]> {
    const checks = await checkEntries(this.#config, this.#environment);
    return checks.map((check) => ({ ...check, detail: withHint(check.detail, this.#knownFix(check.name)) }));
  }

  /**
   * The launch configuration that another app or a bundle on this machine has for a server of this name; runs nothing.
   * Rejects with AppError `not_found`, also if the user disabled such launches (`heal: "off"`).
   */
  async findLaunch(server: string): Promise<HealCandidate> {
    const found = this.#config.current.heal === 'off' ? undefined : await this.#knownLaunch(server);
    if (found !== undefined) return found;
    throw new AppError('not_found', `No app or bundle on this machine has a server named '${server}'.`, {
      fix: "Set 'command' (for a local server) or 'base_url' (for a remote server).",
    });
  }

  /** Reads the config file again; resolves with its problems when the servers have been updated. */
  async reload(): Promise<readonly ConfigProblem[]> {
    await this.#config.reload();
    await this.#servers.apply(this.#config.current.servers);
    return this.#config.problems;
  }

  /** Whether a server responds, by default within 15 s. Throws AppError `server_not_found`. */
  async probe(server: string, rousing: WakePolicy, limitMs?: number): Promise<ServerProbe> {
    const trial = await testServer(this.#servers.get(server), rousing, limitMs);
    return trial.error === undefined ? trial : { ...trial, error: withHint(trial.error, this.#knownFix(server)) };
  }

  /** Returns at most `count` of the last stderr lines, oldest first, masked. Throws AppError `server_not_found`. */
  log(server: string, count: number): readonly string[] {
    this.#servers.get(server);
    return this.#lastLines(server).slice(-count);
  }

  /** Returns the proposals that await the user, in the order they should be seen. */
  async proposals(): Promise<readonly Proposal[]> {
    const edits = this.#foreignEdits();
    return [...(edits === undefined ? [] : [edits]), ...(await this.#store.all())];
  }

  /**
   * Requests a change. `sentence` replaces the change's own sentence for the user. Rejects with AppError
   * `not_allowed`, config_conflict (name taken), server_not_found, config_invalid, bad_request, session_limit.
   */
  async request(requested: ServerChange, author: ChangeAuthor, sentence?: string): Promise<ChangeOutcome> {
    const change = withDefaultSandbox(requested);
    const said = sentence ?? describeChange(change);
    try {
      const outcome = await this.#request([change], author, sentence);
      const became = outcome.kind === 'applied' ? 'Done' : `Proposed as ${outcome.proposal.id}`;
      const decided =
        outcome.kind === 'applied'
          ? ({ id: '', choice: 'done', by: 'policy' } as const)
          : ({ id: outcome.proposal.id, choice: 'asked', by: 'client app' } as const);
      this.recorded.emit({ author, what: `${became}: ${said}`, failure: undefined, decided });
      return outcome;
    } catch (failure) {
      this.recorded.emit({ author, what: `Refused: ${said}`, failure });
      throw failure;
    }
  }

  /** The user's approval. Rejects with AppError `not_found`, or `config_conflict` if an entry has changed. */
  async approve(id: string): Promise<void> {
    const edits = this.#foreignEdits();
    if (edits?.id === id) {
      await this.#config.approvePending(this.#config.pendingEdits);
      await this.#follow();
      return this.#noteDecision('approve', edits);
    }
    const proposal = await this.#store.take(id);
    try {
      this.#requireAsProposed(proposal);
      await this.#apply(proposal.changes, proposal.author);
    } catch (error) {
      await this.#removeSecrets(proposal);
      throw error;
    }
    this.#noteDecision('approve', proposal);
  }

  /**
   * The user's rejection; an edit of the config file is reverted. Rejects with AppError `not_found`,
   * `config_invalid`.
   */
  async reject(id: string): Promise<void> {
    const edits = this.#foreignEdits();
    if (edits?.id !== id) {
      const proposal = await this.#store.take(id);
      await this.#removeSecrets(proposal);
      return this.#noteDecision('reject', proposal);
    }
    const { pendingEdits } = this.#config;
    await this.#config.update((text) => pendingEdits.reduce(revertEdit, text));
    await this.#follow();
    this.#noteDecision('reject', edits);
  }

  /** Records a decision of the user. `choice`: the action in a word; `id`: of its subject. */
  recordUserDecision(choice: PersonsChoice, what: string, id: string): void {
    const author = { app: userApp, sessionId: 'person', tool: choice, mode: 'direct' };
    this.recorded.emit({ author, what, failure: undefined, decided: { id, choice, by: 'person' } });
  }

  /** Describes one proposal for the user. */
  async explain({ changes, id, secrets = [] }: Proposal, showing: Showing = {}): Promise<readonly ExplainedChange[]> {
    if (this.#foreignEdits()?.id === id) return explainEdits(this.#config.pendingEdits, showing);
    const values = showing.reveal === true ? await this.#secrets.valuesOf(secrets) : new Map<string, string>();
    const own = values.size === 0 ? changes : withValues(changes, values);
    return explainChanges(await readConfigText(this.configPath).catch(() => ''), own, showing);
  }

  /** Returns whether a call of this author has requested a change, whatever the outcome. */
  hasRequested(author: ChangeAuthor): boolean {
    return this.#asking.has(author);
  }

  async #request(
    changes: readonly ServerChange[],
    author: ChangeAuthor,
    sentence: string | undefined,
  ): Promise<ChangeOutcome> {
    this.#asking.add(author);
    for (const change of changes) {
      this.#requireAllowed(change);
      this.#check(change);
    }
    if (this.#isFree(changes) && !(await this.#givesSecrets(changes))) {
      await this.#apply(changes, author);
      // The author's next request sees the change. Another listener of the config may still be starting the servers.
      for (const { server } of changes) await this.#servers.find(server)?.start();
      return { kind: 'applied' };
    }
    return { kind: 'proposed', proposal: await this.#propose(changes, author, sentence) };
  }

  /** Stores only references; plain secrets go to the vault first. Rejects with AppError `secret_locked`. */
  async #propose(
    requested: readonly ServerChange[],
    author: ChangeAuthor,
    sentence: string | undefined,
  ): Promise<Proposal> {
    const bases = this.#basesOf(requested);
    const { changes, added } = await this.#withReferences(requested);
    try {
      return await this.#store.add({ author, changes, bases, sentence, secrets: added });
    } catch (error) {
      await this.#secrets.removeUnused(added);
      throw error;
    }
  }

  /** `added`: names of secrets that are new in the vault. */
  async #withReferences(
    requested: readonly ServerChange[],
  ): Promise<{ readonly changes: readonly ServerChange[]; readonly added: readonly string[] }> {
    const changes: ServerChange[] = [];
    const names: string[] = [];
    for (const change of requested) {
      const fields = change.kind === 'add' ? change.entry : change.kind === 'update' ? change.fields : {};
      const { entry, added } = await this.#secrets.sealEntry(
        change.server,
        fields,
        packageArgument(this.#whole(change)),
      );
      names.push(...added);
      if (change.kind === 'add') changes.push({ ...change, entry });
      else changes.push(change.kind === 'update' ? { ...change, fields: entry } : change);
    }
    return { changes, added: names };
  }

  /** Returns the launch that the change describes, with the current command. */
  #whole(change: ServerChange): JsonObject {
    if (change.kind === 'add') return change.entry;
    const config = this.#servers.find(change.server)?.config;
    return {
      ...(config?.kind === 'stdio' && { command: config.command }),
      ...(change.kind === 'update' && change.fields),
    };
  }

  /** Removes the secrets of an unmade proposal. */
  async #removeSecrets({ secrets = [] }: Proposal): Promise<void> {
    const others = JSON.stringify(await this.#store.all());
    await this.#secrets.removeUnused(secrets.filter((name) => !others.includes(`\${secret:${name}}`)));
  }

  /**
   * Whether the policy permits these changes without approval. A held server cannot be freed by removing and adding
   * it.
   */
  #isFree(changes: readonly ServerChange[]): boolean {
    if (this.#config.current.policy.agentChanges !== 'allow') return false;
    return changes.every((change) => {
      if (change.kind === 'disable') return true;
      if (this.#leavesBox(change)) return false;
      const staysHeld = change.kind === 'update' && !mayLiftHold(change.fields);
      return staysHeld || this.#heldOf(change.server) === undefined;
    });
  }

  /** Whether a secret would go to another program or address, which always requires the user's approval. */
  async #givesSecrets(changes: readonly ServerChange[]): Promise<boolean> {
    const text = await readConfigText(this.configPath).catch(() => '');
    const explained = explainChanges(text, changes);
    return explained.some(({ secrets }) => secrets.length > 0);
  }

  /** Whether a process would run, or could run afterwards, with more access than the user has granted it. */
  #leavesBox(change: ServerChange): boolean {
    if (change.kind === 'add') return !change.isFoundHere && !isWithinDefaultSandbox(change.entry);
    if (change.kind === 'update' && change.fields['inheritEnv'] !== undefined) return true;
    const server = this.#config.current.servers.find(({ name }) => name === change.server);
    if (server?.kind !== 'stdio' || server.isolate === undefined) return false;
    // Added again, it would be in the default sandbox.
    if (change.kind === 'remove') return !isDefaultSandbox(server.isolate);
    return change.kind === 'update' && changesSandbox(change.fields);
  }

  /** Returns the config edits by other programs as one proposal. */
  #foreignEdits(): Proposal | undefined {
    const { pendingEdits } = this.#config;
    if (pendingEdits.length === 0) return undefined;
    return {
      id: pendingEditsId(pendingEdits),
      at: this.#waitingSince,
      author: { app: '', sessionId: '', tool: '' },
      changes: [],
      sentence: describeEdits(pendingEdits),
      bases: {},
    };
  }

  #requireAsProposed({ changes, bases }: Proposal): void {
    for (const change of changes) this.#check(change);
    const now = this.#basesOf(changes);
    const other = Object.keys(now).find((server) => now[server] !== bases[server]);
    if (other === undefined) return;
    throw new AppError('config_conflict', `"${other}" has changed since this was proposed.`, {
      fix: 'The proposal was removed. Propose it again.',
    });
  }

  #noteDecision(tool: 'approve' | 'reject', { id, sentence, author }: Proposal): void {
    const done = tool === 'approve' ? 'Approved' : 'Rejected';
    const asker = author.app === '' ? '' : ` Requested by ${author.app} with ${author.tool}.`;
    this.recordUserDecision(tool, `${done} ${id}: ${sentence}${asker}`, id);
  }

  #configOf(server: string): ServerConfig {
    const { config } = this.#servers.get(server);
    return this.#config.current.servers.find(({ name }) => name === server) ?? config;
  }

  /** Throws AppError `not_allowed` if the user does not permit such changes. */
  #requireAllowed({ kind }: ServerChange): void {
    const { agentChanges, allowAdd, allowRemove } = this.#config.current.policy;
    if (agentChanges !== 'refuse' && (kind !== 'add' || allowAdd) && (kind !== 'remove' || allowRemove)) return;
    throw new AppError('not_allowed', 'The user has disabled changes by models.', {
      fix: 'Tell the user what to change; they can do it themselves.',
    });
  }

  #heldOf(server: string): LeaseHandle | undefined {
    const held = this.#config.current.servers.find(({ name }) => name === server)?.held;
    return held === 'setup' ? undefined : held;
  }

  #check(change: ServerChange): void {
    const { kind, server } = change;
    assertSensible(change);
    if (kind === 'add' && this.#config.current.servers.some(({ name }) => name === server)) {
      throw new AppError('config_conflict', `Server '${server}' already exists.`, {
        fix: 'Choose another name, or update it.',
      });
    }
    if (kind !== 'add') this.#servers.get(server);
    // A proposal would bypass the review.
    assertReviewed(this.#config.current.servers.find(({ name }) => name === server));
    if (!this.#config.pendingEdits.some((edit) => edit.kind === 'entry' && edit.server === server)) return;
    throw new AppError('config_conflict', `"${server}" was changed in the config file and waits for the user.`, {
      fix: `Ask the user to decide on that first: tooltray inbox approve ${pendingEditsId(this.#config.pendingEdits)}.`,
    });
  }

  #basesOf(changes: readonly ServerChange[]): Record<string, string | null> {
    return Object.fromEntries(changes.map(({ server }) => [server, this.#servers.find(server)?.config.hash ?? null]));
  }

  /** Writes the config, all or nothing; the servers then start in the background. */
  async #apply(requested: readonly ServerChange[], author: ChangeAuthor): Promise<void> {
    // Plain secrets of another app's entry are stored in the vault.
    const isFound = requested.some((change) => change.kind === 'add' && change.isFoundHere === true);
    const { changes } = isFound ? await this.#withReferences(requested) : { changes: requested };
    await this.#config.update((text) => changes.reduce((edited, change) => editConfig(edited, change), text));
    await this.#follow();
    for (const change of changes) if (change.kind === 'describe') await this.#describe(change, author);
  }

  async #describe(
    { server, texts }: ServerChange & { kind: 'describe' },
    { app, sessionId }: ChangeAuthor,
  ): Promise<void> {
    await this.#descriptions.save(server, new Map(Object.entries(texts)), `${app} (session ${sessionId})`);
  }

  async #follow(): Promise<void> {
    await this.#servers.apply(this.#config.current.servers);
  }
}

/** The changes with the values that the model gave, in place of the references to them. */
function withValues(changes: readonly ServerChange[], values: ReadonlyMap<string, string>): readonly ServerChange[] {
  return mapTexts(changes, (text) =>
    text.replace(/\$\{secret:([\w.-]+)\}/g, (whole, name: string) => values.get(name) ?? whole),
  ) as readonly ServerChange[];
}

function withHint(text: string, hint: string | undefined): string {
  return hint === undefined ? text : `${text} ${hint}`;
}
