/** The servers of client apps that can be imported; the same server in two apps is one offer. */
import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../base/json.ts';
import { suggestServerName } from '../config/dialects/suggest-server-name.ts';
import { formatOfFile, parseText } from '../config/dialects/parse-text.ts';
import { toAppError } from '../base/errors.ts';
import { isTooltrayEntry } from './app-servers.ts';
import { type AppConfigFile, readAppFile } from './update-app-file.ts';
import type { Machine } from './app-files.ts';
import {
  type ImportedServer,
  type ReadServer,
  readServersOfValue,
  type ServersReading,
} from '../config/dialects/read-servers.ts';
import { accountIdentity, launchIdentity } from '../config/dialects/launch-identity.ts';
import { secretSettingNames } from './secret-settings.ts';
import { type FoundSecret, foundSecrets, keyringSecrets, withReferences } from '../secrets/find-plaintext-secrets.ts';
import type { FoundImportFile } from './import-places.ts';
import { resolveAggregator, type AggregatorFile } from './other-aggregators.ts';

/** An entry in the file of an app. */
export interface OfferSource extends AppConfigFile {
  /** Key path of the entry. */
  readonly path: readonly string[];
}

export interface ImportOffer {
  /** Equal as long as the launch is equal. */
  readonly id: string;
  readonly name: string;
  /** The entry in our config's format. */
  readonly entry: JsonObject;
  readonly places: readonly OfferSource[];
  /** Similar products with the server in their config. */
  readonly sources: readonly string[];
  /** Losses on import, one sentence each. */
  readonly losses: readonly string[];
  /** Names of settings with secrets. */
  readonly secrets: readonly string[];
  /** Secrets that can be encrypted. */
  readonly sealable: readonly FoundSecret[];
  /** The equal server here. */
  readonly already: string | undefined;
}

/** The relevant part of a server in our own config. */
export interface ExistingServer {
  readonly name: string;
  readonly entry: JsonObject;
}

interface Found {
  readonly name: string;
  readonly entry: JsonObject;
  readonly identity: string;
  /** Undefined for pasted servers, and for those of similar products. */
  readonly place: OfferSource | undefined;
  readonly source?: string | undefined;
  readonly losses: readonly string[];
}

export interface FoundOffers {
  readonly offers: readonly ImportOffer[];
  /** Parts that cannot be imported, one sentence each. */
  readonly skipped: readonly string[];
}

/** In the order of the apps. */
export async function findImportOffers(
  places: readonly AppConfigFile[],
  here: readonly ExistingServer[],
  machine: Machine,
  others: readonly AggregatorFile[] = [],
  files: readonly FoundImportFile[] = [],
): Promise<FoundOffers> {
  const found = await Promise.all([
    ...places.map((place) => serversOf(place, machine)),
    ...files.map((file) => serversOfFile(file, machine)),
  ]);
  const all = [...found.flat(), ...others.flatMap((file) => serversIn(file))];
  const skipped = all.filter((one) => typeof one === 'string');
  return {
    offers: offersOf(
      all.filter((one) => typeof one !== 'string'),
      here,
    ),
    skipped: [...new Set(skipped)],
  };
}

/** The same for servers from other sources: a file, a pasted text, a bundle. */
export function offersFromServers(
  servers: readonly ImportedServer[],
  here: readonly ExistingServer[],
): readonly ImportOffer[] {
  const found = servers.flatMap(({ name, entry, losses = [] }) =>
    withIdentity({ name, entry, losses, place: undefined }),
  );
  return offersOf(found, here);
}

function offersOf(found: readonly Found[], here: readonly ExistingServer[]): readonly ImportOffer[] {
  const known = new Map(here.map(({ name, entry }) => [launchIdentity(entry), name]));
  return grouped(found).map((group) => {
    const [{ name, entry, identity }] = group;
    return {
      id: createHash('sha256')
        .update(`${identity}\n${name}\n${accountIdentity(entry)}`)
        .digest('hex')
        .slice(0, 16),
      name,
      entry,
      places: group.flatMap(({ place }) => place ?? []),
      sources: [...new Set(group.flatMap(({ source }) => source ?? []))],
      losses: [...new Set(group.flatMap(({ losses }) => losses))],
      secrets: secretSettingNames(entry),
      sealable: [...foundSecrets(name, entry), ...keyringSecrets(name, entry)],
      already: known.get(identity) ?? sealedHere(name, entry, here),
    };
  });
}

/** A server of the same name whose secrets were encrypted here since. Other names may be other accounts. */
function sealedHere(name: string, entry: JsonObject, here: readonly ExistingServer[]): string | undefined {
  const same = here.find((one) => one.name === name);
  if (same === undefined) return undefined;
  const theirs = withoutNames(withReferences(name, entry, () => 'x'));
  return launchIdentity(withoutNames(same.entry)) === launchIdentity(theirs) ? same.name : undefined;
}

/** Replaces secret names, which do not affect the launch. */
function withoutNames(entry: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(entry).replace(/\$\{(?:secret|keyring):[^}]*\}/g, '${secret:x}')) as JsonObject;
}

/** A server, or a sentence about why it is not offered. */
type FoundOrSkipped = Found | string;

async function serversOf(place: AppConfigFile, machine: Machine): Promise<FoundOrSkipped[]> {
  const { app, file } = place;
  const title = `${app.name}'s ${file.replace(machine.home, '~')}`;
  const reading = await readPlace(place, title, machine).catch((error: unknown) => errorSentence(error, title));
  if (typeof reading === 'string') return [reading];
  const { servers, notes } = reading;
  const found = await Promise.all(
    servers.map(async (server) => {
      const { name, raw, path } = server;
      if (isObject(raw) && isTooltrayEntry(name ?? '', raw)) return [];
      // An entry that starts a similar product is replaced by the servers in that product's config.
      const behind = await resolveAggregator(raw, machine);
      if (behind !== undefined) return behind === 'without a config' ? [] : serversIn(behind);
      // A list item has no name by which it could be removed.
      const isNamed = path.every((step) => typeof step === 'string');
      return offered(server, isNamed ? { place: { ...place, path } } : { place: undefined, source: app.name });
    }),
  );
  return [...notes.map((note) => `${title}: ${note}`), ...found.flat()];
}

/** Servers of a product that we cannot connect, which can be copied but not moved. */
async function serversOfFile({ name, file }: FoundImportFile, machine: Machine): Promise<FoundOrSkipped[]> {
  const title = `${name}'s ${file.replace(machine.home, '~')}`;
  try {
    const { value } = parseText((await readAppFile(file)) ?? '', formatOfFile(file), title);
    const { servers } = readServersOfValue(value, file, { home: machine.home });
    return servers.flatMap((server) =>
      isObject(server.raw) && isTooltrayEntry(server.name ?? '', server.raw)
        ? []
        : offered(server, { source: name, place: undefined }),
    );
  } catch (error) {
    return [errorSentence(error, title)];
  }
}

async function readPlace(
  { app, file, project }: AppConfigFile,
  title: string,
  { home }: Machine,
): Promise<ServersReading> {
  const text = await readAppFile(file);
  const { value, notes } = parseText(text ?? '', app.format === 'jsonc' ? 'json' : app.format, title, false);
  const reading = readServersOfValue(value, file, { home, project });
  return { ...reading, notes: [...notes, ...reading.notes] };
}

function errorSentence(error: unknown, title: string): string {
  const { message, fix } = toAppError(error);
  const said = message.startsWith(title) ? message : `${title} was not read: ${message}`;
  return [said, fix].filter(Boolean).join(' ');
}

/** Servers in another aggregator's config; its settings are reported once, with the first server. */
function serversIn({ name: source, servers, settings }: AggregatorFile): FoundOrSkipped[] {
  const found = servers.flatMap((server) => offered(server, { source, place: undefined }));
  const rest = settings.length === 0 ? [] : [`${source}'s own settings stay behind: ${settings.join(', ')}.`];
  const first = found.find((one) => typeof one !== 'string');
  return found.map((one) => (one === first ? { ...first, losses: [...first.losses, ...rest] } : one));
}

function offered({ name, entry, reason, losses }: ReadServer, from: Pick<Found, 'place' | 'source'>): FoundOrSkipped[] {
  if (entry === undefined) return [notImported(name, reason)];
  return withIdentity({ name: name ?? suggestServerName(entry), entry, losses, ...from });
}

/** `name`: undefined for an unnamed entry. */
export function notImported(name = 'A server without a name', reason = ''): string {
  return `${name} was not imported: ${reason}`;
}

function withIdentity(found: Omit<Found, 'identity'>): Found[] {
  const identity = launchIdentity(found.entry);
  return identity === undefined ? [] : [{ ...found, identity }];
}

/** Two accounts of one service are two servers: they start alike and differ in name and variables. */
function grouped(found: readonly Found[]): [Found, ...Found[]][] {
  const groups: [Found, ...Found[]][] = [];
  for (const one of found) {
    const same = groups.find(
      ([first]) =>
        first.identity === one.identity &&
        (first.name === one.name || accountIdentity(first.entry) === accountIdentity(one.entry)),
    );
    if (same === undefined) groups.push([one]);
    else same.push(one);
  }
  return groups;
}
