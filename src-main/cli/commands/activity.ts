/**
 * `tooltray activity [list
 * sessions
 * export]`: lists recorded tool calls, or the steps of client sessions, newest first.
 */
import { writeFile } from 'node:fs/promises';
import { formatCount, formatDuration } from '../../core/base/text-format.ts';
import type { ActivityQuery, CallSummary, CoreAccess, StepQuery, StepSummary } from '../../rpc/contract.ts';
import { command, commonFlags, sinceFlag } from '../command.ts';
import { warnOfStores, withCore } from '../core-access.ts';
import { readSteps, sessionLines, stepLines } from '../step-lines.ts';
import { jsonText, oneLine, paint, printResult, printLines, table } from '../terminal.ts';

const defaultLimit = 20;

/** RESULT is the number of tokens of the server result, RETURNED that of the result returned to the model. */
export const activity = command({
  actions: {
    list: { help: 'List recent calls (default)' },
    sessions: { help: 'List the 100 most recent sessions' },
    export: { help: 'Export matching entries as JSON lines, newest first' },
  },
  usual: 'list',
  flags: {
    steps: { help: 'Show all steps, not only tool calls' },
    session: { value: 'ID', help: 'Only steps of this session' },
    server: { value: 'NAME', help: 'Only this server' },
    app: { value: 'NAME', help: 'Only this client app' },
    text: { value: 'TEXT', help: 'Only entries with this text in tool, reason or error' },
    failed: { help: 'Only failed or blocked entries' },
    since: sinceFlag,
    limit: { value: 'N', from: 1, help: `Maximum number of entries (list: default ${defaultLimit})` },
    output: { value: 'FILE', help: 'Write the export to a file' },
    ...commonFlags,
  },
  async run({ steps, session, server, app, text, failed, since, limit, output, config, json }, _, action) {
    const max = limit ?? (action === 'list' ? defaultLimit : Infinity);
    if (action === 'sessions') {
      const { sessions } = await withActivity(config, (core) => core.ask('timelineSessions', {}));
      const shown = sessions.slice(0, max);
      printResult(json, { sessions: shown }, () => sessionLines(shown));
      return 0;
    }
    if (steps || session !== undefined) {
      const search: StepQuery = {
        ...(session !== undefined && { sessionId: session }),
        ...(server !== undefined && { server }),
        ...(app !== undefined && { app }),
        ...(text !== undefined && { text }),
        ...(failed && { problems: true }),
        ...(since !== undefined && { since }),
      };
      const found = await withActivity(config, (core) => readSteps(core, search, max));
      if (action === 'list') printResult(json, found, () => stepLines(found));
      else await exportRows(found.steps, output, 'step');
      return 0;
    }
    const query: ActivityQuery = {
      ...(server !== undefined && { server }),
      ...(app !== undefined && { app }),
      ...(text !== undefined && { text }),
      ...(failed && { outcomes: ['tool_error', 'failed', 'blocked'] as const }),
    };
    const { calls, total } = await withActivity(config, (core) => readCalls(core, query, max, since ?? 0));
    if (action === 'list')
      printResult(json, { calls, total }, () =>
        callLines(
          calls.toSorted((one, other) => other.at - one.at || other.id - one.id),
          total,
        ),
      );
    else await exportRows(calls, output, 'call');
    return 0;
  },
});

/** Prints a warning first if the activity log is incomplete. */
function withActivity<T>(config: string | undefined, work: (core: CoreAccess) => Promise<T>): Promise<T> {
  return withCore(config, async (core) => {
    const found = await work(core);
    await warnOfStores(core, 'activity');
    return found;
  });
}

async function exportRows(
  rows: readonly (CallSummary | StepSummary)[],
  output: string | undefined,
  noun: string,
): Promise<void> {
  const written = rows.map((row) => `${jsonText({ ...row, at: new Date(row.at).toISOString() })}\n`).join('');
  if (output === undefined) return void process.stdout.write(written);
  await writeFile(output, written, { mode: 0o600 });
  printLines([`${formatCount(rows.length, noun)} written to ${output}.`]);
}

/** Reads page by page, newest first; calls recorded during the read are excluded. */
async function readCalls(
  core: CoreAccess,
  query: ActivityQuery,
  limit: number,
  since: number,
): Promise<{ readonly calls: readonly CallSummary[]; readonly total: number }> {
  const calls: CallSummary[] = [];
  for (let beforeId = Number.MAX_SAFE_INTEGER; ;) {
    const page = await core.ask('activity', { ...query, beforeId, limit: Math.min(1000, limit - calls.length) });
    const inRange = page.calls.filter(({ at }) => at >= since);
    calls.push(...inRange);
    const last = page.calls.at(-1);
    const isLast = !page.more || last === undefined || inRange.length < page.calls.length;
    if (isLast || calls.length >= limit) return { calls, total: since === 0 ? page.total : calls.length };
    beforeId = last.id;
  }
}

function callLines(calls: readonly CallSummary[], total: number): string[] {
  if (calls.length === 0) return ['No matching calls.'];
  const more =
    total > calls.length ? ['', `${calls.length} of ${formatCount(total, 'call')}; more with --limit N.`] : [];
  return [
    ...table(['TIME', 'APP', 'TOOL', 'STATUS', 'DURATION', 'RESULT', 'RETURNED', 'REASON'], calls.map(row)),
    ...more,
  ];
}

function row({ at, appName, server, tool, outcome, error, durationMs, tokens, declared }: CallSummary): string[] {
  const when = new Date(at).toISOString().slice(0, 19).replace('T', ' ');
  const name = server === '' ? tool : `${server}:${tool}`;
  const outcomeText = outcome === 'ok' ? 'ok' : paint('bad', outcome.replace('_', ' '));
  const counts = [tokens.serverResult, tokens.modelResult].map((number) => String(number ?? ''));
  return [
    when,
    oneLine(appName),
    oneLine(name),
    outcomeText,
    formatDuration(durationMs),
    ...counts,
    oneLine(declared.reason ?? error ?? ''),
  ];
}
