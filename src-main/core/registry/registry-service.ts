/** Lets the user preview, test and add servers from registries. Models have no access. */
import type { EntryProbe } from '../admin/probe-entry.ts';
import { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { maskPlaceholder } from '../base/mask.ts';
import { markInvisible } from '../base/visible-text.ts';
import type { SecretService } from '../secrets/secret-service.ts';
import { entryConsequences } from '../trust/inbox/entry-consequences.ts';
import type { Consequence } from '../trust/inbox/inbox-item.ts';
import { validateInputs, type InputProblem, type InputValues, secretInputValues, buildEntry } from './build-entry.ts';
import type { LaunchPlan, ParsedOption } from './parse-option.ts';
import type { Registries } from './registries.ts';
import { uniqueName, type RegistryServer } from './registry-server.ts';

/** The server, the install option, and the user's inputs. */
export interface InstallRequest {
  readonly registry?: string | undefined;
  readonly server: string;
  /** The exact version that was shown, because a registry may have a newer one. */
  readonly version: string;
  /** Id of the option. */
  readonly option: string;
  readonly inputs: InputValues;
}

/** The exact command or address that would be used; secrets as `***`. */
export interface InstallPreviewDetails {
  /** The command line, one item per word, or the address alone. */
  readonly words: readonly string[];
  readonly variables: readonly { readonly name: string; readonly value: string }[];
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly meanings: readonly Consequence[];
  readonly problems: readonly InputProblem[];
}

export type AddServerOutcome =
  | { readonly kind: 'added'; readonly name: string; readonly inReview: boolean; readonly trial?: EntryProbe }
  /** The connection test failed, so nothing was stored. */
  | { readonly kind: 'failed'; readonly trial: EntryProbe };

interface ServiceDeps {
  readonly registries: Registries;
  readonly secrets: Pick<SecretService, 'sealValue' | 'remove'>;
  /** Names in use. */
  readonly names: () => readonly string[];
  /** Starts it once. */
  readonly tryEntry: (entry: JsonObject) => Promise<EntryProbe>;
  /** Rejects with AppError `config_conflict` if the name is taken. */
  readonly save: (name: string, entry: JsonObject) => Promise<void>;
}

interface Chosen {
  readonly registry: string;
  readonly server: RegistryServer;
  readonly option: ParsedOption & { readonly plan: LaunchPlan };
}

export class RegistryService {
  readonly registries: Registries;
  readonly #parts: ServiceDeps;

  constructor(parts: ServiceDeps) {
    this.registries = parts.registries;
    this.#parts = parts;
  }

  /** Returns an available name for it in the config. */
  nameFor(server: string): string {
    return uniqueName(server, this.#parts.names());
  }

  /** Rejects with AppError `registry_failed`, `not_found`, unsupported. */
  async preview(choice: InstallRequest, signal: AbortSignal): Promise<InstallPreviewDetails> {
    const chosen = await this.#find(choice, signal);
    const entry = entryOf(chosen, choice.inputs, () => maskPlaceholder);
    const named = entryOf(
      chosen,
      choice.inputs,
      ({ label }) => `\${secret:${label.replace(/[^A-Za-z0-9_.-]+/g, '_')}}`,
    );
    const { command, args = [], url, env, headers } = entry;
    return {
      words: (command === undefined ? [url] : [command, ...(args as string[])]).map((word) =>
        markInvisible(String(word)),
      ),
      variables: pairsOf(env),
      headers: pairsOf(headers),
      meanings: entryConsequences(undefined, named),
      problems: validateInputs(chosen.option, choice.inputs),
    };
  }

  /**
   * Starts it once; nothing is stored. Rejects with AppError `bad_request` if an input is missing, secret_locked, and
   * as preview.
   */
  async probe(choice: InstallRequest, signal: AbortSignal): Promise<EntryProbe> {
    const chosen = await this.#ready(choice, signal);
    const stored = await this.#keepSecrets(chosen, choice.inputs, 'trial');
    try {
      return await this.#parts.tryEntry(entryOf(chosen, choice.inputs, stored.secretOf));
    } finally {
      await this.#forget(stored.isNew);
    }
  }

  /**
   * Tests and stores it. `untested`: stored without a test, and in review. A
   * secret is in the vault before anything is started with it, and is removed if the server is not stored. Rejects as
   * `probe`, or with `config_conflict`.
   */
  async add(choice: InstallRequest, name: string, untested: boolean, signal: AbortSignal): Promise<AddServerOutcome> {
    const chosen = await this.#ready(choice, signal);
    requireFree(name, this.#parts.names());
    const stored = await this.#keepSecrets(chosen, choice.inputs, name);
    let isStored = false;
    try {
      const entry = entryOf(chosen, choice.inputs, stored.secretOf);
      const trial = untested ? undefined : await this.#parts.tryEntry(entry);
      if (trial?.ok === false) return { kind: 'failed', trial };
      await this.#parts.save(name, untested ? { ...entry, quarantined: true } : entry);
      isStored = true;
      return { kind: 'added', name, inReview: untested, ...(trial && { trial }) };
    } finally {
      if (!isStored) await this.#forget(stored.isNew);
    }
  }

  async #find({ registry, server: name, version, option: id }: InstallRequest, signal: AbortSignal): Promise<Chosen> {
    const found = await this.registries.find(registry, name, version || undefined, signal);
    return { ...found, option: requireInstallable(found.server, id) };
  }

  async #ready(choice: InstallRequest, signal: AbortSignal): Promise<Chosen> {
    const chosen = await this.#find(choice, signal);
    requireInputs(chosen.option, choice.inputs);
    return chosen;
  }

  /** `isNew`: names that are new in the vault. */
  async #keepSecrets({ option }: Chosen, values: InputValues, server: string) {
    const names = new Map<string, string>();
    const isNew: string[] = [];
    for (const { input, value } of secretInputValues(option, values)) {
      // A reference to a secret is not a secret itself.
      if (/^\$\{(?:secret|env):[^}]+\}$/.test(value)) continue;
      const stored = await this.#parts.secrets.sealValue(server, input.label, value);
      names.set(input.id, stored.name);
      if (stored.isNew) isNew.push(stored.name);
    }
    const secretOf = ({ id }: { readonly id: string }, value: string): string =>
      names.has(id) ? `\${secret:${names.get(id)}}` : value;
    return { secretOf, isNew };
  }

  async #forget(names: readonly string[]): Promise<void> {
    for (const name of names) await this.#parts.secrets.remove(name);
  }
}

/** Throws AppError `not_found`, unsupported. */
export function requireInstallable(
  { name, status, options }: RegistryServer,
  id: string | undefined,
): Chosen['option'] {
  if (status === 'deleted') throw new AppError('unsupported', `${name} was removed from its registry.`);
  const option =
    id === undefined ? (options.find(({ plan }) => plan) ?? options[0]) : options.find((one) => one.id === id);
  if (option === undefined) {
    const fix =
      options.length === 0 ? 'It has no package and no URL.' : `There are: ${options.map((one) => one.id).join(', ')}.`;
    throw new AppError('not_found', `${name} has no way ${JSON.stringify(id ?? 'to be run')}.`, { fix });
  }
  const { plan, refusal = 'It cannot be run here.' } = option;
  if (plan === undefined) throw new AppError('unsupported', `${name} cannot be added as ${option.title}. ${refusal}`);
  return { ...option, plan };
}

/** Throws AppError `bad_request`; its data contains what is missing. */
export function requireInputs(option: ParsedOption, values: InputValues): void {
  const unknown = Object.keys(values).find((id) => !option.inputs.some((input) => input.id === id));
  if (unknown !== undefined) throw new AppError('bad_request', `It has no input named ${JSON.stringify(unknown)}.`);
  const problems = validateInputs(option, values);
  if (problems.length === 0) return;
  throw new AppError('bad_request', problems.map(({ sentence }) => sentence).join(' '), {
    data: { missing: problems.map(({ id }) => id) },
  });
}

function entryOf(
  { registry, server, option }: Chosen,
  values: InputValues,
  secretOf: Parameters<typeof buildEntry>[3],
): JsonObject {
  return buildEntry(option, values, { name: registry, server: server.name, version: server.version }, secretOf);
}

function pairsOf(map: unknown): readonly { name: string; value: string }[] {
  return Object.entries((map ?? {}) as Record<string, string>).map(([name, value]) => ({
    name,
    value: markInvisible(value),
  }));
}

function requireFree(name: string, taken: readonly string[]): void {
  if (!taken.includes(name)) return;
  throw new AppError('config_conflict', `A server named "${name}" already exists.`, { fix: 'Choose another name.' });
}
