/** Items that need the user, most urgent first: problems among the findings, each with its one action. */
import type { AppRow } from '../../core/client-apps/app-rows.ts';
import { findingText } from '../../core/health/finding.ts';
import { findingsOf, type HomeFacts } from '../../core/health/findings.ts';
import type { AttentionItem, CoreFacts, InboxSummary, ServerStatus } from '../contract.ts';
import { unhealthyFirst } from './server-rows.ts';

interface AttentionFacts {
  readonly core: CoreFacts;
  readonly servers: readonly ServerStatus[];
  readonly inbox: readonly InboxSummary[];
  readonly apps: readonly AppRow[];
  /** Facts of a single user's installation; absent for a team. */
  readonly home?: HomeFacts;
}

const openSettings = { kind: 'open-settings', label: 'Open Settings' } as const;

export function attentionItems({ core, servers, inbox, apps, home }: AttentionFacts): readonly AttentionItem[] {
  const { paused, httpProblem, storeProblems, configFile: file, configMissing: isMissing, configProblems } = core;
  // Further problems of the same file are visible when it is opened.
  const problems = configProblems.slice(0, 1).map((text) => ({ level: 'problem', text }) as const);
  const findings = findingsOf({
    paused,
    httpProblem,
    storeProblems,
    inbox,
    apps,
    config: { file, servers: servers.length, isMissing, problems },
    home: home ?? { folders: [], files: [] },
    servers: servers.toSorted(fixableFirst),
  });
  return findings.flatMap((finding): AttentionItem[] => {
    const { id, level, server, action = openSettings, cause } = finding;
    if (level !== 'problem') return [];
    const reason = servers.find(({ name }) => name === server)?.reason;
    return [
      {
        id,
        sentence: findingText(finding),
        server,
        action,
        ...(cause !== undefined && { cause }),
        ...(reason !== undefined && { reason }),
      },
    ];
  });
}

/** Sorts servers with a one-click fix first. */
function fixableFirst(a: ServerStatus, b: ServerStatus): number {
  return Number(b.action?.kind === 'heal') - Number(a.action?.kind === 'heal') || unhealthyFirst(a, b);
}
