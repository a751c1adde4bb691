/** What could mend a server that does not start: launches found elsewhere. Nothing of them is run here. */
import { Masker } from '../base/mask-secrets.ts';
import { secretValues } from '../base/secret-values.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { keyAliases } from '../config/entry-keys.ts';
import type { Machine } from './app-files.ts';
import { isOurs } from './entry-launch.ts';
import { type FoundLaunch, readHealSource } from './heal-bundle.ts';
import { type FindCommand, repairedLaunches } from './heal-launch.ts';
import { type HealSource, healSources } from './heal-sources.ts';
import { importEntry } from './import-entry.ts';
import { launchIdentity, launchSubject } from './import-identity.ts';

export interface HealOffer {
  readonly server: string;
  readonly source: Pick<HealSource, 'id' | 'title'>;
  /** The file it comes from; undefined where it is the person's own command, found anew. */
  readonly file: string | undefined;
  /** The whole entry as it would be written. */
  readonly entry: JsonObject;
  /** What it starts or where it connects, secrets masked. */
  readonly endpoint: string;
}

export interface HealDeps {
  readonly machine: Machine;
  readonly find: FindCommand;
}

/** Trying the person's own command needs no yes; keeping the change does. */
export const ownCommand: HealOffer['source'] = { id: 'own-command', title: 'Your own command' };

/** The best first: the person's own command, then the same name in the order of the places, then what launches the same. */
export async function healOffers(
  server: string,
  written: JsonObject,
  { machine, find }: HealDeps,
): Promise<readonly HealOffer[]> {
  const own = importEntry(written, { home: machine.home }) ?? {};
  const repaired = (await repairedLaunches(own, find, machine)).map((entry) => ({
    source: ownCommand,
    file: undefined,
    entry,
  }));
  const found = await Promise.all(healSources(machine).map((source) => readHealSource(source, machine.home)));
  const others = ranked(found.flat(), server, own).filter(
    ({ name, entry }) => !isOurs(name, entry) && differs(entry, own),
  );
  const startable = await Promise.all(others.map(({ entry }) => canStart(entry, find)));
  const offers = [...repaired, ...others.filter((_, index) => startable[index])].map(({ source, file, entry }) => {
    const { id, title } = source;
    // What was left out of the person's own command is not to come back.
    const known = id === ownCommand.id ? {} : own;
    return { server, source: { id, title }, file, entry: merged(written, known, entry), endpoint: endpointText(entry) };
  });
  return firstOfEach(offers);
}

function ranked(found: readonly FoundLaunch[], server: string, own: JsonObject): FoundLaunch[] {
  const named = found.filter(({ name }) => name === server);
  const alike = found.filter(({ name }) => name !== server && name.toLowerCase() === server.toLowerCase());
  const subject = launchSubject(own);
  const launching = found.filter(
    (one) => subject !== undefined && launchSubject(one.entry) === subject && ![...named, ...alike].includes(one),
  );
  return [...named, ...alike, ...launching];
}

/** Where only the name it has elsewhere differs, there is nothing to gain. */
function differs(found: JsonObject, own: JsonObject): boolean {
  if (launchIdentity(found) !== launchIdentity(own) || found['command'] !== own['command']) return true;
  const said = (key: string): string => JSON.stringify(own[key] ?? null);
  const isKnown = (key: 'env' | 'headers'): boolean =>
    Object.entries(objectOf(found[key])).every(([name, value]) => objectOf(own[key])[name] === value);
  return (
    !isKnown('env') ||
    !isKnown('headers') ||
    (found['cwd'] !== undefined && JSON.stringify(found['cwd']) !== said('cwd'))
  );
}

async function canStart(entry: JsonObject, find: FindCommand): Promise<boolean> {
  const { command, env } = entry;
  if (typeof command !== 'string') return true;
  return (await find(command, objectOf(env) as Record<string, string>)) !== undefined;
}

const launchFields: ReadonlySet<string> = new Set(['command', 'args', 'env', 'cwd', 'url', 'headers', 'type']);

/** What the person wrote beside the launch stays; variables of both are put together, those of the launch that works win. */
function merged(written: JsonObject, own: JsonObject, found: JsonObject): JsonObject {
  const isLaunch = (key: string): boolean =>
    launchFields.has(keyAliases.get(key) ?? key) || (key === 'transport' && typeof written[key] === 'string');
  const rest = Object.entries(written).filter(([key]) => !isLaunch(key) && key !== 'name');
  const launch = Object.entries(found).filter(([key]) => launchFields.has(key));
  const both = found['command'] === undefined ? 'headers' : 'env';
  const together = { ...objectOf(own[both]), ...objectOf(found[both]) };
  return {
    ...Object.fromEntries(launch),
    ...(Object.keys(together).length > 0 && { [both]: together }),
    ...Object.fromEntries(rest),
  };
}

/** The same launch in two places is one offer, that of the better place. */
function firstOfEach(offers: readonly HealOffer[]): HealOffer[] {
  const byEntry = new Map<string, HealOffer>();
  for (const offer of offers) {
    const key = JSON.stringify(offer.entry);
    if (!byEntry.has(key)) byEntry.set(key, offer);
  }
  return [...byEntry.values()];
}

/** As people read it, secrets masked. */
export function endpointText(entry: JsonObject): string {
  const { url, command, args, env, headers } = entry;
  const secrets = secretValues({ ...textsOf(env), ...textsOf(headers) });
  const masker = new Masker(secrets);
  if (typeof url === 'string') return masker.maskText(url);
  const words = [command, ...(Array.isArray(args) ? (args as unknown[]) : [])].map(String);
  const shown = masker.maskObject(words) as string[];
  return shown.map((word) => (/^[^\s"'\\]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}

function textsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(objectOf(value)).map(([key, item]) => [key, String(item)]));
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
