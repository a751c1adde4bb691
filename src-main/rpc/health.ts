/** Collects the problems that need the user from a running core: the list shown by doctor and the Overview. */
import { errorText } from '../core/base/errors.ts';
import { Masker } from '../core/base/mask.ts';
import type { AppRow } from '../core/client-apps/app-rows.ts';
import type { ConfigProblem } from '../core/config/app-config.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { secretValuesOf } from '../core/config/config-secrets.ts';
import type { Finding } from '../core/health/finding.ts';
import { findingsOf, type HealthFacts } from '../core/health/findings.ts';
import type { InboxSummary } from './contract.ts';
import { type RpcDeps, serverStatuses } from './deps.ts';
import { inboxSummary } from './handlers/inbox.ts';
import { unhealthyFirst } from './state/server-rows.ts';

export async function coreFindings(deps: RpcDeps): Promise<readonly Finding[]> {
  const { context, servers, trust, addresses, apps } = deps;
  const { config, health } = context;
  const inbox = await orFinding('inbox', async () => (await trust.inbox.items()).map(inboxSummary));
  const rows = await orFinding('app', () => apps.apps());
  const home = await trust.home.examine();
  const facts: HealthFacts = {
    paused: servers.manager.paused,
    httpProblem: addresses().httpProblem,
    storeProblems: health.problems,
    config: configFacts(config),
    home,
    inbox: inbox.value ?? ([] as readonly InboxSummary[]),
    servers: serverStatuses(deps).toSorted(unhealthyFirst),
    apps: rows.value ?? ([] as readonly AppRow[]),
  };
  return [...findingsOf(facts), ...inbox.findings, ...rows.findings];
}

/** Facts of a loaded config file. Secret values are masked, Tooltray's sentences are not. */
export function configFacts(config: ConfigStore): HealthFacts['config'] {
  const { path: file, current, problems, isMissing } = config;
  const masker = new Masker(secretValuesOf(current));
  return {
    file,
    servers: current.servers.length,
    isMissing: isMissing && problems.length > 0,
    problems: problems.map((problem) => ({
      level: problem.severity === 'error' ? 'problem' : 'note',
      text: masker.maskValues(placedProblem(problem)),
    })),
  };
}

/** A problem with its location, in the format that editors and terminals link. */
function placedProblem({ file, line, column, path, reason, suggestion = '' }: ConfigProblem): string {
  return `${file}:${line}:${column} ${path === '' ? '' : `${path}: `}${reason} ${suggestion}`.trim();
}

/** A failing check becomes a finding and does not prevent the others. */
export async function orFinding<T>(
  topic: Finding['topic'],
  look: () => Promise<T>,
): Promise<{ readonly value?: T; readonly findings: readonly Finding[] }> {
  try {
    return { value: await look(), findings: [] };
  } catch (error) {
    const summary = `This could not be checked: ${errorText(error)}`;
    return { findings: [{ id: `failed-${topic}`, level: 'problem', topic, summary, detail: '' }] };
  }
}
