/** The list of checks: evaluates the known facts. Pure; doctor and the Overview show its result. */
import { formatBytes, formatCount } from '../base/text-format.ts';
import type { Finding, FindingAction } from './finding.ts';
import type { StoreProblem } from './store-health.ts';

/** A folder of the home. */
export interface FolderFacts {
  readonly path: string;
  /** Why it is unusable, and the fix; undefined if usable. */
  readonly problem?: { readonly reason: string; readonly fix: string } | undefined;
  /** Free bytes on its disk; undefined if unknown. */
  readonly freeBytes?: number | undefined;
}

/** A problem with a file: a sentence, and the fix. */
export interface FileFacts {
  readonly path: string;
  readonly level: 'note' | 'problem';
  readonly summary: string;
  readonly fix: string;
}

export interface HomeFacts {
  readonly folders: readonly FolderFacts[];
  readonly files: readonly FileFacts[];
}

export interface ServerFacts {
  readonly name: string;
  readonly level: 'ok' | 'busy' | 'attention' | 'error' | 'off';
  readonly summary: string;
  readonly detail: string;
  readonly action?: FindingAction | undefined;
}

export interface HealthFacts {
  readonly paused: boolean;
  /** Why HTTP does not listen as configured; empty if it does. */
  readonly httpProblem: string;
  readonly storeProblems: readonly StoreProblem[];
  readonly config: {
    readonly file: string;
    readonly servers: number;
    readonly isMissing: boolean;
    readonly problems: readonly { readonly level: 'note' | 'problem'; readonly text: string }[];
  };
  readonly home: HomeFacts;
  readonly inbox: readonly {
    readonly id: string;
    readonly kind: string;
    readonly sentence: string;
    readonly cause?: string;
    readonly server?: string | undefined;
  }[];
  readonly servers: readonly ServerFacts[];
  readonly apps: readonly {
    readonly id: string;
    readonly name: string;
    readonly connected: 'no' | 'yes' | 'stale';
    readonly outOfStep?: string;
    readonly problem: string;
    readonly configFile: string;
  }[];
}

/** Below this limit the user must act; below the other it is worth knowing. */
const leastFreeBytes = 16 * 1024 * 1024;
const lowFreeBytes = 500 * 1024 * 1024;

/** Most urgent topic first. */
export function findingsOf(facts: HealthFacts): readonly Finding[] {
  return [
    ...pausedFindings(facts),
    ...facts.storeProblems.map(storeFinding),
    ...folderFindings(facts.home),
    ...facts.home.files.map(fileFinding),
    ...configFindings(facts),
    ...httpFindings(facts),
    ...inboxFindings(facts),
    ...serverFindings(facts),
    ...facts.apps.flatMap(appFindings),
  ];
}

const settings: FindingAction = { kind: 'open-settings', label: 'Open Settings' };
const spills: FindingAction = { kind: 'open-spills', label: 'Manage spills' };

function pausedFindings({ paused }: HealthFacts): readonly Finding[] {
  if (!paused) return [];
  return [
    {
      id: 'paused',
      level: 'problem',
      topic: 'core',
      detail: '',
      summary: 'All servers are paused.',
      action: { kind: 'resume', label: 'Resume' },
    },
  ];
}

function storeFinding({ store, summary, fix }: StoreProblem): Finding {
  return { id: `store-${store}`, level: 'problem', topic: 'files', summary, detail: fix, action: spills };
}

function folderFindings({ folders }: HomeFacts): readonly Finding[] {
  const bad = folders.flatMap(({ path, problem, freeBytes }): Finding[] => {
    const plain = { id: `folder-${path}`, topic: 'files', action: settings } as const;
    if (problem !== undefined) {
      const summary = `Tooltray cannot use ${path}: ${problem.reason}.`;
      return [{ ...plain, level: 'problem', summary, detail: problem.fix }];
    }
    if (freeBytes === undefined || freeBytes >= lowFreeBytes) return [];
    const summary = `The disk of ${path} has ${formatBytes(freeBytes)} left.`;
    const level = freeBytes < leastFreeBytes ? 'problem' : 'note';
    return [{ ...plain, level, summary, detail: 'Free space on it.', action: spills }];
  });
  if (bad.some(({ level }) => level === 'problem') || folders.length === 0) return bad;
  const summary = `${formatCount(folders.length, 'folder')} of Tooltray can be written.`;
  return [{ id: 'folders', level: 'ok', topic: 'files', summary, detail: '' }, ...bad];
}

function fileFinding({ path, level, summary, fix }: FileFacts): Finding {
  return { id: `file-${path}`, level, topic: 'files', summary, detail: fix, action: settings };
}

function configFindings({ config: { file, servers, isMissing, problems } }: HealthFacts): readonly Finding[] {
  const action: FindingAction = isMissing
    ? { kind: 'restore-config', label: 'Restore' }
    : { kind: 'open-config', label: 'Open config file' };
  if (problems.length === 0) {
    const summary = `${file} is valid, with ${formatCount(servers, 'server')}.`;
    return [{ id: 'config', level: 'ok', topic: 'config', summary, detail: '' }];
  }
  return problems.map(({ level, text }, at) => ({
    id: at === 0 ? 'config' : `config-${at}`,
    level,
    topic: 'config',
    summary: text,
    detail: '',
    action,
  }));
}

function httpFindings({ httpProblem }: HealthFacts): readonly Finding[] {
  if (httpProblem === '') return [];
  const action: FindingAction = { kind: 'open-config', label: 'Open config file' };
  return [{ id: 'http', level: 'problem', topic: 'core', summary: httpProblem, detail: '', action }];
}

/** A found launch configuration is shown with the server that it may repair. */
function inboxFindings({ inbox }: HealthFacts): readonly Finding[] {
  return inbox
    .filter(({ kind }) => kind !== 'heal')
    .map(({ id, sentence, cause }) => ({
      id: `inbox-${id}`,
      level: 'problem',
      topic: 'inbox',
      summary: sentence,
      detail: '',
      cause,
      action: { kind: 'decide', label: 'Decide' },
    }));
}

const levels = { ok: 'ok', off: 'ok', busy: 'note', attention: 'problem', error: 'problem' } as const;

function serverFindings({ servers, inbox, paused }: HealthFacts): readonly Finding[] {
  return servers.map((server) => {
    const { name, level, summary, detail, action } = server;
    // A server in review, or one that requests more scopes, is reported as an inbox item.
    const isInInbox = action?.kind === 'review' || inbox.some((item) => item.kind === 'scopes' && item.server === name);
    const isProblem = levels[level] === 'problem' && !isInInbox && !paused;
    return {
      id: `server-${name}`,
      topic: 'server',
      summary: `${name}: ${summary}.`,
      detail,
      server: name,
      level: isProblem ? 'problem' : levels[level] === 'problem' ? 'note' : levels[level],
      action: isProblem ? (action ?? { kind: 'view-log', label: 'View log' }) : action,
    };
  });
}

function appFindings({
  id,
  name,
  connected,
  problem,
  configFile,
  outOfStep,
}: HealthFacts['apps'][number]): readonly Finding[] {
  if (problem !== '') {
    const summary = `${configFile} of ${name} cannot be read.`;
    return [{ id: `app-${id}`, level: 'note', topic: 'app', summary, detail: problem }];
  }
  if (connected !== 'stale') return [];
  const action: FindingAction = { kind: 'connect-app', label: 'Mend' };
  if (outOfStep !== undefined) {
    const summary = `The entries of ${name} do not match the servers.`;
    return [{ id: `app-${id}`, level: 'note', topic: 'app', summary, detail: outOfStep, action }];
  }
  const summary = `${name} points to a Tooltray that no longer exists.`;
  return [{ id: `app-${id}`, level: 'problem', topic: 'app', summary, detail: '', action }];
}
