/** Descriptions of a registry's servers, and initial form values. Pure. */
import type { RegistryInput, InstallOption, RegistryRow } from '../../../../src-main/rpc/contract.ts';

export type InputValues = Readonly<Record<string, string>>;

/** How it is distributed: the titles of its install options. */
export function runsAs({ options }: RegistryRow): string {
  return [...new Set(options.map(({ title }) => title))].join(', ');
}

/** The default option: the first that can be added. */
export function firstWay(options: readonly InstallOption[]): InstallOption | undefined {
  return options.find(({ refusal }) => refusal === undefined) ?? options[0];
}

/** Initial values of all fields, so that a cleared one counts as empty. */
export function initialInputs(inputs: readonly RegistryInput[]): InputValues {
  return Object.fromEntries(inputs.map((input) => [input.id, input.default]));
}

/** The inputs without secrets: enough for a preview. */
export function withoutSecrets(inputs: readonly RegistryInput[], values: InputValues): InputValues {
  const secrets = new Set(inputs.filter(({ isSecret }) => isSecret).map(({ id }) => id));
  return Object.fromEntries(
    Object.entries(values).map(([id, value]) => [id, secrets.has(id) && value !== '' ? 'given' : value]),
  );
}

/** Quotes one word of a command line for a shell. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
