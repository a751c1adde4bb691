/** Finds repairs for servers that fail to start: launch configurations in other files. Runs none of them. */
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { isObject, type JsonObject, objectOrEmpty, tryParsePlainJson } from '../base/json.ts';
import { FileJsonDocument } from '../base/json-document.ts';
import { Masker, opaqueSecrets, secretValues } from '../base/mask.ts';
import { commandLine } from '../base/text-format.ts';
import { markInvisible } from '../base/visible-text.ts';
import {
  maskedEntry,
  packageArgument,
  moreReach,
  placeholderValues,
  resolved,
  type ReadValue,
  withOwnReferences,
} from '../trust/launch-change.ts';
import { fieldOfKey } from '../config/dialects/read-entry.ts';
import { type ImportedServer, readOne, readServersOfText } from '../config/dialects/read-servers.ts';
import { type Machine, resolvePaths } from './app-files.ts';
import { isTooltrayEntry, readAppServers } from './app-servers.ts';
import { launchIdentity, launchSubject } from '../config/dialects/launch-identity.ts';
import type { KnownApp, PathsBySystem } from './known-app.ts';
import { knownApps } from './known-apps.ts';

export interface HealCandidate {
  readonly server: string;
  readonly source: Pick<HealSource, 'id' | 'title'>;
  /** The file; undefined for the user's own command, found at another path. */
  readonly file: string | undefined;
  /** The resulting entry. */
  readonly entry: JsonObject;
  /** The command or address with its values, with secrets as `***`. */
  readonly endpoint: string;
  /** Access beyond the current entry, one sentence each; shown first. */
  readonly reach: readonly string[];
}

/** Identifies a launch configuration that is offered for a server, regardless of its source. */
export function candidateKey({ server, entry }: HealCandidate): string {
  return createHash('sha256')
    .update(JSON.stringify([server, entry]))
    .digest('hex')
    .slice(0, 16);
}

interface HealDeps {
  readonly machine: Machine;
  readonly find: FindCommand;
  /** Absent: values are unknown, and placeholders are compared as written. */
  readonly readValue?: ReadValue | undefined;
}

/** Trying the user's own command needs no approval; storing the change does. */
export const ownCommand: HealCandidate['source'] = { id: 'own-command', title: 'Your own command' };

/** In order of preference: the user's own command, the same name in order of the sources, then equal launches. */
export async function findHealCandidates(
  server: string,
  written: JsonObject,
  { machine, find, readValue = () => Promise.resolve(undefined) }: HealDeps,
): Promise<readonly HealCandidate[]> {
  const own = readOne(written, { home: machine.home }).entry ?? {};
  const values = await placeholderValues(own, readValue);
  const repaired = (await repairedLaunches(own, find, machine)).map((entry) => ({
    source: ownCommand,
    name: server,
    file: undefined,
    entry,
  }));
  const found = await Promise.all(healSources(machine).map((source) => readHealSource(source, machine.home)));
  const ourOwn = resolved(own, values);
  const others: FoundLaunch[] = [];
  for (const launch of ranked(found.flat(), server, own)) {
    if (isTooltrayEntry(launch.name, launch.entry)) continue;
    const entry = withOwnReferences(own, launch.entry, values);
    const theirs = new Map([...values, ...(await placeholderValues(entry, readValue))]);
    if (differs(resolved(entry, theirs), ourOwn)) others.push({ ...launch, entry });
  }
  const startable = await Promise.all(others.map(({ entry }) => canStart(entry, find)));
  const offers = [...repaired, ...others.filter((_, index) => startable[index])].map(
    ({ source, name, file, entry }) => {
      const { id, title } = source;
      const isOwn = id === ownCommand.id;
      // Members that the user's own command omits must not return.
      const whole = merged(written, isOwn ? {} : own, entry);
      const launch = Object.fromEntries(Object.entries(whole).filter(([key]) => launchFields.has(key)));
      const endpoint = launchText(maskedEntry(launch, values.values()));
      const reach = isOwn ? [] : moreReach(own, launch, server, name);
      return { server, source: { id, title }, file, entry: whole, endpoint, reach };
    },
  );
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

/** Whether more than the name differs; another name alone is no repair. */
function differs(found: JsonObject, own: JsonObject): boolean {
  if (launchIdentity(found) !== launchIdentity(own) || found['command'] !== own['command']) return true;
  const said = (key: string): string => JSON.stringify(own[key] ?? null);
  const isKnown = (key: 'env' | 'headers'): boolean =>
    Object.entries(objectOrEmpty(found[key])).every(([name, value]) => objectOrEmpty(own[key])[name] === value);
  return (
    !isKnown('env') ||
    !isKnown('headers') ||
    (found['cwd'] !== undefined && JSON.stringify(found['cwd']) !== said('cwd'))
  );
}

async function canStart(entry: JsonObject, find: FindCommand): Promise<boolean> {
  const { command, env } = entry;
  if (typeof command !== 'string') return true;
  return (await find(command, objectOrEmpty(env) as Record<string, string>)) !== undefined;
}

const launchFields: ReadonlySet<string> = new Set(['command', 'args', 'env', 'cwd', 'url', 'headers', 'type']);

/**
 * Keeps the user's settings in addition to the launch. Variables are merged; those of the working launch take
 * precedence.
 */
function merged(written: JsonObject, own: JsonObject, found: JsonObject): JsonObject {
  const isLaunch = (key: string): boolean =>
    launchFields.has(fieldOfKey(key)) || (key === 'transport' && typeof written[key] === 'string');
  const rest = Object.entries(written).filter(([key]) => !isLaunch(key) && key !== 'name');
  const launch = Object.entries(found).filter(([key]) => launchFields.has(key));
  const both = found['command'] === undefined ? 'headers' : 'env';
  const together = { ...objectOrEmpty(own[both]), ...objectOrEmpty(found[both]) };
  return {
    ...Object.fromEntries(launch),
    ...(Object.keys(together).length > 0 && { [both]: together }),
    ...Object.fromEntries(rest),
  };
}

/** The same launch from several sources is one offer, from the preferred one. */
function firstOfEach(offers: readonly HealCandidate[]): HealCandidate[] {
  const byEntry = new Map<string, HealCandidate>();
  for (const offer of offers) {
    const key = JSON.stringify(offer.entry);
    if (!byEntry.has(key)) byEntry.set(key, offer);
  }
  return [...byEntry.values()];
}

/** The whole entry on one line for a user who decides on it: unmasked, with invisible characters marked. */
export function launchText({ type: _type, url, command, args, ...others }: JsonObject): string {
  const launch = typeof url === 'string' ? url : commandLine([command, ...listOf(args)].map(String));
  const rest = Object.entries(others)
    .filter(([, value]) => !isObject(value) || Object.keys(value).length > 0)
    .map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  return markInvisible(rest.length === 0 ? launch : `${launch} with ${rest.join(', ')}`);
}

/** For logs and records, with secrets masked. */
export function endpointText(entry: JsonObject): string {
  const { url, command, args, env, headers } = entry;
  const secrets = secretValues({ ...textsOf(env), ...textsOf(headers) });
  const masker = new Masker([...secrets, ...opaqueSecrets(entry, packageArgument(entry))]);
  if (typeof url === 'string') return masker.maskText(url);
  return commandLine(masker.maskObject([command, ...listOf(args)].map(String)) as string[]);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(objectOrEmpty(value)).map(([key, item]) => [key, String(item)]));
}

// Reads one source of launch configurations: a folder of bundles, or a file of servers. Malformed content is skipped.

/** A server in another source, and its file. */
interface FoundLaunch extends ImportedServer {
  readonly source: HealSource;
  readonly file: string;
}

/** Larger files and folders are skipped, because no launch configuration needs them. */
const maxBytes = 32 * 1024 * 1024;
const maxBundles = 2000;

/** Everything in a source. Never rejects. */
async function readHealSource(source: HealSource, home: string): Promise<readonly FoundLaunch[]> {
  if (source.kind === 'servers') {
    const found =
      source.app === undefined ? await serversIn(source.path, home) : await ofApp(source.app, source.path, home);
    return found.map((server) => ({ ...server, source, file: source.path }));
  }
  const names = (await readdir(source.path).catch(() => [])).filter((name) => name.endsWith('.json'));
  const bundles = await Promise.all(
    names
      .sort()
      .slice(0, maxBundles)
      .map((name) => readBundle(source, name, home)),
  );
  return bundles.filter((bundle) => bundle !== undefined);
}

/** The servers in an app's own file, in its order; those that launch nothing are omitted. */
async function ofApp(app: KnownApp, file: string, home: string): Promise<readonly ImportedServer[]> {
  const { servers } = await readAppServers({ app, file });
  return servers.flatMap(({ name, entry: theirs }) => {
    const { entry } = readOne(theirs, { home });
    return entry === undefined ? [] : [{ name, entry }];
  });
}

async function serversIn(file: string, home: string): Promise<readonly ImportedServer[]> {
  const text = await readSmallFile(file);
  try {
    const { servers } = text === undefined ? { servers: [] } : readServersOfText(text, file, { home });
    return servers.flatMap(({ name, entry }) => (name === undefined || entry === undefined ? [] : [{ name, entry }]));
  } catch {
    return [];
  }
}

/** `{"genericBundle": {"run": {"executable", "args", "env", "cwd"}}}`; a url in it counts as an address. */
async function readBundle(source: HealSource, fileName: string, home: string): Promise<FoundLaunch | undefined> {
  const file = join(source.path, fileName);
  const text = await readSmallFile(file);
  const value = text === undefined ? undefined : tryParsePlainJson(text.replace(/^\uFEFF/, ''));
  const bundle = isObject(value) ? value['genericBundle'] : undefined;
  const run = isObject(bundle) ? bundle['run'] : undefined;
  if (!isObject(run)) return undefined;
  const { entry } = readOne(run, { home });
  return entry && { name: fileName.slice(0, -'.json'.length), entry, source, file };
}

async function readSmallFile(file: string): Promise<string | undefined> {
  const stats = await stat(file).catch(() => undefined);
  if (stats === undefined || !stats.isFile() || stats.size > maxBytes) return undefined;
  return readFile(file, 'utf8').catch(() => undefined);
}

// The user's own command at another path, if it is missing where the config has it: a moved node, a script on Windows.

/** Finds a command on the PATH of servers; undefined if there is none. */
type FindCommand = (command: string, env: Readonly<Record<string, string>>) => Promise<string | undefined>;

const twins: Readonly<Record<string, string>> = {
  python: 'python3',
  python3: 'python',
  node: 'nodejs',
  nodejs: 'node',
};

/**
 * The entry with commands that exist, the most likely first; empty if its own command exists, or if there is nothing
 * similar.
 */
async function repairedLaunches(
  entry: JsonObject,
  find: FindCommand,
  { home, platform }: { readonly home: string; readonly platform: NodeJS.Platform },
): Promise<readonly JsonObject[]> {
  const { command, args } = entry;
  const env = stringsOf(entry['env']);
  if (typeof command !== 'string' || (await find(command, env)) !== undefined) return [];
  const words = [command, ...(Array.isArray(args) ? (args as unknown[]).map(String) : [])];
  const repaired: JsonObject[] = [];
  for (const base of hasOwnPath(env) ? [entry, withoutPath(entry, env)] : [entry]) {
    for (const [program = '', ...rest] of [words, ...otherSpellings(words, home, platform)]) {
      const known = repaired.some((one) => one['command'] === program);
      if (known || (await find(program, stringsOf(base['env']))) === undefined) continue;
      repaired.push({ ...base, command: program, ...(rest.length > 0 || args !== undefined ? { args: rest } : {}) });
    }
  }
  return repaired;
}

/** Whether the entry sets PATH, as some installers do, which hides programs that have moved since. */
function hasOwnPath(env: Readonly<Record<string, string>>): boolean {
  return Object.entries(env).some(([name, value]) => isPath(name) && !value.includes('${'));
}

function withoutPath({ env: _, ...entry }: JsonObject, env: Readonly<Record<string, string>>): JsonObject {
  const others = Object.entries(env).filter(([name]) => !isPath(name));
  return others.length === 0 ? entry : { ...entry, env: Object.fromEntries(others) };
}

function isPath(name: string): boolean {
  return name.toUpperCase() === 'PATH';
}

function otherSpellings([command = '', ...args]: readonly string[], home: string, platform: NodeJS.Platform) {
  const own = /^~[/\\]/.test(command) ? [join(home, command.slice(2))] : [];
  const file = command.split(/[\\/]/).at(-1) ?? command;
  const bare = file.replace(/\.(exe|cmd|bat)$/i, '');
  const twin = twins[bare.toLowerCase()];
  // A path in one of Tooltray's folders identifies the program; a relative one refers to a missing file.
  const isMoved = isAbsolute(command) || /^[A-Za-z]:[\\/]/.test(command) || file === command;
  const words = isMoved ? [bare, ...(twin === undefined ? [] : [twin])] : [];
  const unwrapped = platform !== 'win32' && /^cmd$/i.test(bare) && /^\/c$/i.test(args[0] ?? '') ? [args.slice(1)] : [];
  const spelled = [...own, ...words].filter((word) => word !== command).map((word) => [word, ...args]);
  return [...unwrapped.filter((line) => line.length > 0), ...spelled];
}

function stringsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(objectOrEmpty(value));
  return Object.fromEntries(entries.flatMap(([key, item]) => (typeof item === 'string' ? [[key, item] as const] : [])));
}

// Sources of launch configurations: the five of ToolMux in its order, then every known app.

interface HealSource {
  /** The user approves a source once. */
  readonly id: string;
  /** The display name. */
  readonly title: string;
  /** `bundles`: a folder with one file per server; `servers`: a file with several. */
  readonly kind: 'bundles' | 'servers';
  /** Absolute. */
  readonly path: string;
  /** The app that the config file belongs to. */
  readonly app?: KnownApp;
}

interface Place {
  readonly id: string;
  readonly title: string;
  readonly kind: HealSource['kind'];
  readonly paths: PathsBySystem;
  readonly app?: KnownApp;
}

// ToolMux itself uses only ~/.config, regardless of XDG_CONFIG_HOME.
const registryBundles = ['$XDG_CONFIG_HOME/smithy-mcp/bundles', '$HOME/.config/smithy-mcp/bundles'];
// ToolMux's README and code disagree about two names (mcp.json, ~/.claude), so both are read.
const shared = ['$XDG_CONFIG_HOME', '$HOME/.config'].flatMap((at) => [`${at}/mcp/config.json`, `${at}/mcp/mcp.json`]);
const roaming = ['$APPDATA/mcp/config.json', '$APPDATA/mcp/mcp.json'];
const claudeFile = 'claude_desktop_config.json';

const places: readonly Place[] = [
  {
    id: 'mcp-registry',
    title: 'MCP registry bundles',
    kind: 'bundles',
    paths: perSystem(registryBundles, ['$APPDATA/smithy-mcp/bundles']),
  },
  { id: 'user-bundles', title: 'Your own bundles', kind: 'bundles', paths: ['$HOME/.aim/bundles'] },
  { id: 'shared-config', title: 'The shared MCP config', kind: 'servers', paths: perSystem(shared, roaming) },
  ...placesOfApp('claude-desktop'),
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    kind: 'servers',
    paths: [
      `$HOME/Library/Application Support/Claude/${claudeFile}`,
      `$HOME/.config/Claude/${claudeFile}`,
      `$HOME/.claude/${claudeFile}`,
    ],
  },
  ...placesOfApp('cursor'),
  ...knownApps.flatMap(({ id }) => placesOfApp(id)),
];

/** Distinct sources in order of preference. */
export function healSources(machine: Machine): readonly HealSource[] {
  const byPath = new Map<string, HealSource>();
  for (const { paths, ...place } of places) {
    for (const path of resolvePaths(machine, paths)) if (!byPath.has(path)) byPath.set(path, { ...place, path });
  }
  return [...byPath.values()];
}

function placesOfApp(wanted: string): readonly Place[] {
  return knownApps
    .filter(({ id }) => id === wanted)
    .map((app) => ({ id: app.id, title: app.name, kind: 'servers', paths: app.files, app }));
}

/** Windows has its own location, in addition to the one that ported programs use. */
function perSystem(paths: readonly string[], onWindows: readonly string[]): PathsBySystem {
  return { darwin: paths, linux: paths, win32: [...paths, ...onWindows] };
}

// The sources that the user has approved, once for all, and the offers that they dismissed.

interface Consents {
  readonly sources: readonly string[];
  /** Keys of offers. */
  readonly unwanted: readonly string[];
}

/** Maximum number; the oldest are dropped first and would be offered again. */
const maxUnwanted = 200;

export class HealConsents {
  readonly #document: FileJsonDocument;

  constructor(file: string) {
    this.#document = new FileJsonDocument(file, '{}');
  }

  async has(source: string): Promise<boolean> {
    return consentsIn(await this.#document.read()).sources.includes(source);
  }

  async grant(source: string): Promise<void> {
    await this.#change(({ sources, unwanted }) => ({ sources: [...new Set([...sources, source])], unwanted }));
  }

  async dismissed(): Promise<ReadonlySet<string>> {
    return new Set(consentsIn(await this.#document.read()).unwanted);
  }

  /** `offer`: its key. */
  async setDismissed(offer: string, isUnwanted: boolean): Promise<void> {
    await this.#change(({ sources, unwanted }) => {
      const others = unwanted.filter((key) => key !== offer);
      return { sources, unwanted: isUnwanted ? [...others, offer].slice(-maxUnwanted) : others };
    });
  }

  #change(change: (consents: Consents) => Consents): Promise<void> {
    return this.#document.change((value) => [change(consentsIn(value)), undefined]);
  }
}

/** An unreadable file contains no approval. */
function consentsIn(value: unknown): Consents {
  const { sources, unwanted } = objectOrEmpty(value);
  return { sources: namesIn(sources), unwanted: namesIn(unwanted) };
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as unknown[]).filter((one): one is string => typeof one === 'string') : [];
}
