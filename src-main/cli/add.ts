/** `tooltray add`: writes a server into the config file and shows what it wrote. */
import { offerText } from '../core/admin/healing.ts';
import { AppError } from '../core/base/errors.ts';
import { maskObject } from '../core/base/mask-secrets.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { addServer, type WrittenEntry } from '../core/config/edit-config.ts';
import { readConfigText } from '../core/config/read-config-text.ts';
import { type AddArguments, readAddArguments } from './add-arguments.ts';
import { checkConfig } from './check-config.ts';
import { notDone } from './confirm.ts';
import { agreedLaunch, bestLaunch } from './found-launch.ts';
import { openCliConfig } from './open-cli-config.ts';
import { oneLine, plainText } from './plain-text.ts';
import { paint, printJson, printLines } from './print.ts';
import { serverNames } from './unknown-server.ts';

export async function run(args: readonly string[], form: string): Promise<number> {
  const asked = readAddArguments(args, form);
  const { name, dryRun } = asked;
  const store = await openCliConfig(asked.config);
  if (serverNames(store).includes(name)) throw alreadyExists(name);
  const given = asked.isOpen ? await completed(asked, store) : asked;
  if (given === undefined) return 1;
  const { entry } = given;
  const text = addServer(await readConfigText(store.path), name, entry);
  if (!dryRun) await store.update((now) => addServer(now, name, entry));
  const { problems } = await checkConfig(text, store.path, name);
  const warnings = problems.map(({ reason, suggestion }) => [reason, suggestion].filter(Boolean).join(' '));
  if (given.json) printJson({ name, entry: maskObject(entry), file: store.path, written: !dryRun, warnings });
  else printLines(report(given, store, warnings));
  return 0;
}

/** With a launch that was found elsewhere; undefined: the person does not want it, or could not be asked. */
async function completed(asked: AddArguments, store: ConfigStore): Promise<AddArguments | undefined> {
  const { name, dryRun, yes, json } = asked;
  const found = dryRun ? { offer: await bestLaunch(name), agreed: true } : await agreedLaunch(name, store, yes);
  const { offer, agreed } = found;
  const about = oneLine(offerText(offer));
  if (agreed === true) {
    if (!json) printLines([about]);
    return { ...asked, entry: { ...offer.entry, ...asked.entry } };
  }
  if (json) printJson({ name, entry: maskObject(offer.entry), file: store.path, written: false, warnings: [] });
  else printLines([about, notDone(agreed)]);
  return undefined;
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
