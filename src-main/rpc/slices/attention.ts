/** What waits for a person, most urgent first: each with the one thing to do about it. */
import type { AppRow, AttentionItem, CoreFacts, HealOfferRow, ProposalSummary, ServerStatus } from '../contract.ts';
import { illFirst } from './server-rows.ts';

export interface AttentionFacts {
  readonly core: CoreFacts;
  readonly servers: readonly ServerStatus[];
  readonly proposals: readonly ProposalSummary[];
  readonly apps: readonly AppRow[];
  /** Launches that may mend a server. */
  readonly heals: readonly HealOfferRow[];
}

export function attentionItems({ core, servers, proposals, apps, heals }: AttentionFacts): readonly AttentionItem[] {
  return [
    ...(core.paused ? [item('paused', 'Tooltray is paused: no server runs.', 'resume', 'Resume')] : []),
    ...core.configProblems.slice(0, 1).map((problem) => item('config', problem, 'open-config', 'Open config file')),
    ...proposals.map(({ id, sentence }) => item(`proposal-${id}`, sentence, 'decide', 'Decide')),
    ...servers.toSorted(illFirst).flatMap((server): AttentionItem[] => {
      const { name, level, summary, detail, action } = server;
      const heal = heals.find((offer) => offer.server === name);
      if (core.paused || (level !== 'error' && level !== 'attention' && heal === undefined)) return [];
      const sentence = `${name}: ${summary}. ${heal?.sentence ?? detail}`.trim();
      const log = { kind: 'view-log' as const, label: 'View log' };
      const done = heal === undefined ? (action ?? log) : { kind: 'heal' as const, label: 'Use it' };
      return [{ id: `server-${name}`, sentence, server: name, action: done }];
    }),
    ...apps
      .filter(({ connected }) => connected === 'stale')
      .map(({ id, name }) =>
        item(`app-${id}`, `${name} starts Tooltray from where it no longer is.`, 'connect-app', 'Mend'),
      ),
  ];
}

function item(id: string, sentence: string, kind: AttentionItem['action']['kind'], label: string): AttentionItem {
  return { id, sentence, server: undefined, action: { kind, label } };
}
