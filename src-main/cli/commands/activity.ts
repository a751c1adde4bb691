/** `tooltray activity [list | export]`: the calls that were made, the newest first. */
import { writeFile } from 'node:fs/promises';
import { count } from '../../core/base/wording.ts';
import type { ActivityQuery, CallSummary, CoreAccess } from '../../rpc/contract.ts';
import { command, commonFlags, sinceFlag } from '../command.ts';
import { withCore } from '../core-access.ts';
import { oneLine, paint, printAnswer, printLines, table } from '../terminal.ts';

const usualLimit = 20;

export const activity = command({
  actions: {
    list: { help: 'the newest (the usual)' },
    export: { help: 'every one that fits, one JSON object a line, the newest first' },
  },
  usual: 'list',
  flags: {
    server: { value: 'N', help: 'of this server' },
    app: { value: 'N', help: 'of this client app' },
    text: { value: 'T', help: 'with this text in tool, reason or error' },
    failed: { help: 'only those that did not end well' },
    since: sinceFlag,
    limit: { value: 'N', from: 1, help: `at most so many (list: ${usualLimit})` },
    output: { value: 'F', help: 'export into this file' },
    ...commonFlags,
  },
  async run({ server, app, text, failed, since, limit, output, config, json }, _, action) {
    const most = limit ?? (action === 'list' ? usualLimit : Infinity);
    const query: ActivityQuery = {
      ...(server !== undefined && { server }),
      ...(app !== undefined && { app }),
      ...(text !== undefined && { text }),
      ...(failed && { outcomes: ['tool_error', 'failed', 'cancelled', 'blocked'] as const }),
    };
    const { calls, total } = await withCore(config, (core) => readCalls(core, query, most, since ?? 0));
    if (action === 'list') printAnswer(json, { calls, total }, () => callLines(calls, total));
    else await exportCalls(calls, output);
    return 0;
  },
});

async function exportCalls(calls: readonly CallSummary[], output: string | undefined): Promise<void> {
  const written = calls.map((call) => `${JSON.stringify({ ...call, at: new Date(call.at).toISOString() })}\n`).join('');
  if (output === undefined) return void process.stdout.write(written);
  await writeFile(output, written, { mode: 0o600 });
  printLines([`${count(calls.length, 'call')} written to ${output}.`]);
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
  const more = total > calls.length ? ['', `${calls.length} of ${count(total, 'call')}; more with --limit N.`] : [];
  return [...table(['WHEN', 'APP', 'TOOL', 'OUTCOME', 'TOOK', 'TOKENS', 'WHY'], calls.map(row)), ...more];
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
