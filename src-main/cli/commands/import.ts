/** `tooltray import`: imports servers from client apps or a file, after a preview; can be undone. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { AppError, errorText } from '../../core/base/errors.ts';
import { formatCount } from '../../core/base/text-format.ts';
import { knownApp } from '../../core/client-apps/app-files.ts';
import { bundleEntry, isBundleFile, readBundle, unpackBundle } from '../../core/client-apps/mcpb-bundles.ts';
import { endpointText, launchText } from '../../core/client-apps/heal-candidates.ts';
import { type FoundOffers, type ImportOffer, notImported } from '../../core/client-apps/import-offers.ts';
import type { ImportRequest } from '../../core/client-apps/import-servers.ts';
import type { AppSetup } from '../../core/client-apps/app-setup.ts';
import { suggestServerName } from '../../core/config/dialects/suggest-server-name.ts';
import { formatOfFile, parseText } from '../../core/config/dialects/parse-text.ts';
import {
  type ImportedServer,
  readOne,
  readServersOfValue,
  type ReadServer,
} from '../../core/config/dialects/read-servers.ts';
import { readConfigText } from '../../core/config/update-config-file.ts';
import { parsePasted } from '../../core/paste-import/parse-pasted.ts';
import { isProgramHere } from '../add-pasted.ts';
import { changeFlags, projectFlag, withApps } from '../cli-apps.ts';
import { maskedEntry } from '../../core/trust/launch-change.ts';
import { cliPaths } from '../cli-config.ts';
import { command, usageError } from '../command.ts';
import { backupCopyLines } from '../local-secrets.ts';
import {
  confirm,
  notAppliedMessage,
  oneLine,
  paint,
  printResult,
  printJson,
  printLines,
  printProgress,
  table,
} from '../terminal.ts';

export const importServers = command({
  words: '[NAMES…]',
  flags: {
    app: { value: 'APP', help: 'Only import from this app' },
    file: { value: 'F', isInstead: true, help: 'Import from a configuration file, an .mcpb bundle, or - for stdin' },
    project: { ...projectFlag, help: 'Import from project configs in DIR (default: current directory)' },
    vault: { help: 'Move detected secrets to the vault and reference them as ${secret:NAME}' },
    move: { help: 'Also replace them in the apps with Tooltray' },
    set: { value: 'K=V', many: true, help: 'Bundle setting (repeatable)' },
    ...changeFlags,
  },
  notes: [
    'NAMES: only import these; NAME=NEW renames a server.',
    'Servers that already exist (same command or URL) are skipped.',
  ],
  run(flags, names) {
    const { file, app, move, vault: seal, set, dryRun, yes, json } = flags;
    if (file !== undefined && (app !== undefined || move || flags.project !== undefined))
      throw usageError('--file cannot be combined with --app, --move or --project');
    return withApps(flags, async (setup, project) => {
      const source = { file, app, set, project };
      const { offers, skipped } = await readOffers(setup, { ...source, dryRun: dryRun || !yes });
      const selected = pick(offers, names, move);
      const textOf = yes && !dryRun ? endpointText : maskedLaunch;
      const rows = new Map(offers.map((offer) => [offer, rowOf(offer, textOf)]));
      if (!json)
        printLines([...offerLines(rows, selected, move), ...skippedLines(skipped), ...sealLines(selected, seal)]);
      const skipsPrompt = selected.length === 0 || dryRun;
      const answer = skipsPrompt ? undefined : await confirm(question(selected.length, move), yes);
      if (answer !== true) {
        if (json) printJson({ servers: [...rows.values()], skipped, added: [] });
        else if (!skipsPrompt) printLines([notAppliedMessage(answer)]);
        return skipsPrompt ? 0 : 1;
      }
      printProgress('Importing…');
      // Bundles are unpacked only after confirmation.
      const again = yes ? undefined : await readOffers(setup, { ...source, dryRun: false });
      const final = again === undefined ? selected : pick(again.offers, names, move);
      const outcome = await setup.imports.importRequested(final, { move, seal });
      printResult(json, { servers: [...rows.values()], skipped, ...outcome }, () => [
        oneLine(outcome.sentence),
        ...backupCopyLines(outcome.copies),
        ...(outcome.undo === undefined ? [] : [`To undo: tooltray undo ${outcome.undo}`]),
      ]);
      return 0;
    });
  },
});

/** Takes NAME or NAME=NEW; without names, all that are not configured yet. Existing ones can only be moved. */
function pick(offers: readonly ImportOffer[], names: readonly string[], move: boolean): ImportRequest[] {
  const isNew = ({ already }: ImportOffer): boolean => move || already === undefined;
  if (names.length === 0) return offers.filter(isNew).map((offer) => ({ offer, name: offer.name }));
  return names.flatMap((word) => {
    const [name = '', newName = name] = word.split(/=(.*)/s, 2);
    const named = offers.filter((offer) => offer.name === name);
    if (named.length > 0) return named.filter(isNew).map((offer) => ({ offer, name: newName }));
    const available = [...new Set(offers.map((offer) => offer.name))].join(', ') || 'none';
    throw new AppError('not_found', `Server "${name}" not found.`, { fix: `Found: ${available}.` });
  });
}

function offerLines(
  offers: ReadonlyMap<ImportOffer, ReturnType<typeof rowOf>>,
  wishes: readonly ImportRequest[],
  move: boolean,
): string[] {
  if (offers.size === 0) return ['No servers found.'];
  const rows = [...offers].map(([offer, { name, app, already, secrets, endpoint }]) => {
    const wish = wishes.find((one) => one.offer === offer);
    const renamed = wish === undefined || wish.name === name ? '' : ` as ${wish.name}`;
    const state = already === undefined ? renamed : ` (already added as ${already})`;
    return [
      wish === undefined ? ' ' : '+',
      oneLine(name + state),
      app || '-',
      secrets.join(', ') || '-',
      oneLine(endpoint),
    ];
  });
  // One line per imported server.
  const left = wishes.flatMap(({ offer }) =>
    offer.losses.map((loss) => `Not imported from ${oneLine(offer.name)}: ${oneLine(loss)}`),
  );
  const moved = new Set(wishes.flatMap(({ offer }) => offer.places.map(({ file }) => file)));
  const notes = move && moved.size > 0 ? ['', `Replaced by Tooltray in: ${[...moved].join(', ')}`] : [];
  const isShared = move && wishes.some(({ offer }) => offer.places.some(({ project }) => project !== undefined));
  if (isShared) notes.push(paint('unsure', sharedWarning));
  return [
    ...table(['', 'SERVER', 'SOURCE', 'SECRETS', 'COMMAND OR URL'], rows),
    ...(left.length === 0 ? [] : ['', ...left.map((line) => paint('unsure', line))]),
    ...notes,
  ];
}

/** Lists entries that cannot be imported, each with the reason. */
function skippedLines(skipped: readonly string[]): string[] {
  return skipped.length === 0 ? [] : ['', ...skipped.map((one) => paint('unsure', oneLine(one)))];
}

/** Lists which values would or could go to the vault, by location; values are never printed. */
function sealLines(wishes: readonly ImportRequest[], seal: boolean): string[] {
  const found = wishes.flatMap(({ offer }) => (offer.already === undefined ? offer.sealable : []));
  if (found.length === 0) return [];
  const locations = (some: typeof found): string => some.map(({ server, where }) => `${server}, ${where}`).join('; ');
  if (seal) return ['', oneLine(`To be stored in the vault: ${locations(found)}.`)];
  const plain = found.filter(({ inKeychain }) => inKeychain !== true);
  const elsewhere = found.filter(({ inKeychain }) => inKeychain === true);
  const writes = `${formatCount(plain.length, 'value')} would be stored as plain text in the config file: ${locations(plain)}.`;
  return [
    '',
    ...(plain.length === 0 ? [] : [paint('unsure', oneLine(writes))]),
    ...(elsewhere.length === 0
      ? []
      : [paint('unsure', oneLine(`Stays in the system keychain: ${locations(elsewhere)}.`))]),
    'To store such values in the vault: tooltray import … --vault',
  ];
}

const sharedWarning =
  'These files are part of the project: everyone who uses it will need Tooltray with these servers. No secrets are written to them.';

function rowOf(
  { name, entry, places, sources, losses, secrets, sealable, already }: ImportOffer,
  textOf: (entry: ImportOffer['entry']) => string,
) {
  const app = [...new Set([...places.map((place) => place.app.name), ...sources])].join(', ');
  return { name, app, endpoint: textOf(entry), secrets, sealable, already, losses };
}

/** The entry with secrets masked. */
function maskedLaunch(entry: ImportOffer['entry']): string {
  return launchText(maskedEntry(entry));
}

function question(servers: number, move: boolean): string {
  return move ? `Move ${formatCount(servers, 'server')} to Tooltray?` : `Add ${formatCount(servers, 'server')}?`;
}

/** Source of the servers: client apps on this computer, a config file of any product, a bundle, or text on stdin. */
interface ImportSource {
  /** `-` reads stdin. */
  readonly file: string | undefined;
  /** ID of the only app to import from. */
  readonly app: string | undefined;
  /** Project directory to read instead of the user's own configs. */
  readonly project: string | undefined;
  /** Values that a bundle requires, as KEY=VALUE. */
  readonly set: readonly string[];
  /** Does not unpack bundles. */
  readonly dryRun: boolean;
}

/** Rejects with AppError `not_found`, `config_invalid` or `bad_request`. */
async function readOffers(setup: AppSetup, source: ImportSource): Promise<FoundOffers> {
  const { file, app, project } = source;
  if (file !== undefined) {
    const { servers, skipped } = await serversInFile(file, source);
    return { offers: await setup.imports.offersFrom(servers), skipped };
  }
  const found = await (project === undefined ? setup.imports : setup.inProject(project)).found();
  if (app === undefined) return found;
  const { id, name } = knownApp(app);
  const offers = found.offers.flatMap((offer) => {
    const places = offer.places.filter((place) => place.app.id === id);
    return places.length === 0 ? [] : [{ ...offer, places }];
  });
  return { offers, skipped: found.skipped.filter((one) => one.startsWith(`${name}'s `)) };
}

interface FileServers {
  readonly servers: readonly ImportedServer[];
  readonly skipped: readonly string[];
}

async function serversInFile(file: string, source: ImportSource): Promise<FileServers> {
  const home = homedir();
  if (isBundleFile(file)) {
    const { name, entry } = await entryFromBundle(file, source);
    return asImported([{ ...readOne(entry, { home }), name }]);
  }
  const content = file === '-' ? await text(process.stdin) : await readText(file);
  const isNamed = file !== '-' && /\.(?:jsonc?|json5|toml|ya?ml)$/i.test(file);
  if (isNamed && !isRegistryFile(content)) {
    const { value, notes: duplicateKeys } = parseText(content, formatOfFile(file), file);
    const { servers, notes } = readServersOfValue(value, resolve(file), { home });
    const { servers: read, skipped } = asImported(servers);
    const said = [...duplicateKeys, ...notes, ...skipped];
    if (read.length > 0 || said.length > 0) return { servers: read, skipped: said };
    throw new AppError('not_found', `No servers found in ${file}.`, {
      fix: 'Choose a file with "mcpServers" or "servers".',
    });
  }
  // A single entry or a start command, as copied from a web page.
  const { servers, skipped } = await parsePasted(content, { isProgram: isProgramHere, home });
  return { servers: servers.map(({ name, entry, notes }) => ({ name, entry, losses: notes })), skipped };
}

/** A `server.json` of the registry lists packages, not entries. */
function isRegistryFile(content: string): boolean {
  return /"(?:packages|remotes)"\s*:\s*\[/.test(content) && !/"mcpServers"|"servers"\s*:\s*\{/.test(content);
}

function asImported(servers: readonly ReadServer[]): FileServers {
  return {
    servers: servers.flatMap(({ name, entry, losses }) =>
      entry === undefined ? [] : [{ name: name ?? suggestServerName(entry), entry, losses }],
    ),
    skipped: servers.flatMap(({ name, entry, reason }) => (entry === undefined ? [notImported(name, reason)] : [])),
  };
}

async function entryFromBundle(file: string, { set, dryRun }: ImportSource) {
  const bundle = await readBundle(file);
  const { manifest } = bundle;
  const parent = join(cliPaths().dataDir, 'bundles');
  const machine = { home: homedir(), platform: process.platform };
  const choices = choicesOf(set);
  // Runs first with a placeholder folder, so that missing values are reported before anything is written.
  bundleEntry(manifest, parent, choices, machine);
  const folder = dryRun ? join(parent, manifest.name) : await unpackBundle(bundle, parent);
  return { name: manifest.name, entry: bundleEntry(manifest, folder, choices, machine) };
}

function choicesOf(set: readonly string[]): Record<string, string[]> {
  const choices: Record<string, string[]> = {};
  for (const one of set) {
    const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(one) ?? [];
    if (key === '') throw new AppError('bad_request', `Invalid --set ${one}.`, { fix: 'Use --set KEY=VALUE.' });
    (choices[key] ??= []).push(value);
  }
  return choices;
}

async function readText(file: string): Promise<string> {
  return readConfigText(file).catch((cause: unknown) => {
    if (cause instanceof AppError && cause.code === 'config_invalid') throw cause;
    throw new AppError('not_found', `Cannot read ${file}: ${errorText(cause)}`, { fix: 'Check the path.', cause });
  });
}
