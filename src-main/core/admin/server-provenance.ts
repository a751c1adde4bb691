/** The background of a server: its origin, its access, its secrets, and when it was accepted. */
import { isSecretName, maskText } from '../base/mask.ts';
import { markInvisible } from '../base/visible-text.ts';
import type { ServerConfig, StdioServerConfig } from '../config/server-config.ts';
import { placementOf } from '../config/placement.ts';
import { secretNamesIn } from '../config/replace-variables.ts';
import { findPlaintextSecrets } from '../secrets/find-plaintext-secrets.ts';
import { hostKind } from '../servers/network/address-kinds.ts';
import { joinNames } from '../trust/inbox/entry-consequences.ts';
import { describeIsolation } from '../trust/inbox/describe-isolation.ts';
import type { FileDigestCache } from '../trust/pins/file-digest-cache.ts';
import {
  unpinnedPackage,
  imageOf,
  fingerprintLaunch,
  npxPackage,
  programName,
  scriptOf,
} from '../trust/pins/launch-fingerprint.ts';
import { FilePinStore } from '../trust/pins/pin-store.ts';

interface Known {
  /** Folder with the accepted definitions of each server. */
  readonly pinFolder: string;
  /** Digests of program files; computed on each call if absent. */
  readonly digests?: FileDigestCache;
  /** Returns the account the user is signed in with; undefined if none is known. */
  readonly signedIn: (server: ServerConfig) => Promise<SignedIn | undefined>;
}

interface SignedIn {
  readonly account: string | undefined;
}

/** In sentences. */
export interface ServerProvenance {
  readonly origin: string;
  /** Whether it comes with Tooltray and needs no acceptance. */
  readonly isOurs: boolean;
  /** In ms since 1970; undefined: nothing was accepted yet. */
  readonly acceptedAt: number | undefined;
  readonly reach: readonly string[];
  readonly holds: readonly string[];
}

/** Never rejects, and neither starts nor queries a server. */
export async function loadServerProvenance(
  server: ServerConfig,
  { pinFolder, digests, signedIn }: Known,
): Promise<ServerProvenance> {
  const accepted = await new FilePinStore(pinFolder)
    .forServer(server.name)
    .read()
    .catch(() => undefined);
  return {
    origin: [await originOf(server, digests), ...addedFrom(server)].join(' '),
    isOurs: server.kind === 'builtin',
    acceptedAt: accepted?.acceptedAt,
    reach: [...reachOf(server), ...placed(server)],
    holds: holdingsOf(server, await signedIn(server)),
  };
}

/** All sentences as one text. */
export function formatProvenance({ origin, isOurs, acceptedAt, reach, holds }: ServerProvenance): string {
  const since = acceptedAt === undefined ? 'Its definitions are not accepted yet.' : `Accepted ${dateOf(acceptedAt)}.`;
  return [origin, ...(isOurs ? [] : [since]), ...reach, ...holds].join(' ');
}

async function originOf(server: ServerConfig, digests: FileDigestCache | undefined): Promise<string> {
  if (server.kind === 'builtin') return 'Comes with Tooltray.';
  if (server.kind !== 'stdio') return placeOf(server.url);
  const { command, args } = server;
  const runner = programName(command);
  const image = imageOf(command, args);
  if (image !== undefined)
    return `Runs the image ${markInvisible(maskText(image.split('@', 1).join('')))} with ${runner}, ${imageVersion(image)}.`;
  const fetched = isEngine.test(runner) ? undefined : unpinnedPackage(command, args);
  if (fetched !== undefined)
    return `Runs ${markInvisible(maskText(fetched))} with ${runner}, ${floatingVersion(server)}.`;
  const { pin, program } = await fingerprintLaunch(server, digests?.of);
  const version = pin === undefined || isEngine.test(runner) ? 'in an unknown version' : `version ${pin.slice(0, 19)}`;
  // A fetched package is identified by name; otherwise the command line is shown.
  const [started, ...words] = program.split('\n').filter((word) => !word.startsWith('-'));
  const named = started === runner && exact.test(version) ? words[0] : undefined;
  if (named !== undefined) return `Runs ${markInvisible(maskText(named))} with ${runner}, ${version}.`;
  const script = scriptOf(args.filter((arg) => !/\s/.test(arg)));
  const what = script === undefined ? runner : `${markInvisible(maskText(script))} with ${runner}`;
  const where = server.isolate?.kind === 'container' ? '' : ' on this computer';
  return `Runs ${what}${where}, ${version}.`;
}

function placeOf(url: string): string {
  const host = markInvisible(hostOf(url));
  return isHere(url)
    ? `Runs on this computer at ${host}, in an unknown version.`
    : `Runs at ${host}, in a version chosen by its operator.`;
}

const isEngine = /^(?:docker|podman|nerdctl)$/;

function imageVersion(image: string): string {
  const digest = /@(sha256:[0-9a-f]{12})/.exec(image)?.[1];
  return digest === undefined ? 'resolved when it starts' : `locked to ${digest}`;
}

/** In a sandbox an npm package is installed once; otherwise the runner fetches newer versions. */
function floatingVersion({ command, args, isolate }: StdioServerConfig): string {
  const newest = 'the latest version at each start';
  if (npxPackage(command, args) === undefined) return newest;
  if (isolate?.kind === 'sandbox') return 'the latest version when it was installed for its sandbox';
  return isolate?.kind === 'auto'
    ? `the latest version when it was installed for its sandbox, or without a sandbox ${newest}`
    : newest;
}

/** The source when the server was added; what runs now is read from the launch. */
function addedFrom({ registry }: ServerConfig): readonly string[] {
  if (registry === undefined) return [];
  const { name, server, version } = registry;
  return [markInvisible(`Added from the registry "${name}" as ${`${server} ${version}`.trim()}.`)];
}

/** The version of a package, as opposed to the digest of a file. */
const exact = /^version (?!sha256:|\d+ bytes)/;

function reachOf(server: ServerConfig): readonly string[] {
  if (server.kind === 'builtin') {
    return server.folders.length === 0 ? [] : [`Reads and writes ${joinNames(server.folders.map(markInvisible))}.`];
  }
  if (server.kind !== 'stdio') {
    const receives = 'receives the arguments of its tools';
    return [
      isHere(server.url)
        ? `Has the permissions of the user who started it; ${receives}.`
        : `Reads nothing here; ${receives}.`,
    ];
  }
  if (server.isolate !== undefined) return describeIsolation(server.isolate);
  if (imageOf(server.command, server.args) !== undefined)
    return ['Starts a container itself; the arguments define what it can access.'];
  return ['Not isolated: has all permissions of your user account.'];
}

/** On a desktop this matters only if the entry sets it, or if the server receives values of each user. */
function placed(server: ServerConfig): readonly string[] {
  const { placement, reason } = placementOf(server);
  return server.placement === undefined && placement !== 'per-user' ? [] : [`In a team: ${reason}`];
}

function holdingsOf(server: ServerConfig, signedIn: SignedIn | undefined): readonly string[] {
  if (server.kind === 'builtin') return [];
  const inherited = server.kind === 'stdio' ? (server.inheritEnv ?? []) : [];
  const secrets = [...secretNamesIn(server), ...plainOf(server), ...(inherited === 'all' ? [] : inherited)];
  const account = signedIn?.account === undefined ? '' : ` as ${markInvisible(signedIn.account)}`;
  const held = [...new Set(secrets.map(markInvisible)), ...(signedIn === undefined ? [] : [`your sign-in${account}`])];
  return [
    held.length === 0 ? 'Has no secrets.' : `Has ${joinNames(held)}.`,
    ...(inherited === 'all' ? ['Inherits all environment variables.'] : []),
  ];
}

/** Returns the names or positions of plaintext keys in an entry. */
function plainOf(server: Exclude<ServerConfig, { kind: 'builtin' }>): readonly string[] {
  const own = server.kind === 'stdio' ? server.env : server.headers;
  const named = Object.keys(own).filter((name) => isSecretName(name) && secretNamesIn(own[name]).length === 0);
  const found = findPlaintextSecrets(server.name, { ...server }).map(({ where }) => {
    const [field = '', name] = where.split(' ');
    if (field === 'url') return `${name ?? 'a key'} in its address`;
    return name === undefined || field === 'args' ? 'a key in its arguments' : name;
  });
  return [...named, ...found];
}

function isHere(url: string): boolean {
  return URL.canParse(url) && hostKind(new URL(url).hostname) === 'loopback';
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : maskText(url);
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
