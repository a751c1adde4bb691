/** `tooltray activity [list | export]`: the calls that were made, the newest first. */
import { writeFile } from 'node:fs/promises';
import type { ActivityQuery, CallSummary } from '../rpc/contract.ts';
import { columns } from './columns.ts';
import { type CoreAccess, withCore } from './core-access.ts';
import { count } from './count.ts';
import { oneLine } from './plain-text.ts';
import { paint, printJson, printLines } from './print.ts';
import { commonFlags, readFlags, wrongUse } from './read-flags.ts';
import { readSince } from './read-since.ts';

const flags = {
  ...commonFlags,
  server: { type: 'string' },
  app: { type: 'string' },
  text: { type: 'string' },
  failed: { type: 'boolean' },
  since: { type: 'string' },
  limit: { type: 'string' },
  output: { type: 'string' },
} as const;

const usualLimit = 20;

export async function run(args: readonly string[], form: string): Promise<number> {
  const { values, positionals } = readFlags(args, flags, [0, 1], form);
  const [action = 'list'] = positionals;
  if (action !== 'list' && action !== 'export') throw wrongUse(`${JSON.stringify(action)} is not understood`, form);
  const since = values.since === undefined ? 0 : readSince(values.since, Date.now());
  if (since === undefined) throw wrongUse('--since takes 7d, 12h or a date', form);
  const limit = Number(values.limit ?? (action === 'list' ? usualLimit : Infinity));
  if (!(limit >= 1)) throw wrongUse('--limit needs a whole number from 1 up', form);
  const { server, app, text } = values;
  const query: ActivityQuery = {
    ...(server !== undefined && { server }),
    ...(app !== undefined && { app }),
    ...(text !== undefined && { text }),
    ...(values.failed === true && { outcomes: ['tool_error', 'failed', 'cancelled', 'blocked'] as const }),
  };
  const { calls, total } = await withCore(values.config, (core) => readCalls(core, query, limit, since));
  if (action === 'list') {
    if (values.json === true) printJson({ calls, total });
    else printLines(callLines(calls, total));
    return 0;
  }
  const written = calls.map((call) => `${JSON.stringify({ ...call, at: new Date(call.at).toISOString() })}\n`).join('');
  if (values.output === undefined) process.stdout.write(written);
  else {
    await writeFile(values.output, written, { mode: 0o600 });
    printLines([`${count(calls.length, 'call')} written to ${values.output}.`]);
  }
  return 0;
}

/** Page by page, the newest first; those that come meanwhile are left out. */
async function readCalls(
  core: CoreAccess,
  query: ActivityQuery,
  limit: number,
  since: number,
): Promise<{ readonly calls: readonly CallSummary[]; readonly total: number }> {
  const calls: CallSummary[] = [];
  for (let beforeId = Number.MAX_SAFE_INTEGER; ;) {
    const page = await core.ask('activity', { ...query, beforeId, limit: Math.min(1000, limit - calls.length) });
    const fitting = page.calls.filter(({ at }) => at >= since);
    calls.push(...fitting);
    const last = page.calls.at(-1);
    const isLast = !page.more || last === undefined || fitting.length < page.calls.length;
    if (isLast || calls.length >= limit) return { calls, total: since === 0 ? page.total : calls.length };
    beforeId = last.id;
  }
}

function callLines(calls: readonly CallSummary[], total: number): string[] {
  if (calls.length === 0) return ['No call fits. Every call of an app is on record here.'];
  const head = ['WHEN', 'APP', 'TOOL', 'OUTCOME', 'TOOK', 'TOKENS', 'WHY'].map((word) => paint('head', word));
  const more = total > calls.length ? ['', `${calls.length} of ${count(total, 'call')}; more with --limit N.`] : [];
  return [...columns([head, ...calls.map(row)]), ...more];
}

function row({ at, appName, server, tool, outcome, error, durationMs, tokensOut, why }: CallSummary): string[] {
  const when = new Date(at).toISOString().slice(0, 19).replace('T', ' ');
  const name = server === '' ? tool : `${server}:${tool}`;
  const how = outcome === 'ok' ? 'ok' : paint('bad', outcome.replace('_', ' '));
  const tokens = tokensOut === undefined ? '' : String(tokensOut);
  return [
    when,
    oneLine(appName),
    oneLine(name),
    how,
    `${Math.round(durationMs)} ms`,
    tokens,
    oneLine(why ?? error ?? ''),
  ];
}
