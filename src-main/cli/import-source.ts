/** Where `tooltray import` takes servers from: the apps of this machine, a file of any product, a bundle, or text on stdin. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { AppError, errorText } from '../core/base/errors.ts';
import { knownApp } from '../core/client-apps/app-files.ts';
import { bundleEntry } from '../core/client-apps/bundle-entry.ts';
import { isBundleFile, readBundle, unpackBundle } from '../core/client-apps/bundles.ts';
import { importEntry, importLosses } from '../core/client-apps/import-entry.ts';
import type { ImportOffer } from '../core/client-apps/import-offers.ts';
import { formatOf, type ImportedServer, serversOfText } from '../core/client-apps/import-text.ts';
import type { AppSetup } from '../rpc/app-setup.ts';
import { findCommand } from '../core/servers/launch/find-command.ts';
import { EnvironmentResolver } from '../core/servers/launch/resolve-environment.ts';
import { readServersText } from '../rpc/read-servers-text.ts';
import { cliPaths } from './open-cli-config.ts';

export interface ImportSource {
  /** `-`: stdin. */
  readonly file: string | undefined;
  /** Id of the one app that counts. */
  readonly app: string | undefined;
  /** The folder of the project whose files count, instead of the person's. */
  readonly project: string | undefined;
  /** What a bundle asks for, as KEY=VALUE. */
  readonly set: readonly string[];
  /** Bundles are unpacked only where something is to be written. */
  readonly dryRun: boolean;
}

/** Rejects with AppError not_found, config_invalid, bad_request. */
export async function readOffers(setup: AppSetup, source: ImportSource): Promise<readonly ImportOffer[]> {
  const { file, app, project } = source;
  if (file !== undefined) return setup.imports.fromGiven(await serversInFile(file, source));
  const offers = await (project === undefined ? setup.imports : setup.inProject(project)).offers();
  if (app === undefined) return offers;
  const { id } = knownApp(app);
  return offers.flatMap((offer) => {
    const places = offer.places.filter((place) => place.app.id === id);
    return places.length === 0 ? [] : [{ ...offer, places }];
  });
}

async function serversInFile(file: string, source: ImportSource): Promise<readonly ImportedServer[]> {
  const home = homedir();
  if (isBundleFile(file)) return [await ofBundle(file, source)];
  const content = file === '-' ? await text(process.stdin) : await readText(file);
  const isJson = file === '-' || formatOf(file) === 'json';
  const found = isJson && !/^\s*(?:\uFEFF)?[{/]/.test(content) ? [] : serversOfText(content, file, home);
  if (found.length > 0 || !isJson) return found;
  // One entry, or the command that starts it, as pages show it.
  const pasted = await readServersText(content, isProgramHere);
  return pasted.flatMap(({ name, entry: theirs }) => {
    const entry = importEntry(theirs, { home });
    return entry === undefined ? [] : [{ name, entry, losses: importLosses(theirs) }];
  });
}

async function ofBundle(file: string, { set, dryRun }: ImportSource): Promise<ImportedServer> {
  const bundle = await readBundle(file);
  const { manifest } = bundle;
  const parent = join(cliPaths().dataDir, 'bundles');
  const machine = { home: homedir(), platform: process.platform };
  const choices = choicesOf(set);
  // First with a folder that does not matter: what is missing is told before anything is written.
  bundleEntry(manifest, parent, choices, machine);
  const folder = dryRun ? join(parent, manifest.name) : await unpackBundle(bundle, parent);
  return { name: manifest.name, entry: bundleEntry(manifest, folder, choices, machine) };
}

function choicesOf(set: readonly string[]): Record<string, string[]> {
  const choices: Record<string, string[]> = {};
  for (const one of set) {
    const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(one) ?? [];
    if (key === '')
      throw new AppError('bad_request', `--set ${one} is no setting.`, { fix: 'Write it as --set KEY=VALUE.' });
    (choices[key] ??= []).push(value);
  }
  return choices;
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause: unknown) => {
    throw new AppError('not_found', `${file} cannot be read: ${errorText(cause)}`, { fix: 'Check the path.', cause });
  });
}

async function isProgramHere(command: string): Promise<boolean> {
  const environment = await new EnvironmentResolver({ own: process.env }).resolve();
  return (await findCommand(command, environment)) !== undefined;
}
