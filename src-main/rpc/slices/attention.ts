/** What waits for a person, most urgent first: each with the one thing to do about it. */
import type { AppRow } from '../../core/client-apps/app-rows.ts';
import type { AttentionItem, CoreFacts, InboxSummary, ServerStatus } from '../contract.ts';
import { illFirst } from './server-rows.ts';

interface AttentionFacts {
  readonly core: CoreFacts;
  readonly servers: readonly ServerStatus[];
  readonly inbox: readonly InboxSummary[];
  readonly apps: readonly AppRow[];
}

const viewLog = { kind: 'view-log', label: 'View log' } as const;

export function attentionItems({ core, servers, inbox, apps }: AttentionFacts): readonly AttentionItem[] {
  return [
    ...(core.paused ? [item('paused', 'Tooltray is paused: no server runs.', 'resume', 'Resume')] : []),
    ...core.storeProblems.map(({ store, summary, fix }) =>
      item(`store-${store}`, `${summary} ${fix}`, 'open-spills', 'Manage spills'),
    ),
    ...core.configProblems
      .slice(0, 1)
      .map((problem) =>
        core.configMissing
          ? item('config', problem, 'restore-config', 'Restore')
          : item('config', problem, 'open-config', 'Open config file'),
      ),
    ...(core.httpProblem === '' ? [] : [item('http', core.httpProblem, 'open-config', 'Open config file')]),
    // A launch that is offered stands with the server that it may mend.
    ...inbox
      .filter(({ kind }) => kind !== 'heal')
      .map(({ id, sentence, cause }) => ({ ...item(`inbox-${id}`, sentence, 'decide', 'Decide'), cause })),
    ...servers.toSorted(mendableFirst).flatMap((server): AttentionItem[] => {
      const { name, level, summary, detail, action } = server;
      // One in review, or that wants more rights, is told as what waits in the inbox.
      if (core.paused || (level !== 'error' && level !== 'attention') || action?.kind === 'review') return [];
      if (inbox.some((waiting) => waiting.kind === 'rights' && waiting.server === name)) return [];
      const sentence = `${name}: ${summary}. ${detail}`.trim();
      return [{ id: `server-${name}`, sentence, server: name, action: action ?? viewLog }];
    }),
    ...apps
      .filter(({ connected }) => connected === 'stale')
      .map(({ id, name }) =>
        item(`app-${id}`, `${name} starts Tooltray from where it no longer is.`, 'connect-app', 'Mend'),
      ),
  ];
}

/** What one press may mend is not to be missed. */
function mendableFirst(a: ServerStatus, b: ServerStatus): number {
  return Number(b.action?.kind === 'heal') - Number(a.action?.kind === 'heal') || illFirst(a, b);
}

function item(id: string, sentence: string, kind: AttentionItem['action']['kind'], label: string): AttentionItem {
  return { id, sentence, server: undefined, action: { kind, label } };
}
