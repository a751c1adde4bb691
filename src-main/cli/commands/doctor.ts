/** `tooltray doctor`: one sentence about everything that could need a person, and what to do about it. */
import packageJson from '../../../package.json' with { type: 'json' };
import { lstat, stat } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { backgroundText, serverBackground } from '../../core/admin/server-background.ts';
import { describeEdits } from '../../core/admin/server-change.ts';
import { Masker } from '../../core/base/mask.ts';
import { count } from '../../core/base/wording.ts';
import { nameOfWaiting } from '../../core/config/accepted-config.ts';
import { secretsOf } from '../../core/config/secrets-of.ts';
import type { ConfigStore } from '../../core/config/config-store.ts';
import type { ServerConfig } from '../../core/config/app-config.ts';
import { openVault } from '../../core/secrets/vault.ts';
import { CarriedEnvironments } from '../../core/servers/launch/carried-environments.ts';
import type { Probe } from '../../core/servers/probe-connection.ts';
import { signInKey, signInStoreOf, type StoredSignIn } from '../../core/servers/sign-in/sign-in-store.ts';
import type { CoreAccess, CoreState, HealthLevel, RpcMethods, ServerStatus } from '../../rpc/contract.ts';
import { cliPaths, openAnyConfig } from '../cli-config.ts';
import { command, commonFlags } from '../command.ts';
import { ownDesk } from '../own-desk.ts';
import { runningCoreFor, withCore } from '../core-access.ts';
import { failureText, isFailed, pickServers, probeServers, settledState } from '../probe.ts';
import { confirm, oneLine, paint, type Paint, printAnswer, printLines, printProgress } from '../terminal.ts';

// One thing that `doctor` looked at.

interface Finding {
  /** `problem` needs a person; `note` is worth knowing. */
  readonly level: 'ok' | 'note' | 'problem';
  readonly topic: 'core' | 'node' | 'files' | 'secrets' | 'config' | 'server';
  /** One sentence or two: what is, and what to do. */
  readonly text: string;
}

const marks: Readonly<Record<Finding['level'], readonly [Paint, string]>> = {
  ok: ['good', 'ok     '],
  note: ['unsure', 'note   '],
  problem: ['bad', 'problem'],
};

export const doctor = command({
  flags: {
    fix: { help: 'mend servers that do not start, from what your other apps launch' },
    yes: { help: 'do not ask before something of another app is tried' },
    ...commonFlags,
  },
  notes: ['Exit code 1 when something does.'],
  async run({ fix, yes, config, json }) {
    const fixes = fix ? await fixServers(config, yes) : [];
    if (!json) printLines(fixes.map(({ sentence }) => oneLine(sentence)));
    const findings = await examine(config);
    const problems = findings.filter(({ level }) => level === 'problem').length;
    printAnswer(json, { ok: problems === 0, findings, ...(fix && { fixes }) }, () => [
      ...(fixes.length > 0 ? [''] : []),
      ...findings.map(line),
      '',
      conclusion(problems),
    ]);
    return problems === 0 ? 0 : 1;
  },
});

async function examine(config: string | undefined): Promise<Finding[]> {
  const { finding, state } = await askCore(config);
  const store = await openAnyConfig(config);
  const masker = new Masker(secretsOf(store.current));
  if (state === undefined) printProgress('Connecting to each server once …');
  const servers = state === undefined ? await probeFindings(store) : statusFindings(state);
  const all = [
    nodeFinding(),
    ...pathFindings(),
    finding,
    ...(state === undefined ? [] : [...httpFindings(state), ...extensionFindings(state)]),
    ...(await fileFindings(store)),
    await secretFinding(config, store),
    ...configFindings(store),
    ...environmentFindings(store),
    ...servers,
    ...(await backgroundFindings(store)),
  ];
  return all.map((one) => ({ ...one, text: oneLine(masker.maskText(one.text)) }));
}

/** A core that cannot be reached is a finding, not the end of the examination. */
async function askCore(config: string | undefined): Promise<{ finding: Finding; state?: CoreState }> {
  let core: CoreAccess | undefined;
  try {
    core = await runningCoreFor(config);
    if (core === undefined)
      return {
        finding: {
          level: 'note',
          topic: 'core',
          text: 'Tooltray is not running; the first client app that needs it starts it.',
        },
      };
    const state = await settledState(core);
    return { finding: runningFinding(state), state };
  } catch (error) {
    return {
      finding: {
        level: 'problem',
        topic: 'core',
        text: `Tooltray is running but cannot be asked: ${(error as Error).message}`,
      },
    };
  } finally {
    await core?.close();
  }
}

function runningFinding({ version, http, socket, sessions }: CoreState): Finding {
  const where = `Tooltray ${version} is running at ${http || socket} with ${count(sessions.length, 'client app')} in session.`;
  if (version === packageJson.version) return { level: 'ok', topic: 'core', text: where };
  return {
    level: 'note',
    topic: 'core',
    text: `${where} This command is of version ${packageJson.version}; restart Tooltray to use the same.`,
  };
}

/** An older core does not tell. */
function httpFindings({ httpProblem = '' }: Partial<CoreState>): Finding[] {
  return httpProblem === '' ? [] : [{ level: 'problem', topic: 'core', text: httpProblem }];
}

/** Likewise. */
function extensionFindings({ extensionProblem = '' }: Partial<CoreState>): Finding[] {
  return extensionProblem === '' ? [] : [{ level: 'note', topic: 'core', text: extensionProblem }];
}

function line({ level, text }: Finding): string {
  const [how, word] = marks[level];
  return `${paint(how, word)}  ${text}`;
}

function conclusion(problems: number): string {
  if (problems === 0) return 'Nothing needs you.';
  return problems === 1 ? 'One thing needs you.' : `${problems} things need you.`;
}

function nodeFinding(): Finding {
  return { level: 'ok', topic: 'node', text: `Node.js ${process.versions.node} at ${process.execPath}.` };
}

/** What keeps commands from being found, or lets the wrong ones be. */
function pathFindings(): Finding[] {
  const problem = (text: string): Finding[] => [{ level: 'problem', topic: 'node', text }];
  const folders = (process.env['PATH'] ?? process.env['Path'] ?? '').split(delimiter).filter((folder) => folder !== '');
  if (folders.length === 0)
    return problem('PATH is empty, so no command can be found. Start Tooltray from a login shell, or set PATH.');
  const relative = folders.filter((folder) => !isAbsolute(folder) && !folder.startsWith('~'));
  if (relative.length === 0) return [];
  return problem(
    `PATH holds ${relative.join(', ')}, which means another folder wherever Tooltray is started. Write whole paths in PATH.`,
  );
}

/** Who else could read our token, talk to our socket, or read secrets in the config. Windows keeps these by access lists. */
async function fileFindings({ path, current }: ConfigStore): Promise<Finding[]> {
  if (process.platform === 'win32') return [];
  const { runDir, socketPath, tokenFile } = cliPaths();
  const files = [...new Set([runDir, dirname(socketPath), tokenFile, socketPath])];
  const found = (await Promise.all(files.map(privacyProblem))).flat();
  const config = await stat(path).catch(() => undefined);
  if (config !== undefined && (config.mode & 0o044) !== 0 && secretsOf(current).length > 0) {
    found.push({
      level: 'note',
      topic: 'files',
      text: `${path} holds secrets, and other users of this machine can read it. Run: chmod 600 ${path}`,
    });
  }
  const isFine = !found.some(({ level }) => level === 'problem');
  return isFine
    ? [{ level: 'ok', topic: 'files', text: `Token and socket in ${runDir} are yours alone.` }, ...found]
    : found;
}

/** Where the key of the vault lies, and whether it can be had. */
async function secretFinding(config: string | undefined, store: ConfigStore): Promise<Finding> {
  const core = await runningCoreFor(config).catch(() => undefined);
  const { vault, secrets } = await (core === undefined ? ownDesk(store).list() : core.ask('secrets', {}));
  await core?.close();
  const missing = secrets.filter(({ changedAt }) => changedAt === undefined).map(({ name }) => name);
  const lacking = missing.length === 0 ? '' : ` Not set: ${missing.join(', ')}. Set them: tooltray secret set NAME`;
  const isFine = vault.state !== 'locked' && vault.sealed === 0 && missing.length === 0;
  const isOpen = vault.place === 'file' || vault.inFiles !== undefined;
  const level = isFine ? (isOpen ? 'note' : 'ok') : 'problem';
  return {
    level,
    topic: 'secrets',
    text: [vault.sentence + lacking, vault.inFiles, vault.moved].filter(Boolean).join(' '),
  };
}

async function privacyProblem(path: string): Promise<Finding[]> {
  const stats = await lstat(path).catch(() => undefined);
  // Not there yet: it is made, private, when Tooltray runs.
  if (stats === undefined) return [];
  const problem = (text: string): Finding[] => [{ level: 'problem', topic: 'files', text }];
  if (stats.isSymbolicLink()) return problem(`${path} is a link. Remove it; Tooltray makes its own at the next start.`);
  if (stats.uid !== process.getuid?.())
    return problem(`${path} belongs to another user. Remove it, or set TOOLTRAY_HOME to a folder of your own.`);
  const open = (stats.mode & 0o077) !== 0;
  return open
    ? problem(
        `${path} can be reached by other users of this machine. Run: chmod ${stats.isDirectory() ? '700' : '600'} ${path}`,
      )
    : [];
}

/** Whether commands are there is told with the servers, which are tried. */
function configFindings({ path, problems, current, waiting }: ConfigStore): Finding[] {
  const found = problems.map(({ severity, line, column, path: place, reason, suggestion = '' }): Finding => {
    const what = `${path}:${line}:${column} ${place === '' ? '' : `${place}: `}${reason} ${suggestion}`.trim();
    return { level: severity === 'error' ? 'problem' : 'note', topic: 'config', text: what };
  });
  if (waiting.length > 0) {
    const text = `${describeEdits(waiting)} Look at it with tooltray proposals, then: tooltray approve ${nameOfWaiting(waiting)}`;
    found.push({ level: 'problem', topic: 'config', text });
  }
  if (found.length > 0) return found;
  return [
    { level: 'ok', topic: 'config', text: `${path} is in order, with ${count(current.servers.length, 'server')}.` },
  ];
}

/** Servers from before variables were given by name. */
function environmentFindings({ path, current }: ConfigStore): Finding[] {
  const carried = new CarriedEnvironments(cliPaths(), path);
  const names = current.servers.filter((server) => server.kind === 'stdio' && carried.has(server));
  if (names.length === 0) return [];
  const text = `${count(names.length, 'server')} started here may read every variable of your login, as before. Look at what they would lose: tooltray inbox`;
  return [{ level: 'note', topic: 'server', text }];
}

/** Where each server comes from and what it reaches. */
async function backgroundFindings({ path, current }: ConfigStore): Promise<Finding[]> {
  const paths = cliPaths();
  const signIns = signInStoreOf(paths.dataDir, openVault(paths.dataDir, process.env));
  const known = {
    ...{ pinFolder: join(paths.dataDir, 'pins'), carried: new CarriedEnvironments(paths, path) },
    // What a locked vault holds is told of the vault.
    signedIn: async (server: ServerConfig) => {
      if (server.kind !== 'http' && server.kind !== 'sse') return undefined;
      const key = signInKey(server.name, server.url, server.oauth?.clientId);
      const { grant } = await signIns.read(key).catch((): StoredSignIn => ({}));
      return grant && { account: grant.account };
    },
  };
  return Promise.all(
    current.servers.map(async (server): Promise<Finding> => {
      return {
        level: 'ok',
        topic: 'server',
        text: `${server.name}: ${backgroundText(await serverBackground(server, known))}`,
      };
    }),
  );
}

const levels: Readonly<Record<HealthLevel, Finding['level']>> = {
  ok: 'ok',
  off: 'ok',
  busy: 'note',
  attention: 'problem',
  error: 'problem',
};

/** As the running core sees them. */
function statusFindings(state: CoreState): Finding[] {
  return state.servers.map((server) => {
    const { name, level, summary, detail } = server;
    return {
      level: levels[level],
      topic: 'server',
      text: [`${name}: ${summary}.`, detail, remedy(server, state)].filter(Boolean).join(' '),
    };
  });
}

/** What the health's action is on the command line. */
function remedy({ name, level, action }: ServerStatus, { home, logDir }: CoreState): string {
  if (action === undefined || level === 'off') return '';
  switch (action.kind) {
    case 'retry':
      return action.clears === undefined
        ? `To try at once: tooltray retry ${name}`
        : `To remove ${action.clears} and try again: tooltray retry ${name} --clear`;
    case 'edit-config':
      return `Change its entry in ${home}.`;
    case 'view-log':
      return `Its log is in ${logDir}/servers.`;
    case 'review':
      return `Look at it: tooltray review ${name}`;
    case 'enable':
      return `Switch it on: tooltray enable ${name}`;
    case 'sign-in':
      return `Sign in: tooltray sign-in ${name}`;
    case 'add-secret':
      return `Set it: tooltray secret set ${action.secret ?? 'NAME'}`;
    case 'unlock':
      return 'Unlock the secrets in the dashboard, under Settings.';
    case 'heal':
      return 'Try it: tooltray doctor --fix';
  }
}

/** By connecting to each once. */
async function probeFindings(store: ConfigStore): Promise<Finding[]> {
  // Broken entries are told among the problems of the config.
  const { wanted, off } = pickServers(store, undefined);
  const probes = await probeServers(wanted, store.current);
  const switchedOff = off.map(({ name }): Finding => ({
    level: 'ok',
    topic: 'server',
    text: `${name}: Off. Switched off in the config.`,
  }));
  return [...probes.map(probeFinding), ...switchedOff];
}

function probeFinding(probe: Probe): Finding {
  const { name } = probe.server;
  if (isFailed(probe)) {
    const said = probe.stderr.at(-1);
    return {
      level: 'problem',
      topic: 'server',
      text: `${failureText(probe)}${said === undefined ? '' : ` Its last words: ${said}`}`,
    };
  }
  const tools = count(probe.listing.tools.length, 'tool');
  if (probe.problems.length === 0) return { level: 'ok', topic: 'server', text: `${name}: Answers, with ${tools}.` };
  return { level: 'problem', topic: 'server', text: `${name}: Answers, oddly. ${probe.problems.join(' ')}` };
}

type Fix = RpcMethods['heal']['output'];

/**
 * Mends servers that do not start from launches found elsewhere, each after a yes. `yes`: nobody is asked; without it and without a
 * terminal nothing of another app is tried.
 */
async function fixServers(config: string | undefined, yes: boolean): Promise<Fix[]> {
  return withCore(config, async (core) => {
    printProgress('Looking for launches that work …');
    await settledState(core);
    const fixes: Fix[] = [];
    const refused = new Set<string>();
    for (;;) {
      const { offers } = await core.ask('healOffers', {});
      const offer = offers.find(({ server, source }) => !refused.has(`${server}\n${source}`));
      if (offer === undefined) return fixes;
      refused.add(`${offer.server}\n${offer.source}`);
      const answer = await confirm(`${oneLine(offer.sentence)} Use it?`, yes);
      if (answer === true) fixes.push(await core.ask('heal', { server: offer.server }));
      else fixes.push({ server: offer.server, healed: false, sentence: notAgreed(offer.sentence, answer) });
    }
  });
}

function notAgreed(sentence: string, answer: boolean | undefined): string {
  return answer === undefined ? `${sentence} Add --yes to use it.` : `${sentence} Left as it is.`;
}
