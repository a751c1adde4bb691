/** What there is to know of a server besides how it does: where it comes from, what it reaches, which secrets it holds, since when it is accepted. */
import { isSecretName, maskText } from '../base/mask.ts';
import { markHidden } from '../base/shown-text.ts';
import type { ServerConfig } from '../config/app-config.ts';
import { placementOf } from '../config/placement.ts';
import { secretsNamed } from '../config/replace-variables.ts';
import type { CarriedEnvironments } from '../servers/launch/carried-environments.ts';
import { listed } from '../trust/inbox/entry-meanings.ts';
import { boxWords } from '../trust/inbox/isolation-words.ts';
import type { FileDigests } from '../trust/pins/file-digests.ts';
import { floatingPackage, launchOf, programName } from '../trust/pins/launch.ts';
import { PinFolder } from '../trust/pins/pin-file.ts';

interface Known {
  /** Folder of what was accepted of each server. */
  readonly pinFolder: string;
  readonly carried: CarriedEnvironments;
  /** Of program files; without it they are read anew. */
  readonly digests?: FileDigests;
}

/** Sentences. */
export interface ServerBackground {
  readonly origin: string;
  /** In ms since 1970; undefined: nothing of it was accepted yet. */
  readonly acceptedAt: number | undefined;
  readonly reach: readonly string[];
  readonly holds: readonly string[];
}

/** Nothing is started or asked. Never rejects. */
export async function serverBackground(
  server: ServerConfig,
  { pinFolder, carried, digests }: Known,
): Promise<ServerBackground> {
  const accepted = await new PinFolder(pinFolder)
    .of(server.name)
    .read()
    .catch(() => undefined);
  return {
    origin: [await originOf(server, digests), ...addedFrom(server)].join(' '),
    acceptedAt: accepted?.acceptedAt,
    reach: [...reachOf(server), ...placed(server)],
    holds: holdingsOf(server, carried),
  };
}

/** All of it in a row. */
export function backgroundText({ origin, acceptedAt, reach, holds }: ServerBackground): string {
  const since = acceptedAt === undefined ? 'Nothing of it was accepted yet.' : `Accepted ${dateOf(acceptedAt)}.`;
  return [origin, since, ...reach, ...holds].join(' ');
}

async function originOf(server: ServerConfig, digests: FileDigests | undefined): Promise<string> {
  if (server.kind === 'builtin') return 'Comes with Tooltray.';
  if (server.kind !== 'stdio') return `Lies at ${markHidden(hostOf(server.url))}, whatever version that is.`;
  const { command, args } = server;
  const floats = floatingPackage(command, args);
  if (floats !== undefined) return `Is ${markHidden(floats)} by ${programName(command)}, the newest at each start.`;
  const { pin, program } = await launchOf(server, digests?.of);
  const version = pin === undefined ? 'of a version that cannot be told' : `version ${pin.slice(0, 19)}`;
  // What is fetched by name is that package; of others the command line says which they are.
  const [runner, ...words] = program.split('\n').filter((word) => !word.startsWith('-'));
  const fetched = runner === programName(command) && exact.test(version) ? words[0] : undefined;
  return fetched === undefined
    ? `Is ${programName(command)} on this computer, ${version}.`
    : `Is ${markHidden(maskText(fetched))} by ${runner}, ${version}.`;
}

/** It was so when it was added; what is run now is told from the launch. */
function addedFrom({ registry }: ServerConfig): readonly string[] {
  if (registry === undefined) return [];
  const { name, server, version } = registry;
  return [markHidden(`Was added from the registry "${name}", where it is ${`${server} ${version}`.trim()}.`)];
}

/** A version of a package, not the digest of a file. */
const exact = /^version (?!sha256:|\d+ bytes)/;

function reachOf(server: ServerConfig): readonly string[] {
  if (server.kind === 'builtin') {
    return server.folders.length === 0 ? [] : [`Reads and writes ${listed(server.folders.map(markHidden))}.`];
  }
  if (server.kind !== 'stdio') return ['Is told what its tools are called with.'];
  if (server.isolate !== undefined) return boxWords(server.isolate);
  return ['Runs with your rights: whatever you can read, write and reach, it can.'];
}

/** On a desktop it is of interest to whoever wrote it into the entry, or gave a server what is each person's own. */
function placed(server: ServerConfig): readonly string[] {
  const { placement, reason } = placementOf(server);
  return server.placement === undefined && placement !== 'personal' ? [] : [reason];
}

function holdingsOf(server: ServerConfig, carried: CarriedEnvironments): readonly string[] {
  if (server.kind === 'builtin') return [];
  const own = server.kind === 'stdio' ? server.env : server.headers;
  const plain = Object.keys(own).filter((name) => isSecretName(name) && secretsNamed(own[name]).length === 0);
  const inherited = server.kind === 'stdio' ? carried.inherited(server) : [];
  const secrets = [...new Set([...secretsNamed(server), ...plain, ...(inherited === 'all' ? [] : inherited)])];
  return [
    secrets.length === 0 ? 'Holds no secret.' : `Holds ${listed(secrets.map(markHidden))}.`,
    ...(inherited === 'all' ? ['Gets every variable of your login.'] : []),
  ];
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : maskText(url);
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
