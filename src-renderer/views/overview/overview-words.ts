/** Descriptions of the overview's figures. Pure. */
import type { AppState, HealthLevel, SavingsSummary, ServerRow } from '../../../src-main/rpc/contract.ts';
import type { Slices } from '../../lib/app-state.svelte.ts';
import { ago, compact, compactCount, count } from '../../lib/format.ts';

/** The two sources of savings, and the ledger causes of each, including their costs. */
const groups = [
  { name: 'Large results kept on disk', causes: ['results', 'code', 'readback'] },
  { name: 'Shorter tool lists', causes: ['lists', 'instructions', 'helpers', 'discovery'] },
] as const;

const causeNames: Readonly<Record<string, string>> = {
  lists: 'Tool lists',
  instructions: 'Server instructions',
  results: 'Spilled and compacted results',
  code: 'Results processed by code',
  discovery: 'Tool discovery',
  helpers: 'Helper tool definitions',
  readback: 'Reading spilled results',
};

export interface SavingsCause {
  readonly name: string;
  readonly net: number;
  /** Its components, one line each. */
  readonly title: string;
}

export function causesOf(causes: SavingsSummary['causes']): readonly SavingsCause[] {
  return groups.map(({ name, causes: own }) => {
    const parts = causes.filter(({ cause }) => (own as readonly string[]).includes(cause));
    const lines = parts.map(({ cause, net }) => `${causeNames[cause] ?? cause}: ${compact(net)}`);
    return { name, net: parts.reduce((sum, { net }) => sum + net, 0), title: lines.join('\n') };
  });
}

export function savingsMeaning({ net }: SavingsSummary): string {
  return net < 0 ? 'more tokens than without Tooltray so far' : 'tokens saved';
}

/** `92% less`; empty if not less. */
export function savedShare({ withoutTooltray, net }: SavingsSummary): string {
  const share = withoutTooltray > 0 ? Math.round((net / withoutTooltray) * 100) : 0;
  return share > 0 ? `${share}% less` : '';
}

export function estimateNote({ estimatedShare }: SavingsSummary): string {
  if (estimatedShare <= 0) return '';
  const percent = Math.round(estimatedShare * 100);
  return percent === 0 ? '<1% estimated' : `${percent}% estimated`;
}

/** Notes that savings count only the part of results that the apps would have accepted; empty if that is all. */
export function uncappedNote({ withoutTooltray, uncapped }: SavingsSummary): string {
  return uncapped === withoutTooltray ? '' : `${compact(uncapped)} without Tooltray if apps did not truncate results`;
}

/** `≈ $3.15`; empty if no price is set. */
export function worth(net: number, pricePerMillion: number | undefined, currency: string): string {
  if (pricePerMillion === undefined) return '';
  const amount = (net / 1_000_000) * pricePerMillion;
  const maximumFractionDigits = Math.abs(amount) < 1 ? 3 : 2;
  try {
    return `≈ ${amount.toLocaleString('en', { style: 'currency', currency, maximumFractionDigits })}`;
  } catch {
    // The config may contain a currency name without a code.
    return `≈ ${amount.toLocaleString('en', { maximumFractionDigits })} ${currency}`;
  }
}

/** Connected or active apps: active ones first, then by last use. */
export function appStates(
  { setup, sessions, access }: Pick<Slices, 'setup' | 'sessions' | 'access'>,
  now: number,
): readonly { readonly id: string; readonly name: string; readonly level: HealthLevel; readonly words: string }[] {
  const live = Map.groupBy(sessions ?? [], ({ app }) => app);
  const known = new Map<string, string>([
    ...(setup?.apps ?? []).flatMap(({ id, name, connected }) => (connected === 'no' ? [] : [[id, name] as const])),
    ...[...live].map(([app, own]) => [app, own[0]?.appName ?? app] as const),
  ]);
  const seenAt = new Map(access?.map(({ app, seen }) => [app, seen]));
  const rows = [...known].map(([id, name]) => {
    const many = live.get(id)?.length ?? 0;
    const seen = seenAt.get(id);
    const words = seen === undefined ? 'Not seen yet' : `Seen ${ago(seen, now)}`;
    if (many > 0) return { id, name, seen: Infinity, level: 'ok', words: `Live · ${count(many, 'session')}` } as const;
    return { id, name, seen: seen ?? 0, level: 'off', words } as const;
  });
  return rows.toSorted((a, b) => b.seen - a.seen || a.name.localeCompare(b.name));
}

const levelWords = { ok: 'ready', busy: 'starting', attention: 'to set up', error: 'stopped', off: 'off' } as const;

export function serverCounts(
  servers: readonly ServerRow[],
): readonly { readonly level: HealthLevel; readonly words: string }[] {
  return (['ok', 'busy', 'attention', 'error', 'off'] as const).flatMap((level) => {
    const many = servers.filter((one) => one.level === level).length;
    return many === 0 ? [] : [{ level, words: `${many} ${levelWords[level]}` }];
  });
}

/** Whether data flows are counted and there is something to show or decide. */
export function showsFlow({ mode, week, canOfferApproval }: NonNullable<AppState['dataFlow']>): boolean {
  return mode === 'record' && (canOfferApproval || (week.recorded ?? 0) > 0);
}

export function flowSentence(recorded: number): string {
  if (recorded === 0) return 'No call in the last 7 days sent data to a destination taken from a tool result.';
  return `${count(recorded, 'call')} in the last 7 days sent data to a destination taken from a tool result. Recorded only; nothing was blocked.`;
}

export function tokensInWords(tokens: number): string {
  return compactCount(tokens, 'token');
}

/** Nothing is set up: there are only Tooltray's own servers, and no app has called. */
export function isFirstUse({ servers, activity }: Partial<Pick<AppState, 'servers' | 'activity'>>): boolean {
  return servers?.every(({ transport }) => transport === 'builtin') === true && activity?.recent.length === 0;
}
