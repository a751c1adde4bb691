/** `tooltray doctor`: reports what needs the user's attention, one sentence each, and how to fix it. */
import packageJson from '../../../package.json' with { type: 'json' };
import { stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { formatProvenance, loadServerProvenance } from '../../core/admin/server-provenance.ts';
import { describeEdits } from '../../core/admin/server-change.ts';
import type { AppPaths } from '../../core/base/app-paths.ts';
import { FileJsonDocument } from '../../core/base/json-document.ts';
import { Masker, maskText } from '../../core/base/mask.ts';
import { formatCount } from '../../core/base/text-format.ts';
import { pendingEditsId } from '../../core/config/config-approval.ts';
import { secretValuesOf } from '../../core/config/config-secrets.ts';
import type { ConfigStore } from '../../core/config/config-store.ts';
import type { ServerConfig } from '../../core/config/server-config.ts';
import { examineHome } from '../../core/examine-home.ts';
import { type Finding, type FindingLevel, findingText } from '../../core/health/finding.ts';
import { findingsOf, type HealthFacts, type ServerFacts } from '../../core/health/findings.ts';
import { openVault } from '../../core/secrets/vault.ts';
import type { ProbeResult } from '../../core/servers/probe-connection.ts';
import { grantKey, openGrantStore, type StoredAuthorization } from '../../core/servers/oauth/grant-store.ts';
import { waitingPins } from '../../core/trust/pins/pin-store.ts';
import type { CoreAccess, CoreState, RpcMethods } from '../../rpc/contract.ts';
import { configFacts, orFinding } from '../../rpc/health.ts';
import { withApps } from '../cli-apps.ts';
import { cliPaths, openAnyConfig } from '../cli-config.ts';
import { command, commonFlags } from '../command.ts';
import { openLocalSecrets } from '../local-secrets.ts';
import { runningCoreFor, withCore } from '../core-access.ts';
import { failureText, isFailed, pickServers, probeServers, settledState } from '../probe.ts';
import { confirm, oneLine, paint, type Paint, printResult, printLines, printProgress } from '../terminal.ts';

const marks: Readonly<Record<FindingLevel, readonly [Paint, string]>> = {
  ok: ['good', 'ok     '],
  note: ['unsure', 'note   '],
  problem: ['bad', 'problem'],
};

export const doctor = command({
  flags: {
    fix: {
      help: 'Restore a missing configuration file and repair servers that do not start',
    },
    yes: { help: 'Skip confirmation' },
    ...commonFlags,
  },
  notes: ['Exits with 1 if problems are found.'],
  async run({ fix, yes, config, json }) {
    const fixes = fix ? await fixAll(config, yes) : [];
    if (!json) printLines(fixes.map(({ sentence }) => oneLine(sentence)));
    const findings = await examine(config);
    const problems = findings.filter(({ level }) => level === 'problem').length;
    const described = findings.map((finding) => ({ ...finding, text: textOf(finding) }));
    printResult(json, { ok: problems === 0, findings: described, ...(fix && { fixes }) }, () => [
      ...(fixes.length > 0 ? [''] : []),
      ...described.map(({ level, text }) => `${paint(...marks[level])}  ${text}`),
      '',
      conclusion(problems),
    ]);
    return problems === 0 ? 0 : 1;
  },
});

/** Runs each check separately: a check that fails becomes a finding. */
async function examine(config: string | undefined): Promise<readonly Finding[]> {
  const core = await orFinding('core', () => runningCoreFor(config));
  try {
    const store = await orFinding('config', () => openAnyConfig(config));
    const all = await Promise.all([
      orFinding('node', () => Promise.resolve([nodeFinding(), ...pathFindings()])),
      orFinding('core', () => ofRunning(core.value, core.findings.length > 0)),
      orFinding('core', () => (core.value === undefined ? ofStopped(store.value) : Promise.resolve([]))),
      orFinding('secrets', () => secretFindings(core.value, store.value)),
      orFinding('config', () => configFileFindings(store.value)),
      orFinding('server', () => backgroundFindings(store.value)),
    ]);
    const found = [core, store, ...all.map(({ value = [], findings }) => ({ findings: [...value, ...findings] }))];
    const masker = new Masker(store.value === undefined ? [] : secretValuesOf(store.value.current));
    return found
      .flatMap(({ findings }) => findings)
      .map((one) => ({ ...one, summary: clean(one.summary, masker), detail: clean(one.detail, masker) }));
  } finally {
    await core.value?.close();
  }
}

/** Tooltray's own sentences keep the names of secrets; values are masked. */
function clean(text: string, masker: Masker): string {
  return oneLine(masker.maskValues(text));
}

function textOf(finding: Finding): string {
  const text = findingText(finding);
  const fix = finding.level === 'ok' ? '' : remedy(finding);
  const [, command = fix] = fix.split(/(?=tooltray )/);
  return fix === '' || text.includes(command) ? text : `${text.replace(/(?<![.!?])$/, '.')} ${fix}`;
}

/**
 * Returns findings and status of the running core. `isUnreachable`: it is already reported as running but not
 * responding.
 */
async function ofRunning(core: CoreAccess | undefined, isUnreachable: boolean): Promise<readonly Finding[]> {
  if (core === undefined) {
    const summary = 'Tooltray is not running. It starts when a client app needs it.';
    return isUnreachable ? [] : [{ id: 'core', level: 'note', topic: 'core', summary, detail: '' }];
  }
  const state = await settledState(core);
  const { findings } = await core.ask('health', {});
  return [runningFinding(state), ...extensionFindings(state), ...findings];
}

/** Runs the same checks without a core: on files, and with one test connection per server. */
async function ofStopped(store: ConfigStore | undefined): Promise<readonly Finding[]> {
  const paths = cliPaths();
  const [home, inbox, apps] = await Promise.all([
    examineHome(paths, openVault(paths.dataDir, process.env)),
    store === undefined ? [] : waitingInFiles(paths, store),
    orFinding('app', () => withApps({ config: undefined }, (setup) => setup.apps())),
  ]);
  if (store !== undefined) printProgress('Testing servers…');
  const servers = store === undefined ? [] : await probedServers(store);
  const facts: HealthFacts = {
    paused: false,
    httpProblem: '',
    storeProblems: [],
    home,
    inbox,
    servers,
    config: store === undefined ? noConfig : configFacts(store),
    apps: apps.value ?? [],
  };
  const found = findingsOf(facts);
  return [...(store === undefined ? found.filter(({ topic }) => topic !== 'config') : found), ...apps.findings];
}

const noConfig = { file: '', servers: 0, isMissing: false, problems: [] };

/**
 * Pending decisions known without starting anything: external edits of the config file, models' proposals, changed
 * definitions, servers in review.
 */
async function waitingInFiles(paths: AppPaths, { pendingEdits, current }: ConfigStore): Promise<HealthFacts['inbox']> {
  const { dataDir } = paths;
  const proposals = await new FileJsonDocument(join(dataDir, 'proposals.json')).read();
  const names = new Set(current.servers.map(({ name }) => name));
  const changed = (await waitingPins(join(dataDir, 'pins'))).filter((name) => names.has(name));
  const edited = new Set(pendingEdits.flatMap((edit) => (edit.kind === 'entry' ? edit.server : [])));
  const inReview = current.servers.filter(({ name, held }) => held === 'review' && !edited.has(name));
  const look = 'Look at it: tooltray inbox';
  return [
    ...(pendingEdits.length === 0
      ? []
      : [
          {
            id: pendingEditsId(pendingEdits),
            kind: 'settings',
            sentence: `${describeEdits(pendingEdits)} Review it with tooltray inbox, then approve it: tooltray inbox approve ${pendingEditsId(pendingEdits)}`,
          },
        ]),
    ...(Array.isArray(proposals) && proposals.length > 0
      ? [
          {
            id: 'proposals',
            kind: 'proposal',
            sentence: `${formatCount(proposals.length, 'proposal')} of models. ${look}`,
          },
        ]
      : []),
    ...inReview.map(({ name: server }) => ({
      id: `review-${server}`,
      kind: 'review',
      server,
      sentence: `The server "${server}" waits for your review and is not started until then. Review it: tooltray inbox show ${server}`,
    })),
    ...changed.map((server) => ({
      id: `pins-${server}`,
      kind: 'change',
      server,
      sentence: `The definitions of ${server} changed since you accepted them. ${look}`,
    })),
  ];
}

function runningFinding({ version, http, socket, sessions }: CoreState): Finding {
  const plain = { id: 'core', topic: 'core' } as const;
  const summary = `Tooltray ${version} is running at ${http || socket} with ${formatCount(sessions.length, 'client app')} in session.`;
  if (version === packageJson.version) return { ...plain, level: 'ok', summary, detail: '' };
  const detail = `This CLI is version ${packageJson.version}. Restart Tooltray to update it.`;
  return { ...plain, level: 'note', summary, detail };
}

function extensionFindings({ extensionProblem }: CoreState): Finding[] {
  if (extensionProblem === '') return [];
  return [{ id: 'extensions', level: 'note', topic: 'core', summary: extensionProblem, detail: '' }];
}

function conclusion(problems: number): string {
  if (problems === 0) return 'No problems found.';
  return `${formatCount(problems, 'problem')} found.`;
}

function nodeFinding(): Finding {
  const summary = `Node.js ${process.versions.node} at ${process.execPath}.`;
  return { id: 'node', level: 'ok', topic: 'node', summary, detail: '' };
}

/** Findings about PATH: commands that are missing, or found in the wrong place. */
function pathFindings(): Finding[] {
  const problem = (summary: string, detail: string): Finding[] => [
    { id: 'path', level: 'problem', topic: 'node', summary, detail },
  ];
  const folders = (process.env['PATH'] ?? process.env['Path'] ?? '').split(delimiter).filter((folder) => folder !== '');
  if (folders.length === 0)
    return problem('PATH is empty, so no command can be found.', 'Start Tooltray from a login shell, or set PATH.');
  const relative = folders.filter((folder) => !isAbsolute(folder) && !folder.startsWith('~'));
  if (relative.length === 0) return [];
  return problem(
    `PATH holds ${relative.join(', ')}, which means another folder wherever Tooltray is started.`,
    'Write whole paths in PATH.',
  );
}

/** Reports which other users can read secrets in the config. */
async function configFileFindings(store: ConfigStore | undefined): Promise<readonly Finding[]> {
  if (store === undefined) return [];
  const { path, current } = store;
  const stats = process.platform === 'win32' ? undefined : await stat(path).catch(() => undefined);
  const isOpen = stats !== undefined && (stats.mode & 0o044) !== 0 && secretValuesOf(current).length > 0;
  const note = (id: string, summary: string, detail: string): Finding => ({
    id,
    level: 'note',
    topic: 'config',
    summary,
    detail,
  });
  return [
    ...(isOpen
      ? [
          note(
            'config-open',
            `${path} holds secrets, and other users of this machine can read it.`,
            `Run: chmod 600 ${path}`,
          ),
        ]
      : []),
  ];
}

/** Findings about the vault key: its location, and whether it can be read. */
async function secretFindings(
  core: CoreAccess | undefined,
  store: ConfigStore | undefined,
): Promise<readonly Finding[]> {
  if (core === undefined && store === undefined) return [];
  const { vault, secrets } = await (core === undefined
    ? openLocalSecrets(store as ConfigStore).list()
    : core.ask('secrets', {}));
  const missing = secrets.filter(({ changedAt }) => changedAt === undefined).map(({ name }) => name);
  const lacking = missing.length === 0 ? '' : `Not set: ${missing.join(', ')}. Set them: tooltray secret set NAME`;
  const isFine = vault.state !== 'locked' && vault.sealed === 0 && missing.length === 0;
  const isOpen = vault.place === 'file';
  const level = isFine ? (isOpen ? 'note' : 'ok') : 'problem';
  return [{ id: 'secrets', level, topic: 'secrets', summary: vault.sentence, detail: lacking }];
}

/** Findings about each server: its origin and its access. */
async function backgroundFindings(store: ConfigStore | undefined): Promise<readonly Finding[]> {
  if (store === undefined) return [];
  const { current } = store;
  const paths = cliPaths();
  const signIns = openGrantStore(paths.dataDir, openVault(paths.dataDir, process.env));
  const known = {
    pinFolder: join(paths.dataDir, 'pins'),
    // A locked vault is reported as such elsewhere, so its error is ignored here.
    signedIn: async (server: ServerConfig) => {
      if (server.kind !== 'http' && server.kind !== 'sse') return undefined;
      const key = grantKey(server.name, server.url, server.oauth?.clientId);
      const { grant } = await signIns.read(key).catch((): StoredAuthorization => ({}));
      return grant && { account: grant.account };
    },
  };
  return Promise.all(
    current.servers.map(async (server): Promise<Finding> => {
      const summary = `${server.name}: ${formatProvenance(await loadServerProvenance(server, known))}`;
      return {
        id: `background-${server.name}`,
        level: 'ok',
        topic: 'server',
        summary,
        detail: '',
        server: server.name,
      };
    }),
  );
}

/** Returns a sentence with the command that performs the action; empty if there is none. */
function remedy({ id, action, server = '' }: Finding): string {
  if (action === undefined) return '';
  switch (action.kind) {
    case 'retry':
      return action.clears === undefined
        ? `To retry now: tooltray restart ${server}`
        : `To remove ${action.clears} and try again: tooltray restart ${server} --clear`;
    case 'edit-config':
      return `Change its entry in the config file.`;
    case 'view-log':
      return server === '' ? 'See: tooltray logs' : `See its log: tooltray logs ${server}`;
    case 'review':
      return `Review it: tooltray inbox show ${server}`;
    case 'enable':
      return `Switch it on: tooltray enable ${server}`;
    case 'sign-in':
      return `Sign in: tooltray login ${server}`;
    case 'add-secret':
      return `Set with: tooltray secret set ${action.secret ?? 'NAME'}`;
    case 'unlock':
      return 'Unlock the vault with: tooltray secret unlock';
    case 'heal':
      return 'Repair with: tooltray doctor --fix';
    case 'decide':
      return id.startsWith('inbox-') && /^inbox-[0-9a-f]+$/.test(id)
        ? `Decide: tooltray inbox show ${id.slice(6)}`
        : '';
    case 'resume':
      return 'Resume: tooltray resume';
    case 'connect-app':
      return `Connect it anew: tooltray install ${id.replace(/^app-/, '')}`;
    case 'open-spills':
      return 'Delete old results: tooltray spill prune';
    case 'restore-config':
    case 'open-config':
    case 'open-settings':
      return '';
  }
}

/** Connects to each server once and returns its facts. Invalid entries are reported as config problems. */
async function probedServers(store: ConfigStore): Promise<readonly ServerFacts[]> {
  const { wanted, off } = pickServers(store, undefined);
  const probes = await probeServers(wanted, store.current);
  const switchedOff = off.map(({ name, held }): ServerFacts => {
    if (held === 'setup') return { name, level: 'attention', summary: 'Needs setup', detail: '' };
    if (held === 'review') return { name, level: 'off', summary: 'In review', detail: 'It is not started before.' };
    return { name, level: 'off', summary: 'Off', detail: 'Disabled in the config.' };
  });
  return [...probes.map(probedServer), ...switchedOff];
}

function probedServer(probe: ProbeResult): ServerFacts {
  const { name } = probe.server;
  if (isFailed(probe)) {
    if (probe.error.code === 'secret_missing')
      return { name, level: 'attention', summary: 'Needs setup', detail: failureText(probe) };
    const said = probe.stderr.at(-1);
    // In the server's own output, names of secrets precede their values.
    const words = said === undefined ? '' : ` Last output: ${maskText(said)}`;
    return { name, level: 'error', summary: 'Stopped', detail: `${failureText(probe)}${words}`, action: retryLater };
  }
  const tools = formatCount(probe.listing.tools.length, 'tool');
  if (probe.problems.length === 0) return { name, level: 'ok', summary: `Answers, with ${tools}`, detail: '' };
  return { name, level: 'attention', summary: 'Ready, with problems', detail: maskText(probe.problems.join(' ')) };
}

/** Failures of servers in the background are explained by their logs. */
const retryLater = { kind: 'view-log', label: 'View log' } as const;

type Fix = RpcMethods['heal']['output'];

async function fixAll(config: string | undefined, yes: boolean): Promise<Fix[]> {
  const store = await openAnyConfig(config);
  const restored = store.isMissing && store.problems.length > 0 ? [await restoreConfig(config, store)] : [];
  return [...restored, ...(await fixServers(config, yes))];
}

/** A running core still has the exact text of the file. */
async function restoreConfig(config: string | undefined, store: ConfigStore): Promise<Fix> {
  const core = await runningCoreFor(config);
  if (core === undefined) await store.restore();
  else await core.ask('restoreConfig', {});
  await core?.close();
  return { server: '', healed: true, sentence: `${store.path} was restored.` };
}

/**
 * Repairs servers that do not start with launches found elsewhere, each after confirmation. `yes` skips the question;
 * without it and without a terminal, nothing from another app is tried.
 */
async function fixServers(config: string | undefined, yes: boolean): Promise<Fix[]> {
  return withCore(config, async (core) => {
    printProgress('Looking for working configurations…');
    await settledState(core);
    const fixes: Fix[] = [];
    const refused = new Set<string>();
    for (;;) {
      const { offers } = await core.ask('healCandidates', {});
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
  return answer === undefined ? `${sentence} Pass --yes to apply.` : `${sentence} Skipped.`;
}
