/** Dashboard requests about spills. Reading by the user does not count as a model reading back. */
import type { CoreGroups } from '../../core/core-groups.ts';
import { neutralizeControlCharacters } from '../../core/base/visible-text.ts';
import { AppError } from '../../core/base/errors.ts';
import type { Spill } from '../../core/spills/spill.ts';
import type { SpillFilter } from '../../core/spills/spill-index.ts';
import { displayNameOf } from '../../core/client-apps/app-traits.ts';
import type { SpillRow } from '../contract.ts';
import type { Handlers, RpcDeps } from '../deps.ts';
import { callTexts } from './call-payloads.ts';

/** Maximum length of a matching line; its position leads to the rest. */
const maxMatchLength = 200;
const maxMatches = 1000;
const dayMs = 86_400_000;

export const spillHandlers = {
  spills: async ({ limit = 200, beforeId }, deps) => {
    await deps.calls.spills.ready();
    return { spills: await spillRows({ limit, ...(beforeId !== undefined && { beforeId }) }, deps) };
  },
  spill: async ({ id }, deps) => row(await requireSpill(id, deps), deps),
  spillLines: async ({ id, fromLine, count }, { calls, reader }, signal) => {
    const question = { op: 'lines', fromLine, toLine: fromLine + count - 1 } as const;
    const { lines, totalLines } = await calls.spillFiles.view(id, question, signal, reader);
    const cut = lines.filter(({ isCut }) => isCut).map(({ number }) => number);
    return { fromLine, lines: lines.map(({ text }) => neutralizeControlCharacters(text)), totalLines, cut };
  },
  spillFind: async ({ id, pattern }, { calls, reader }, signal) => {
    const question = { op: 'find', pattern, limit: maxMatches } as const;
    const { lines, matchCount } = await calls.spillFiles.view(id, question, signal, reader);
    const matches = lines.map(({ number, text }) => ({
      line: number,
      text: neutralizeControlCharacters(text.slice(0, maxMatchLength)),
    }));
    return { matches, total: matchCount };
  },
  spillQuery: async ({ id, query }, { calls, reader }, signal) => {
    const { text, fields, truncated } = await calls.spillFiles.view(id, { op: 'query', query }, signal, reader);
    // One value per line; the count is in the text below them.
    const isCounted = !truncated && fields['matchCount'] !== 0;
    return { text: isCounted ? text.slice(0, text.lastIndexOf('\n')) : text, truncated };
  },
  spillSql: async ({ id, query, tables }, { calls, reader }, signal) =>
    neutralizeControlCharacters(await calls.spillFiles.view(id, { op: 'select', query, tables }, signal, reader)),
  spillUse: async ({ id }, deps) => {
    const { activity, calls } = deps;
    const spill = await requireSpill(id, deps);
    const callId = await activity.log.ask('findCallBySpill', spill.answerId);
    const call = callId === undefined ? undefined : await activity.log.ask('findCall', callId);
    const { modelResult } = call === undefined ? {} : await callTexts(deps, call, ['modelResult']);
    return {
      returned: modelResult !== undefined && 'text' in modelResult ? modelResult.text : '',
      reads: calls.spillFiles.reads.of(spill.id),
    };
  },
  pinSpill: async ({ id, pinned }, deps) => {
    const spill = await requireSpill(id, deps);
    if (!(await deps.calls.spills.pin(spill.id, pinned, deps.reader))) throw gone(id);
    return {};
  },
  deleteSpill: async ({ id, now = false }, deps) => {
    const { calls, reader } = deps;
    const spill = await requireSpill(id, deps);
    if (now) await calls.spills.remove(spill.id, reader);
    else calls.scheduledDeletions.schedule(spill.id);
    return {};
  },
  restoreSpill: async ({ id }, { calls }) => {
    if (!calls.scheduledDeletions.cancel(id)) throw gone(id);
    return {};
  },
  pruneSpills: async (_input, { calls }) => calls.spills.prune(),
} satisfies Handlers;

type SpillDeps = Pick<RpcDeps, 'calls' | 'context' | 'reader'>;

/** Omits those that are being deleted. */
export async function spillRows(filter: SpillFilter, { context, calls, reader }: SpillDeps): Promise<SpillRow[]> {
  const spills = await calls.spills.list(filter, reader);
  return spills.filter(({ id }) => !calls.scheduledDeletions.has(id)).map((spill) => row(spill, { context }));
}

function row(spill: Spill, { context }: Pick<CoreGroups, 'context'>): SpillRow {
  const { id, createdAt, app, server, tool, preview = '', kind, mimeType, bytes, lines, file, pinned, reads } = spill;
  const { sentBytes, sentTokens, sentEstimated } = spill;
  const { retentionDays } = context.config.current.results;
  const expiresAt = pinned ? undefined : createdAt + retentionDays * dayMs;
  return {
    id,
    at: createdAt,
    app: displayNameOf(app),
    server,
    tool,
    preview,
    kind,
    mimeType,
    sentBytes,
    sentTokens,
    sentEstimated,
    bytes,
    lines,
    path: file,
    pinned,
    reads,
    expiresAt,
  };
}

async function requireSpill(id: string, { calls, reader }: SpillDeps): Promise<Spill> {
  await calls.spills.ready();
  const spill = await calls.spills.find(id, reader);
  if (spill === undefined) throw gone(id);
  return spill;
}

function gone(id: string): AppError {
  return new AppError('not_found', `No spill with the ID ${JSON.stringify(id.slice(0, 60))}.`, {
    fix: 'It may have been deleted or have expired.',
  });
}
