/**
 * Repairs servers that do not start with launches found elsewhere on this machine. Another app's command runs only
 * after the user approved its source; a launch that works is written to the config, so that this happens once.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Env } from '../base/app-paths.ts';
import { AppError, type ErrorCode, errorText } from '../base/errors.ts';
import { Emitter } from '../base/emitter.ts';
import type { JsonObject } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import {
  endpointText,
  HealConsents,
  type HealCandidate,
  findHealCandidates,
  candidateKey,
  ownCommand,
} from '../client-apps/heal-candidates.ts';
import type { ReadValue } from '../trust/launch-change.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { secretNamesIn } from '../config/replace-variables.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { rawEntry } from '../config/edit-config.ts';
import { secretVaultKey } from '../secrets/resolve-secrets.ts';
import type { SecretService } from '../secrets/secret-service.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { findCommand } from '../servers/launch/find-command.ts';
import type { EnvironmentResolver } from '../servers/launch/resolve-environment.ts';
import type { ManagedServer } from '../servers/managed-server.ts';
import type { TransportFactory } from '../servers/transports/create-transport.ts';
import type { UserEdits } from './user-edits.ts';
import { type EntryProbe, probeEntry } from './probe-entry.ts';

interface HealingDeps {
  readonly consents: HealConsents;
  readonly policy: () => 'ask' | 'auto' | 'off';
  readonly servers: () => readonly ManagedServer[];
  /** Rejects if the config has no such server. */
  readonly writtenEntry: (server: string) => Promise<JsonObject>;
  readonly findOffers: (server: string, written: JsonObject) => Promise<readonly HealCandidate[]>;
  readonly tryEntry: (entry: JsonObject) => Promise<EntryProbe>;
  readonly save: (server: string, entry: JsonObject) => Promise<void>;
  readonly log: (text: string) => void;
}

const minFailures = 2;

interface HealOutcome {
  readonly server: string;
  readonly healed: boolean;
  /** A sentence about the outcome, or about why nothing was done. */
  readonly sentence: string;
}

export class SelfHealing {
  /** Emits when the offers change. */
  readonly changed = new Emitter();
  /** Emits when a server's launch was replaced; `policy`: without asking this time. */
  readonly applied = new Emitter<{
    readonly server: string;
    readonly sentence: string;
    readonly by: 'person' | 'policy';
  }>();
  readonly #deps: HealingDeps;
  #offers = new Map<string, readonly HealCandidate[]>();
  /** Hashes of examined entries, so that a failing server is examined once. */
  readonly #seen = new Map<string, string>();
  /** Number of failures that are required where one may be accidental. */
  #failuresAllowed = minFailures;
  #work: Promise<void> = Promise.resolve();
  /** A check that has not started yet: it will include everything that happens until then. */
  #next: Promise<void> | undefined;

  constructor(deps: HealingDeps) {
    this.#deps = deps;
  }

  /** The repairs that await approval, the best one per server. */
  get candidates(): readonly HealCandidate[] {
    return [...this.#offers.values()].flatMap((offers) => offers.slice(0, 1));
  }

  /** The best launch configuration on this machine for a name without an entry; runs nothing. */
  async findLaunch(server: string): Promise<HealCandidate | undefined> {
    return (await this.#deps.findOffers(server, {}))[0];
  }

  /**
   * A hint for models and users about a server that does not start: a known launch configuration awaits the user's
   * approval.
   */
  hintFor(server: string): string | undefined {
    const offer = this.#offers.get(server)?.[0];
    if (offer === undefined) return undefined;
    const from = offer.source.id === ownCommand.id ? 'its command, found elsewhere' : offer.source.title;
    return `${from} has another launch for it. The user can apply it: tooltray doctor --fix.`;
  }

  /** Examines every failing server again, on request of the user. Never rejects. */
  rescan(): Promise<void> {
    this.#seen.clear();
    this.#failuresAllowed = 1;
    return this.scan();
  }

  /** Examines failing servers that were not examined yet. Resolves when done; never rejects. */
  scan(): Promise<void> {
    this.#next ??= this.#work
      .then(() => {
        this.#next = undefined;
        return this.#inspectAll();
      })
      .catch((error: unknown) => this.#deps.log(errorText(error)));
    this.#work = this.#next;
    return this.#next;
  }

  /**
   * The user approves the offer for a server, and its source from now on. Tries the approved launches, the best first.
   * Rejects with AppError `not_found` if there is no offer.
   */
  async heal(server: string): Promise<HealOutcome> {
    const offers = this.#offers.get(server) ?? (await this.#find(server));
    const [best] = offers;
    if (best === undefined) {
      throw new AppError('not_found', `No launch for ${server} was found on this machine.`, {
        fix: 'Correct its entry in the config file.',
      });
    }
    await this.#deps.consents.grant(best.source.id);
    const outcome = await this.#tryAll(server, offers, best);
    if (outcome.healed) this.applied.emit({ ...outcome, by: 'person' });
    return outcome;
  }

  /** The user dismisses a launch, by the key of its offer: it is neither offered nor used. */
  async dismiss(offer: string): Promise<void> {
    await this.#deps.consents.setDismissed(offer, true);
    for (const [server, offers] of [...this.#offers]) {
      const others = offers.filter((one) => candidateKey(one) !== offer);
      if (others.length < offers.length) this.#setOffers(server, others);
    }
  }

  /** The user reverts a dismissal. Resolves after the servers were examined. */
  async restoreDismissed(offer: string): Promise<void> {
    await this.#deps.consents.setDismissed(offer, false);
    await this.rescan();
  }

  async #inspectAll(): Promise<void> {
    if (this.#deps.policy() === 'off') return;
    const tries = this.#failuresAllowed;
    this.#failuresAllowed = minFailures;
    const servers = this.#deps.servers();
    for (const name of [...this.#offers.keys()]) {
      const server = servers.find(({ config }) => config.name === name);
      if (server === undefined || isHelped(server)) this.#setOffers(name, []);
    }
    for (const server of servers) if (illnessOf(server, tries) !== undefined) await this.#inspect(server.config);
  }

  async #inspect({ name, hash }: ServerConfig): Promise<void> {
    if (this.#seen.get(name) === hash) return;
    this.#seen.set(name, hash);
    const offers = await this.#find(name);
    if (offers.length === 0) return;
    const { healed, sentence } = await this.#tryAll(name, offers);
    if (!healed) return;
    this.#deps.log(sentence);
    this.applied.emit({ server: name, sentence, by: 'policy' });
  }

  async #find(server: string): Promise<readonly HealCandidate[]> {
    const found = await this.#deps.findOffers(server, await this.#deps.writtenEntry(server));
    const unwanted = await this.#deps.consents.dismissed();
    const offers = found.filter((offer) => !unwanted.has(candidateKey(offer)));
    this.#setOffers(server, offers);
    return offers;
  }

  /** Tries the approved launches in order; the first that works is stored. Others stay offers. */
  async #tryAll(server: string, offers: readonly HealCandidate[], agreed?: HealCandidate): Promise<HealOutcome> {
    const waiting: HealCandidate[] = [];
    const failures: string[] = [];
    for (const offer of offers) {
      if (offer !== agreed && !(await this.#isAllowed(offer))) {
        waiting.push(offer);
        continue;
      }
      const trial = await this.#deps.tryEntry(offer.entry);
      if (trial.ok && trial.tools.length > 0) {
        await this.#deps.save(server, offer.entry);
        this.#setOffers(server, []);
        return { server, healed: true, sentence: healedText(offer, trial) };
      }
      failures.push(`${offer.source.title}: ${trial.ok ? 'The server has no tools.' : trial.sentence}`);
    }
    this.#setOffers(server, waiting);
    return { server, healed: false, sentence: unhealedText(server, waiting, failures) };
  }

  async #isAllowed({ source, entry, reach }: HealCandidate): Promise<boolean> {
    // A secret is passed to another program, and access to a server, only if the user approved that launch.
    if (secretNamesIn(entry).length > 0 || reach.length > 0) return false;
    return this.#deps.policy() === 'auto' || (await this.#deps.consents.has(source.id));
  }

  #setOffers(server: string, offers: readonly HealCandidate[]): void {
    const before = this.#offers.get(server) ?? [];
    if (before.length === 0 && offers.length === 0) return;
    if (offers.length === 0) this.#offers.delete(server);
    else this.#offers.set(server, offers);
    this.changed.emit();
  }
}

/** Whether no repair is needed, or none would help. A server that is just being retried counts as failing. */
function isHelped(server: ManagedServer): boolean {
  const isUndecided = ['disconnected', 'connecting', 'installing', 'discovering'].includes(server.state.kind);
  return !isUndecided && illnessOf(server, 1) === undefined;
}

/** Words the offer as a question for the user; additional access comes first. */
export function candidateQuestion({ server, source, file, endpoint, reach }: HealCandidate): string {
  if (source.id === ownCommand.id) return `The command of ${server} was found as ${endpoint}.`;
  const sentence = `${source.title} starts ${server} as ${endpoint}${file === undefined ? '' : ` (${file})`}.`;
  return reach.length === 0 ? sentence : ['A launch with more access is available.', ...reach, sentence].join(' ');
}

/** Says that a decision is pending; omits the entry, which may hold secrets. */
export function candidateHint({ source }: Pick<HealCandidate, 'source'>): string {
  return source.id === ownCommand.id ? 'Its command was found elsewhere.' : `${source.title} starts it differently.`;
}

/** Also written to the log. */
function healedText({ server, source, entry }: HealCandidate, { tools }: EntryProbe): string {
  const from = source.id === ownCommand.id ? 'its command, found elsewhere' : `the launch from ${source.title}`;
  const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`;
  return `${server} was repaired with ${from}: ${endpointText(entry)}. It returned ${count}, and the config file was updated.`;
}

function unhealedText(server: string, waiting: readonly HealCandidate[], failures: readonly string[]): string {
  const [next] = waiting;
  const tried = failures.length === 0 ? '' : `No alternative launch works for ${server}. ${failures.join(' ')}`;
  return [tried, next === undefined ? '' : candidateQuestion(next)].filter(Boolean).join(' ');
}

// Creates self-healing from the parts of a running core.

interface HealingParts {
  readonly config: ConfigStore;
  readonly env: Env;
  readonly environment: EnvironmentResolver;
  readonly transports: TransportFactory;
  readonly version: string;
  readonly edits: Pick<UserEdits, 'save'>;
  readonly secrets: Pick<SecretService, 'sealEntry'>;
  readonly vault: Pick<SecretStore, 'read'>;
  readonly servers: () => readonly ManagedServer[];
  readonly dataDir: string;
  readonly log: Pick<Log, 'info'>;
}

export function createSelfHealing(parts: HealingParts): SelfHealing {
  const { config, env, environment, transports, version, edits, secrets, vault, servers, log } = parts;
  const machine = { env, platform: process.platform, home: env['HOME'] ?? env['USERPROFILE'] ?? homedir() };
  return new SelfHealing({
    consents: new HealConsents(join(parts.dataDir, 'heal-consents.json')),
    policy: () => config.current.heal,
    servers,
    writtenEntry: async (server) => rawEntry(await config.text(), server),
    findOffers: (server, written) =>
      findHealCandidates(server, written, {
        machine,
        find: async (command, own) => findCommand(command, await environment.resolve(own)),
        readValue: valuesFrom(environment, vault),
      }),
    tryEntry: (entry) => probeEntry(entry, { config, transports, version }),
    // Plain secrets of another app's entry are stored in the vault.
    save: async (server, entry) => edits.save(server, (await secrets.sealEntry(server, entry)).entry, true),
    log: (text) => log.info(text),
  });
}

/** Reads values of placeholders from the login's environment and the vault, for comparisons. */
export function valuesFrom(environment: EnvironmentResolver, vault: Pick<SecretStore, 'read'>): ReadValue {
  return async (source, name) =>
    source === 'secret' ? vault.read(secretVaultKey(name)) : (await environment.resolve())[name];
}

// Decides whether another launch could repair a server.

/** Errors of the launch itself; any other failure may be accidental. */
const atOnce: ReadonlySet<ErrorCode> = new Set(['command_not_found', 'server_not_started', 'config_invalid']);
const perhapsChance: ReadonlySet<ErrorCode> = new Set([
  'server_exited',
  'server_protocol',
  'server_timeout',
  'server_unreachable',
]);

/**
 * The reason; undefined for a server that is ready, disabled, or waits for something else. `tries`: failures required
 * where one may be accidental.
 */
function illnessOf({ config, state, listing, listedAt }: ManagedServer, tries: number): string | undefined {
  if (!config.enabled || config.kind === 'builtin') return undefined;
  // A server that is being retried keeps its previous health.
  if ('failures' in state && state.error !== undefined) {
    const { code, text } = state.error;
    return atOnce.has(code) || (perhapsChance.has(code) && state.failures >= tries) ? text : undefined;
  }
  if (state.kind !== 'ready' || listedAt === undefined) return undefined;
  const { tools, resources, resourceTemplates, prompts } = listing;
  const offered = tools.length + resources.length + resourceTemplates.length + prompts.length;
  return offered === 0 ? 'The server responds but has no tools.' : undefined;
}
