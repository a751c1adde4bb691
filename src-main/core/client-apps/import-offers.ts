/** The servers that the apps of this machine define and a person may bring over; the same one in two apps is one offer. */
import { createHash } from 'node:crypto';
import { type JsonObject, objectOf } from '../base/json.ts';
import { readAppServers } from './app-servers.ts';
import type { AppPlace } from './update-app-file.ts';
import type { Machine } from './app-files.ts';
import { type ImportedServer, importEntry, importLosses, launchIdentity, secretSettings } from './import-entry.ts';
import { type FoundSecret, foundSecrets, keyringSecrets, withReferences } from '../secrets/find-plain.ts';
import { aggregatorBehind, type AggregatorFile } from './other-aggregators.ts';

/** An entry in the file of an app. */
export interface OfferPlace extends AppPlace {
  /** The keys that lead to it. */
  readonly path: readonly string[];
}

export interface ImportOffer {
  /** Stays the same as long as what it starts does. */
  readonly id: string;
  readonly name: string;
  /** As our config has it. */
  readonly entry: JsonObject;
  readonly places: readonly OfferPlace[];
  /** Products like ours that have it in their config. */
  readonly sources: readonly string[];
  /** What bringing it over leaves behind, a sentence each. */
  readonly losses: readonly string[];
  /** Names of settings that hold secrets. */
  readonly secrets: readonly string[];
  /** What could be sealed. */
  readonly sealable: readonly FoundSecret[];
  /** The server here that is the same. */
  readonly already: string | undefined;
}

/** A server of our own config, as far as it matters here. */
export interface KnownServer {
  readonly name: string;
  readonly entry: JsonObject;
}

interface Found {
  readonly name: string;
  readonly entry: JsonObject;
  readonly identity: string;
  /** Undefined for what a person gave us by hand, and what another product like ours has. */
  readonly place: OfferPlace | undefined;
  readonly source?: string | undefined;
  readonly losses: readonly string[];
}

/** In the order of the apps; what cannot be read is passed over. */
export async function importOffers(
  places: readonly AppPlace[],
  here: readonly KnownServer[],
  machine: Machine,
  others: readonly AggregatorFile[] = [],
): Promise<readonly ImportOffer[]> {
  const found = await Promise.all(places.map((place) => serversOf(place, machine)));
  return offersOf([...found.flat(), ...others.flatMap((file) => serversIn(file, machine))], here);
}

/** The same for servers that come from no app: a file, a pasted text, a bundle. */
export function givenOffers(servers: readonly ImportedServer[], here: readonly KnownServer[]): readonly ImportOffer[] {
  const found = servers.flatMap(({ name, entry, losses = [] }) =>
    withIdentity({ name, entry, losses, place: undefined }),
  );
  return offersOf(found, here);
}

function offersOf(found: readonly Found[], here: readonly KnownServer[]): readonly ImportOffer[] {
  const known = new Map(here.map(({ name, entry }) => [launchIdentity(entry), name]));
  return grouped(found).map((group) => {
    const [{ name, entry, identity }] = group;
    return {
      id: createHash('sha256')
        .update(`${identity}\n${name}\n${variablesOf(entry)}`)
        .digest('hex')
        .slice(0, 16),
      name,
      entry,
      places: group.flatMap(({ place }) => place ?? []),
      sources: [...new Set(group.flatMap(({ source }) => source ?? []))],
      losses: [...new Set(group.flatMap(({ losses }) => losses))],
      secrets: secretSettings(entry),
      sealable: [...foundSecrets(name, entry), ...keyringSecrets(name, entry)],
      already: known.get(identity) ?? sealedHere(name, entry, here),
    };
  });
}

/** One of the same name whose secrets were sealed here since. Other names may be other accounts. */
function sealedHere(name: string, entry: JsonObject, here: readonly KnownServer[]): string | undefined {
  const same = here.find((one) => one.name === name);
  if (same === undefined) return undefined;
  const theirs = withoutNames(withReferences(name, entry, () => 'x'));
  return launchIdentity(withoutNames(same.entry)) === launchIdentity(theirs) ? same.name : undefined;
}

/** What a secret is called says nothing about what is started. */
function withoutNames(entry: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(entry).replace(/\$\{(?:secret|keyring):[^}]*\}/g, '${secret:x}')) as JsonObject;
}

async function serversOf(place: AppPlace, machine: Machine): Promise<Found[]> {
  const { servers } = await readAppServers(place);
  const found = await Promise.all(
    servers.map(async ({ name, path, entry: theirs }) => {
      // One that starts a product like ours is not a server to put behind us: what it holds is.
      const behind = await aggregatorBehind(theirs, machine);
      if (behind !== undefined) return behind === 'without a config' ? [] : serversIn(behind, machine);
      const container = path.at(-2);
      const entry = importEntry(theirs, { home: machine.home, project: place.project, container });
      const losses = importLosses(theirs);
      return entry === undefined ? [] : withIdentity({ name, entry, losses, place: { ...place, path } });
    }),
  );
  return found.flat();
}

/** What another product like ours has in its config; its settings are told once, with the first. */
function serversIn({ name: source, servers, settings }: AggregatorFile, { home }: Machine): Found[] {
  const container = source === 'MCPProxy' ? 'mcpServers' : 'servers';
  const found = servers.flatMap(([name, theirs]) => {
    const entry = importEntry(theirs, { home, container });
    return entry === undefined
      ? []
      : withIdentity({ name, entry, source, losses: importLosses(theirs), place: undefined });
  });
  const rest = settings.length === 0 ? [] : [`${source}'s own settings stay behind: ${settings.join(', ')}.`];
  return found.map((one, index) => (index === 0 ? { ...one, losses: [...one.losses, ...rest] } : one));
}

function withIdentity(found: Omit<Found, 'identity'>): Found[] {
  const identity = launchIdentity(found.entry);
  return identity === undefined ? [] : [{ ...found, identity }];
}

/** Two accounts of one service are two servers: they are started alike, and differ in name and variables. */
function grouped(found: readonly Found[]): [Found, ...Found[]][] {
  const groups: [Found, ...Found[]][] = [];
  for (const one of found) {
    const same = groups.find(
      ([first]) =>
        first.identity === one.identity &&
        (first.name === one.name || variablesOf(first.entry) === variablesOf(one.entry)),
    );
    if (same === undefined) groups.push([one]);
    else same.push(one);
  }
  return groups;
}

function variablesOf({ env, headers }: JsonObject): string {
  const sorted = (value: unknown): unknown => Object.entries(objectOf(value)).sort(byKey);
  return JSON.stringify([sorted(env), sorted(headers)]);
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : Number(a > b);
}
