/** The servers that the apps of this machine define and a person may bring over; the same one in two apps is one offer. */
import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../base/json.ts';
import { readAppServers } from './app-servers.ts';
import type { AppPlace } from './change-app-file.ts';
import { importEntry } from './import-entry.ts';
import { launchIdentity } from './import-identity.ts';
import { secretSettings } from './import-secrets.ts';
import type { ImportedServer } from './import-text.ts';

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
  /** Names of settings that hold secrets. */
  readonly secrets: readonly string[];
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
  /** Undefined for what a person gave us by hand. */
  readonly place: OfferPlace | undefined;
}

/** In the order of the apps; what cannot be read is passed over. */
export async function importOffers(
  places: readonly AppPlace[],
  here: readonly KnownServer[],
  home: string,
): Promise<readonly ImportOffer[]> {
  const found = await Promise.all(places.map((place) => serversOf(place, home)));
  return offersOf(found.flat(), here);
}

/** The same for servers that come from no app: a file, a pasted text, a bundle. */
export function givenOffers(servers: readonly ImportedServer[], here: readonly KnownServer[]): readonly ImportOffer[] {
  const found = servers.flatMap(({ name, entry }) => withIdentity(name, entry, undefined));
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
      secrets: secretSettings(entry),
      already: known.get(identity),
    };
  });
}

async function serversOf(place: AppPlace, home: string): Promise<Found[]> {
  const { servers } = await readAppServers(place);
  return servers.flatMap(({ name, path, entry: theirs }) => {
    const entry = importEntry(theirs, home, place.project);
    return entry === undefined ? [] : withIdentity(name, entry, { ...place, path });
  });
}

function withIdentity(name: string, entry: JsonObject, place: OfferPlace | undefined): Found[] {
  const identity = launchIdentity(entry);
  return identity === undefined ? [] : [{ name, entry, identity, place }];
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
  const sorted = (value: unknown): unknown => Object.entries(isObject(value) ? value : {}).sort(byKey);
  return JSON.stringify([sorted(env), sorted(headers)]);
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : Number(a > b);
}
