/** Words about servers of a registry, and the answers that a form begins with. Pure. */
import type { RegistryInput, InstallOption, RegistryRow } from '../../../../src-main/rpc/contract.ts';

export type InputValues = Readonly<Record<string, string>>;

/** In what it comes: `npm package, address on the network`. */
export function runsAs({ options }: RegistryRow): string {
  return [...new Set(options.map(({ title }) => title))].join(', ');
}

/** The way that is offered first: one that can be added. */
export function firstWay(options: readonly InstallOption[]): InstallOption | undefined {
  return options.find(({ refusal }) => refusal === undefined) ?? options[0];
}

/** What the fields hold before anybody has typed: every input is there, so that what is emptied counts as empty. */
export function initialInputs(inputs: readonly RegistryInput[]): InputValues {
  return Object.fromEntries(inputs.map((input) => [input.id, input.default]));
}

/** The same answers without a secret in them: enough to see what would run. */
export function withoutSecrets(inputs: readonly RegistryInput[], values: InputValues): InputValues {
  const secrets = new Set(inputs.filter(({ isSecret }) => isSecret).map(({ id }) => id));
  return Object.fromEntries(
    Object.entries(values).map(([id, value]) => [id, secrets.has(id) && value !== '' ? 'given' : value]),
  );
}

/** One word of a command line as a shell would have to be given it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
