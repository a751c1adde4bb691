/** `tooltray add`: writes a server into the config file and shows what it wrote. */
import { AppError } from '../core/base/errors.ts';
import { maskObject } from '../core/base/mask-secrets.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { addServer, type WrittenEntry } from '../core/config/edit-config.ts';
import { readConfigText } from '../core/config/load-config.ts';
import { type AddArguments, readAddArguments } from './add-arguments.ts';
import { checkConfig } from './check-config.ts';
import { openCliConfig } from './open-cli-config.ts';
import { plainText } from './plain-text.ts';
import { paint, printJson, printLines } from './print.ts';
import { serverNames } from './unknown-server.ts';

export async function run(args: readonly string[], form: string): Promise<number> {
  const given = readAddArguments(args, form);
  const { name, entry, dryRun } = given;
  const store = await openCliConfig(given.config);
  if (serverNames(store).includes(name)) throw alreadyExists(name);
  const text = addServer(await readConfigText(store.path), name, entry);
  if (!dryRun) await store.update((now) => addServer(now, name, entry));
  const { problems } = await checkConfig(text, store.path, name);
  const warnings = problems.map(({ reason, suggestion }) => [reason, suggestion].filter(Boolean).join(' '));
  if (given.json) printJson({ name, entry: maskObject(entry), file: store.path, written: !dryRun, warnings });
  else printLines(report(given, store, warnings));
  return 0;
}

function report({ name, entry, dryRun }: AddArguments, { path }: ConfigStore, warnings: readonly string[]): string[] {
  return [
    dryRun ? `This would be added to ${path}:` : `Added to ${path}:`,
    `  ${JSON.stringify(name)}: ${shown(entry)}`,
    ...warnings.map((warning) => `${paint('unsure', 'warning')} ${plainText(warning)}`),
    ...(dryRun ? [] : [`Try it: tooltray test ${/^[\w.-]+$/.test(name) ? name : JSON.stringify(name)}`]),
  ];
}

function shown(entry: WrittenEntry): string {
  return plainText(JSON.stringify(maskObject(entry), null, 2).replace(/\s*\n\s*/g, ' '));
}

function alreadyExists(name: string): AppError {
  return new AppError('config_conflict', `A server called ${JSON.stringify(name)} already exists.`, {
    fix: `Choose another name, or take it out first: tooltray remove ${name}.`,
  });
}
