/**
 * A million steps on disk: how long it takes to open a session, to sum a week and to find what was said, each against a
 * plain SQLite scan of the same file. The rows are made by SQL, as the core would have written them; the questions are
 * the core's own.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createActivityDatabase } from '../../../src-main/core/activity/activity-worker/activity-database.ts';
import { recentSessions, searchSteps } from '../../../src-main/core/activity/activity-worker/step-search.ts';
import { callsOfSteps } from '../../../src-main/core/activity/activity-worker/step-table.ts';
import { packPayloads } from '../../../src-main/core/activity/activity-worker/pack-payloads.ts';
import { PayloadTable } from '../../../src-main/core/activity/activity-worker/payload-table.ts';
import { quantile } from '../statistics.mjs';
import { formatTable } from '../table.mjs';

const steps = 1_000_000;
/** Texts are made by the code itself, packed and indexed: the smaller number keeps the part within minutes. */
const texts = 50_000;
/** A hundred steps each. */
const sessions = 10_000;
const rounds = 5;
const weekMs = 7 * 86_400_000;
const limits = { retentionDays: 60, maxBytes: 8e9 };

export async function measure(print) {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-bench-timeline-'));
  try {
    const now = Date.now();
    const record = createActivityDatabase(join(folder, 'activity.db'), 8e9, () => undefined);
    record.use((database) => fill(database, now));
    const sizeBefore = statSync(join(folder, 'activity.db')).size;
    const said = new PayloadTable();
    record.use((database) => keepTexts(database, said, now));
    const session = 'session-1000';
    const rows = [
      ['open a session', () => record.use((database) => page(database, { sessionId: session }))],
      ['search its steps', () => record.use((database) => page(database, { sessionId: session, text: 'nothing' }))],
      ['sum a week', () => record.use((database) => page(database, { since: now - weekMs }))],
      [
        'sum an old week',
        () => record.use((database) => page(database, { since: now - 3 * weekMs, until: now - 2 * weekMs })),
      ],
      ['list the sessions', () => record.use((database) => recentSessions(database, 100))],
      ['search all steps', () => record.use((database) => page(database, { text: 'nothing' }))],
      ['only problems', () => record.use((database) => page(database, { problems: true }))],
      ['only one server', () => record.use((database) => page(database, { server: 'github' }))],
      ['find a rare word', () => record.use((database) => said.search(database, 'word31337', 2000, limits, now))],
      ['find a word of all', () => record.use((database) => said.search(database, 'sentence', 2000, limits, now))],
    ].map(([what, ask]) => ({ what, ms: median(ask) }));
    const plain = {
      steps: median(() => scan(join(folder, 'activity.db'), 'steps', 'name')),
      texts: median(() => scan(join(folder, 'activity.db'), 'texts', 'body')),
    };
    record.close();
    const shown = rows.map(({ what, ms }) => ({
      what,
      ms: ms.toFixed(1),
      'of a plain scan': `${((ms / (what.startsWith('find') ? plain.texts : plain.steps)) * 100).toFixed(0)} %`,
    }));
    print(`${steps.toLocaleString('en')} steps, ${texts.toLocaleString('en')} texts; medians of ${rounds}\n`);
    print(formatTable(shown));
    const size = (statSync(join(folder, 'activity.db')).size - sizeBefore) / texts;
    print(
      `\nplain scans: steps ${plain.steps.toFixed(0)} ms, texts ${plain.texts.toFixed(0)} ms; ${size.toFixed(0)} bytes a text with its index`,
    );
    return { rows, plain };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Over a month, sessions one behind the other, each step with the call that ran for it. */
function fill(database, now) {
  database
    .prepare(
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ? - 1)
       INSERT INTO steps (id, startedAt, sessionId, app, mode, kind, name, what, durationMs, requestBytes, modelResultBytes, calls, outcome,
         errorText, dropReason, given, raw, baseline)
       SELECT (? + i * 2592) * 1000, ? + i * 2592, 'session-' || (i / CAST(? AS INTEGER)), 'claude-code', 'search', 'call', 'call_tool',
         'github_list_issues', 12.5, 120, 2000, 1, iif(i % 20 = 0, 'tool_error', 'ok'), NULL, NULL, 500, 2000, 0 FROM n`,
    )
    .run(steps, now - steps * 2592, now - steps * 2592, steps / sessions);
  database.exec(
    `INSERT INTO calls (startedAt, sessionId, app, mode, server, tool, via, durationMs, resolveMs, allowMs, callMs, shapeMs,
       requestBytes, serverResultBytes, modelResultBytes, outcome, step)
     SELECT startedAt, sessionId, app, mode, 'github', 'list_issues', name, 12, 1, 1, 9, 1, requestBytes, modelResultBytes, modelResultBytes, outcome, id
     FROM steps`,
  );
}

function keepTexts(database, table, now) {
  for (let from = 0; from < texts; from += 500) {
    database.exec('BEGIN');
    for (let id = from; id < from + 500; id++) {
      const sent = Array.from(
        { length: 40 },
        (_word, nth) => `Sentence ${nth} word${id} of w${(id * 31 + nth * 977) % 20_011}.`,
      );
      const payloads = {
        request: { text: '{}' },
        serverResult: { text: sent.join(' ') },
        modelResult: { none: 'same' },
      };
      table.insert(database, { id, startedAt: now - id }, payloads, packPayloads(payloads));
    }
    database.exec('COMMIT');
  }
}

/** As the dashboard asks: a page with its calls, and the sums of all that fit. */
function page(database, search) {
  const { steps, sums } = searchSteps(database, search, { limit: 100 });
  callsOfSteps(
    database,
    steps.map(({ id }) => id),
    5,
  );
  return sums;
}

/** Every row is read, and nothing else. */
function scan(file, table, column) {
  using database = new DatabaseSync(file, { readOnly: true });
  return database.prepare(`SELECT count(*) AS n, sum(length(${column})) AS size FROM ${table}`).get();
}

function median(work) {
  const taken = Array.from({ length: rounds }, () => {
    const begun = performance.now();
    work();
    return performance.now() - begun;
  });
  return quantile(taken, 0.5);
}
