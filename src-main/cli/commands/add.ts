/** `tooltray add`: writes a server into the config file and prints the entry. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import packageJson from '../../../package.json' with { type: 'json' };
import { candidateQuestion } from '../../core/admin/self-healing.ts';
import { probeEntry } from '../../core/admin/probe-entry.ts';
import { AppError } from '../../core/base/errors.ts';
import { maskObject } from '../../core/base/mask.ts';
import { HealConsents, type HealCandidate, findHealCandidates } from '../../core/client-apps/heal-candidates.ts';
import type { ConfigStore } from '../../core/config/config-store.ts';
import type { RawEntry } from '../../core/config/edit-config.ts';
import { looksPasted } from '../../core/paste-import/parse-pasted.ts';
import { findCommand } from '../../core/servers/launch/find-command.ts';
import { EnvironmentResolver } from '../../core/servers/launch/resolve-environment.ts';
import { addPasted } from '../add-pasted.ts';
import { cliPaths, openCliConfig } from '../cli-config.ts';
import { command, commonFlags, type ParsedFlags, usageError } from '../command.ts';
import { withTransports } from '../probe.ts';
import { confirm, notAppliedMessage, oneLine, printResult, printLines, printProgress } from '../terminal.ts';
import { requireFreeName, writeServer, writtenLines } from '../write-server.ts';

const flags = {
  env: {
    value: 'K=V',
    many: true,
    help: 'Environment variable (repeatable); KEY alone is read from the environment at start',
  },
  cwd: { value: 'D', help: 'Working directory of the command' },
  url: { value: 'URL', help: 'URL of a remote server' },
  header: { value: 'K=V', many: true, help: 'HTTP header (repeatable); use ${env:NAME} for secrets' },
  transport: { value: 'TYPE', help: 'Transport: http or sse (default http)' },
  description: { value: 'T', help: 'Description' },
  lazy: { help: 'Start the server on its first call' },
  vault: { help: 'Move detected secrets to the vault and reference them as ${secret:NAME}' },
  dryRun: { help: 'Show the entry without writing it' },
  yes: { help: 'Skip confirmation' },
  ...commonFlags,
} as const;

type AddFlags = ParsedFlags<typeof flags>;

export const add = command({
  words: 'NAME [COMMAND ARGS…]',
  form: 'NAME COMMAND [ARGS…] | NAME --url URL | NAME | TEXT',
  flags,
  // npx --yes
  wraps: ['yes'],
  notes: [
    'NAME alone looks for a server of that name in your other apps and bundles, and asks before running it.',
    'TEXT is a quoted snippet, or - for stdin: a "claude mcp add …" command, JSON, an install link or a URL.',
    'Use -- before a command that has flags:',
    '  tooltray add files -- npx -y @modelcontextprotocol/server-filesystem ~/Documents',
  ],
  async run(given, [name = '', ...launch]) {
    const { dryRun, vault, config, json } = given;
    if (name.trim() === '') throw usageError('Missing name');
    const text = name === '-' ? await readAll(process.stdin) : name;
    if (launch.length === 0 && (name === '-' || looksPasted(name))) {
      requireNothingElse(given);
      return addPasted(text, await openCliConfig(config), { dryRun, vault }, json);
    }
    const own = entryOf(given, launch);
    const store = await openCliConfig(config);
    requireFreeName(name, store);
    const whole = 'url' in own || 'command' in own ? own : await completed(name, own, given, store);
    if (whole === undefined) return 1;
    // Plain secrets of another app's entry are stored in the vault.
    const server = await writeServer(name, whole, store, { dryRun, vault: vault || whole !== own });
    printResult(json, { ...server, file: store.path, written: !dryRun }, () =>
      writtenLines(server, store.path, dryRun),
    );
    return 0;
  },
});

/** Refuses other flags, because the pasted text defines the whole server. */
function requireNothingElse({ env, header, cwd, url, transport, description, lazy }: AddFlags): void {
  const isMore = env.length + header.length > 0 || [cwd, url, transport, description].some((one) => one !== undefined);
  if (isMore || lazy)
    throw usageError('With a pasted text only --vault, --dry-run, --config and --json have a meaning');
}

/** The entry as written to the file, without Tooltray's defaults. Throws AppError `bad_request`. */
export function entryOf(given: AddFlags, [command, ...args]: readonly string[]): RawEntry {
  const { env, header, cwd, transport, lazy, description } = given;
  // `add example https://example.com/mcp` is unambiguous.
  const isUrl = command !== undefined && args.length === 0 && /^https?:\/\//i.test(command);
  const url = given.url ?? (isUrl ? command : undefined);
  if (url !== undefined && command !== undefined && !isUrl)
    throw usageError('Specify either a command or a URL, not both');
  const isOpen = url === undefined && command === undefined;
  if (isOpen && (env.length + header.length > 0 || cwd !== undefined || transport !== undefined))
    throw usageError('Missing command or --url');
  return {
    ...(url !== undefined && urlEntry(url, given)),
    ...(url === undefined && command !== undefined && commandEntry(command, args, given)),
    ...(lazy && { lazy }),
    ...(description !== undefined && { description }),
  };
}

function commandEntry(command: string, args: readonly string[], given: AddFlags): RawEntry {
  const { env, cwd, header, transport } = given;
  if (header.length > 0 || transport !== undefined) throw usageError('--header and --transport require --url');
  return {
    command,
    ...(args.length > 0 && { args }),
    ...(env.length > 0 && { env: Object.fromEntries(env.map(readVariable)) }),
    ...(cwd !== undefined && { cwd }),
  };
}

function urlEntry(url: string, { env, cwd, header, transport }: AddFlags): RawEntry {
  if (env.length > 0 || cwd !== undefined) throw usageError('--env and --cwd require a command');
  if (!URL.canParse(url) || !/^https?:/i.test(url)) throw usageError('--url must start with http:// or https://');
  if (transport !== undefined && transport !== 'http' && transport !== 'sse')
    throw usageError('--transport must be "http" or "sse"');
  return {
    url,
    ...(transport === 'sse' && { type: transport }),
    ...(header.length > 0 && { headers: Object.fromEntries(header.map(readHeader)) }),
  };
}

/** A name without a value is filled in from the environment when the server starts. */
function readVariable(pair: string): [string, string] {
  const [, name, value] = /^([^=\s]+)(?:=(.*))?$/s.exec(pair) ?? [];
  if (name === undefined) throw usageError('--env must be NAME=VALUE');
  return [name, value ?? `\${env:${name}}`];
}

/** Also accepts the format of `curl -H`: `Name: value`. */
function readHeader(pair: string): [string, string] {
  const [, name, value] = /^([^:=\s]+)\s*[:=]\s*(.*)$/s.exec(pair) ?? [];
  if (name === undefined || value === undefined) throw usageError('--header must be NAME=VALUE');
  return [name, value];
}

/**
 * Without a command, as in ToolMux: uses a launch of that name from another app or bundle, after confirmation.
 * Undefined: declined, or no terminal to ask.
 */
async function completed(
  name: string,
  own: RawEntry,
  { dryRun, yes, json }: AddFlags,
  store: ConfigStore,
): Promise<RawEntry | undefined> {
  const [best] = await launchesOf(name);
  const { offer, agreed } = dryRun ? { offer: best, agreed: true } : await agreedLaunch(name, store, yes);
  const about = oneLine(candidateQuestion(offer));
  if (agreed === true) {
    if (!json) printLines([about]);
    return { ...offer.entry, ...own };
  }
  const data = { name, entry: maskObject(offer.entry), file: store.path, written: false, warnings: [] };
  printResult(json, data, () => [about, notAppliedMessage(agreed)]);
  return undefined;
}

interface FoundLaunch {
  readonly offer: HealCandidate;
  /** The user's decision; undefined without a terminal. True only if the test succeeded and found tools. */
  readonly agreed: boolean | undefined;
}

/**
 * Asks about each candidate in turn, unless its source was approved before, and tests it. Rejects with AppError
 * `not_found`,
 * `server_not_started`.
 */
async function agreedLaunch(name: string, store: ConfigStore, yes: boolean): Promise<FoundLaunch> {
  const offers = await launchesOf(name);
  const consents = new HealConsents(join(cliPaths().dataDir, 'heal-consents.json'));
  const failures: string[] = [];
  for (const offer of offers) {
    const { source } = offer;
    const isKnown = store.current.heal === 'auto' || (await consents.has(source.id));
    const agreed = isKnown || (await confirm(`${oneLine(candidateQuestion(offer))} Use it?`, yes));
    if (agreed === undefined) return { offer, agreed };
    if (!agreed) continue;
    await consents.grant(source.id);
    const problem = await problemOf(offer, store);
    if (problem === undefined) return { offer, agreed };
    failures.push(`${source.title}: ${problem}`);
  }
  if (failures.length === 0) return { offer: offers[0], agreed: false };
  throw new AppError('server_not_started', `No working server found for ${name}. ${failures.join(' ')}`, {
    fix: manualSteps(name),
  });
}

async function launchesOf(name: string): Promise<readonly [HealCandidate, ...HealCandidate[]]> {
  const environment = new EnvironmentResolver({ own: process.env });
  const machine = { env: process.env, platform: process.platform, home: homedir() };
  const find = async (command: string, own: Readonly<Record<string, string>>): Promise<string | undefined> =>
    findCommand(command, await environment.resolve(own));
  const [best, ...others] = await findHealCandidates(name, {}, { machine, find });
  if (best !== undefined) return [best, ...others];
  throw new AppError('not_found', `No app or bundle on this machine has a server named ${JSON.stringify(name)}.`, {
    fix: manualSteps(name),
  });
}

/** Why the launch does not work; undefined if it has tools. */
async function problemOf({ entry }: HealCandidate, store: ConfigStore): Promise<string | undefined> {
  printProgress('Testing…');
  const trial = await withTransports(store.current, (transports) =>
    probeEntry(entry, { config: store, transports, version: packageJson.version }),
  );
  if (!trial.ok) return trial.sentence;
  return trial.tools.length === 0 ? 'The server has no tools.' : undefined;
}

function manualSteps(name: string): string {
  return `Specify how to start it: tooltray add ${name} COMMAND [ARGS…] or tooltray add ${name} --url URL`;
}
