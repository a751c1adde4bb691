/** Writes a new server into the config file and prints what was written, for every command that adds one. */
import { AppError } from '../core/base/errors.ts';
import { maskObject } from '../core/base/mask.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { addServer, type RawEntry } from '../core/config/edit-config.ts';
import { checkConfig, serverNames } from './cli-config.ts';
import { openLocalSecrets } from './local-secrets.ts';
import { paint, plainText } from './terminal.ts';

export interface WriteServerOptions {
  readonly dryRun: boolean;
  /** Whether values that look like secrets are moved to the vault and replaced by references. */
  readonly vault: boolean;
}

export interface WrittenServer {
  readonly name: string;
  /** Secrets masked as `***`. */
  readonly entry: RawEntry;
  /** Warnings, a sentence or two each. */
  readonly warnings: readonly string[];
}

/** Throws AppError `config_conflict`. */
export function requireFreeName(name: string, store: ConfigStore): void {
  if (!serverNames(store).includes(name)) return;
  throw new AppError('config_conflict', `Server ${JSON.stringify(name)} already exists.`, {
    fix: `Choose another name, or remove it first: tooltray remove ${name}`,
  });
}

export async function writeServer(
  name: string,
  whole: RawEntry,
  store: ConfigStore,
  { dryRun, vault }: WriteServerOptions,
): Promise<WrittenServer> {
  const entry = vault && !dryRun ? (await openLocalSecrets(store).sealEntry(name, { ...whole })).entry : whole;
  const text = addServer(await store.text(), name, entry);
  if (!dryRun) await store.update((now) => addServer(now, name, entry));
  const { problems } = await checkConfig(text, store.path, name);
  const warnings = problems.map(({ reason, suggestion }) => [reason, suggestion].filter(Boolean).join(' '));
  return { name, entry: maskObject(entry) as RawEntry, warnings: [...new Set(warnings)] };
}

export function writtenLines({ name, entry, warnings }: WrittenServer, file: string, dryRun: boolean): string[] {
  return [
    dryRun ? `Would be added to ${file}:` : `Added to ${file}:`,
    `  ${plainText(JSON.stringify(name))}: ${plainText(JSON.stringify(entry, null, 2).replace(/\s*\n\s*/g, ' '))}`,
    ...warnings.map((warning) => `${paint('unsure', 'warning')} ${plainText(warning)}`),
    ...(dryRun ? [] : [`Test it with: tooltray test ${/^[\w.-]+$/.test(name) ? name : JSON.stringify(name)}`]),
  ];
}
