/** The servers of client apps that can be imported; the same server in two apps is one offer. */
import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../base/json.ts';
import { suggestServerName } from '../config/dialects/suggest-server-name.ts';
import { toAppError } from '../base/errors.ts';
import { isTooltrayEntry } from './app-servers.ts';
import { type AppConfigFile, readAppFile } from './update-app-file.ts';
import type { Machine } from './app-files.ts';
import { type ImportedServer, type ReadServer, readServersOfText } from '../config/dialects/read-servers.ts';
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

interface Found extends ImportedServer {
  /** Undefined for pasted servers, and for those of similar products. */
  readonly place?: OfferSource;
  readonly source?: string;
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
  const sources = [...places.map((place) => ({ name: place.app.name, file: place.file, place })), ...files];
  const found = await Promise.all(sources.map((source) => serversOf(source, machine)));
  const all = [...found.flat(), ...others.flatMap(serversIn)];
  const skipped = all.filter((one) => typeof one === 'string');
  return {
    offers: offersFromServers(
      all.filter((one) => typeof one !== 'string'),
      here,
    ),
    skipped: [...new Set(skipped)],
  };
}

/** The same for servers that come from no app: a file, a pasted text, a bundle. */
export function offersFromServers(found: readonly Found[], here: readonly ExistingServer[]): readonly ImportOffer[] {
  const known = new Map(here.map(({ name, entry }) => [launchIdentity(entry), name]));
  return grouped(found).map(([identity, group]) => {
    const [{ name, entry }] = group;
    return {
      id: createHash('sha256')
        .update(`${identity}\n${name}\n${accountIdentity(entry)}`)
        .digest('hex')
        .slice(0, 16),
      name,
      entry,
      places: group.flatMap(({ place }) => place ?? []),
      sources: [...new Set(group.flatMap(({ source }) => source ?? []))],
      losses: [...new Set(group.flatMap(({ losses = [] }) => losses))],
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

/** A file of an app that we connect, whose entries can be moved, or of another product, whose entries are copied. */
interface ConfigSource extends FoundImportFile {
  readonly place?: AppConfigFile;
}

async function serversOf({ name: product, file, place }: ConfigSource, machine: Machine): Promise<FoundOrSkipped[]> {
  const { home } = machine;
  const title = `${product}'s ${file.replace(home, '~')}`;
  try {
    const text = (await readAppFile(file)) ?? '';
    const takesJson5 = place === undefined;
    const { servers, notes } = readServersOfText(text, file, { home, project: place?.project }, { title, takesJson5 });
    const found = await Promise.all(
      servers.map(async (server) => {
        const { name = '', raw, path } = server;
        if (isObject(raw) && isTooltrayEntry(name, raw)) return [];
        // An entry that starts a similar product is replaced by the servers in that product's config.
        const behind = await resolveAggregator(raw, machine);
        if (behind !== undefined) return behind === 'without a config' ? [] : serversIn(behind);
        // A list item has no name by which it could be removed.
        const isNamed = path.every((step) => typeof step === 'string');
        return [offered(server, isNamed && place !== undefined ? { place: { ...place, path } } : { source: product })];
      }),
    );
    return [...notes.map((note) => `${title}: ${note}`), ...found.flat()];
  } catch (error) {
    const { message, fix } = toAppError(error);
    return [[message.startsWith(title) ? message : `${title} was not read: ${message}`, fix].filter(Boolean).join(' ')];
  }
}

/** Servers in another aggregator's config; what it says about the file is reported once, with the first server. */
function serversIn({ name: source, servers, notes }: AggregatorFile): FoundOrSkipped[] {
  const found = servers.map((server) => offered(server, { source }));
  const first = found.find((one) => typeof one !== 'string');
  return found.map((one) => (one === first ? { ...first, losses: [...(first.losses ?? []), ...notes] } : one));
}

function offered({ name, entry, reason, losses }: ReadServer, from: Pick<Found, 'place' | 'source'>): FoundOrSkipped {
  if (entry === undefined) return notImported(name, reason);
  return { name: name ?? suggestServerName(entry), entry, losses, ...from };
}

/** `name`: undefined for an unnamed entry. */
export function notImported(name = 'A server without a name', reason = ''): string {
  return `${name} was not imported: ${reason}`;
}

/**
 * Groups servers with the same launch; those that start nothing are left out. Two accounts of one service are two
 * servers: they start alike and differ in name and variables.
 */
function grouped(found: readonly Found[]): readonly (readonly [identity: string, group: [Found, ...Found[]]])[] {
  const groups: [string, [Found, ...Found[]]][] = [];
  for (const one of found) {
    const identity = launchIdentity(one.entry);
    if (identity === undefined) continue;
    const same = groups.find(
      ([other, [first]]) =>
        other === identity && (first.name === one.name || accountIdentity(first.entry) === accountIdentity(one.entry)),
    );
    if (same === undefined) groups.push([identity, [one]]);
    else same[1].push(one);
  }
  return groups;
}
