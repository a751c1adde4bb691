/** What the dashboard asks about answers on disk, and does with them. A person reading is no reading back by a model. */
import { markSteering } from '../../core/base/shown-text.ts';
import { callOfSpill, findCall } from '../../core/activity/call-queries.ts';
import { AppError } from '../../core/base/errors.ts';
import type { Spill } from '../../core/spills/spill.ts';
import type { SpillFilter } from '../../core/spills/spill-index.ts';
import { nameOfApp } from '../../core/client-apps/app-limits.ts';
import type { SpillRow } from '../contract.ts';
import type { Handlers, RpcDeps } from '../deps.ts';
import { callTexts } from './call-texts.ts';

/** Of a line that matches: where it is leads to the rest. */
const longestMatch = 200;
const mostMatches = 1000;
const dayMs = 86_400_000;

export const spillHandlers = {
  spills: async ({ limit = 200, beforeId }, { core }) => {
    await core.spills.ready();
    return { spills: await spillRows({ limit, ...(beforeId !== undefined && { beforeId }) }, core) };
  },
  spill: async ({ id }, { core }) => row(await requireSpill(id, core), core),
  spillLines: async ({ id, fromLine, count }, { core }, signal) => {
    const question = { op: 'lines', fromLine, toLine: fromLine + count - 1 } as const;
    const { lines, totalLines } = await core.spillFiles.look(id, question, signal);
    const cut = lines.filter(({ isCut }) => isCut).map(({ number }) => number);
    return { fromLine, lines: lines.map(({ text }) => markSteering(text)), totalLines, cut };
  },
  spillFind: async ({ id, pattern }, { core }, signal) => {
    const { lines, matchCount } = await core.spillFiles.look(id, { op: 'find', pattern, limit: mostMatches }, signal);
    const matches = lines.map(({ number, text }) => ({
      line: number,
      text: markSteering(text.slice(0, longestMatch)),
    }));
    return { matches, total: matchCount };
  },
  spillQuery: async ({ id, query }, { core }, signal) => {
    const { text, truncated } = await core.spillFiles.look(id, { op: 'query', query }, signal);
    return { text, truncated };
  },
  spillUse: async ({ id }, { core }) => {
    const spill = await requireSpill(id, core);
    const call = core.activity.query((database) => {
      const id = callOfSpill(database, spill.answerId);
      return id === undefined ? undefined : findCall(database, id);
    });
    const { given } = call === undefined ? {} : await callTexts(core, call, ['given']);
    return {
      given: given !== undefined && 'text' in given ? given.text : '',
      marks: core.spillFiles.marks.of(spill.id),
    };
  },
  pinSpill: async ({ id, pinned }, { core }) => {
    const spill = await requireSpill(id, core);
    if (!(await core.spills.pin(spill.id, pinned))) throw gone(id);
    return {};
  },
  deleteSpill: async ({ id, now = false }, { core }) => {
    const spill = await requireSpill(id, core);
    if (now) await core.spills.remove(spill.id);
    else core.deletions.plan(spill.id);
    return {};
  },
  restoreSpill: async ({ id }, { core }) => {
    if (!core.deletions.cancel(id)) throw gone(id);
    return {};
  },
  pruneSpills: async (_input, { core }) => core.spills.prune(),
} satisfies Handlers;

/** Without those that are being deleted. */
export async function spillRows(filter: SpillFilter, core: RpcDeps['core']): Promise<SpillRow[]> {
  const spills = await core.spills.list(filter);
  return spills.filter(({ id }) => !core.deletions.has(id)).map((spill) => row(spill, core));
}

function row(spill: Spill, core: RpcDeps['core']): SpillRow {
  const { id, createdAt, app, server, tool, kind, mimeType, bytes, lines, file, pinned, reads } = spill;
  const { sentBytes, sentTokens, sentEstimated } = spill;
  const { keepDays } = core.options.config.current.results;
  const expiresAt = pinned ? undefined : createdAt + keepDays * dayMs;
  return {
    id,
    at: createdAt,
    app: nameOfApp(app),
    server,
    tool,
    kind,
    mimeType,
    sentBytes,
    sentTokens,
    sentEstimated,
    bytes,
    lines,
    file,
    pinned,
    reads,
    expiresAt,
  };
}

async function requireSpill(id: string, core: RpcDeps['core']): Promise<Spill> {
  await core.spills.ready();
  const spill = await core.spills.find(id);
  if (spill === undefined) throw gone(id);
  return spill;
}

function gone(id: string): AppError {
  return new AppError('not_found', `There is no kept answer ${JSON.stringify(id.slice(0, 60))} (any more).`, {
    fix: 'It may have been deleted, or have been too old.',
  });
}
