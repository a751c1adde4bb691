/** Queries over recorded steps: pages, and sums that equal those of the rows. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createActivityDatabase } from '../../../../src-main/core/activity/activity-worker/activity-database.ts';
import type { CallOutcome } from '../../../../src-main/core/activity/call-record.ts';
import { trimToSize } from '../../../../src-main/core/activity/activity-worker/size-limit.ts';
import {
  recentSessions,
  searchSteps,
  type StepSearch,
} from '../../../../src-main/core/activity/activity-worker/step-search.ts';
import {
  insertStep,
  toValues,
  trimSteps,
  updateStepTokens,
} from '../../../../src-main/core/activity/activity-worker/step-table.ts';
import type { StepRecord } from '../../../../src-main/core/activity/steps/step.ts';
import type { RecoveringDatabase } from '../../../../src-main/core/base/recovering-database.ts';
import { sumsOfRows } from './sums-of-rows.ts';

const hour = 3_600_000;
const start = 470_000 * hour;
const masker = { maskText: (text: string): string => text };
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tooltray-steps-'));
  file = join(folder, 'activity.db');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

function open(maxBytes = 1e9): RecoveringDatabase {
  const store = createActivityDatabase(file, maxBytes, (aside) => expect.fail(aside));
  onTestFinished(() => store.close());
  return store;
}

/** Inserts the steps, and deletes the oldest beyond `most`. */
function insert(database: DatabaseSync, steps: readonly StepRecord[], most = 1e6, hiding = masker): void {
  database.exec('BEGIN');
  for (const one of steps) insertStep(database, toValues(one, hiding));
  trimSteps(database, most);
  database.exec('COMMIT');
}

function step(changes: Partial<StepRecord> & { readonly id: number }): StepRecord {
  return {
    startedAt: Math.floor(changes.id / 1000),
    sessionId: 's1',
    app: 'cursor',
    mode: 'search',
    kind: 'call',
    name: 'call_tool',
    what: 'fs_read',
    durationMs: 1,
    requestBytes: 10,
    modelResultBytes: 20,
    calls: 1,
    outcome: 'ok',
    ...changes,
  };
}

/** Deterministic, so that a failure can be reproduced. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function expectSums(database: DatabaseSync, search: StepSearch): void {
  expect([search, searchSteps(database, search, { limit: 1 }).sums]).toEqual([search, sumsOfRows(database, search)]);
}

test('keeps sums equal to those of the rows after inserts, updates, deletions and restarts', () => {
  const roll = dice(7);
  const outcomes: readonly CallOutcome[] = ['ok', 'ok', 'failed', 'blocked', 'cancelled'];
  let id = start * 1000;
  let store = open(400_000);
  for (let round = 0; round < 16; round++) {
    store.use((database) => {
      const steps = Array.from({ length: 40 + roll(80) }, () => {
        id += 1 + roll(600_000_000);
        // Sometimes the clock is set back: ids increase, times do not.
        const startedAt = Math.floor(id / 1000) - (roll(10) === 0 ? roll(5 * hour) : 0);
        return step({ id, startedAt, sessionId: `s${roll(12)}`, outcome: outcomes[roll(5)] ?? 'ok' });
      });
      const bound = 1000;
      insert(database, steps, bound);
      // Written again after a failure: existing ones stay unchanged.
      insert(database, steps.slice(0, 10), bound);
      const counted = [...steps, ...steps.slice(0, 5)].filter(() => roll(5) > 0);
      for (const { id: counts } of counted) {
        const tokens = { given: roll(900), raw: roll(9000), baseline: roll(90), loaded: roll(800) };
        updateStepTokens(database, { id: counts, ...tokens });
      }
      if (round % 5 === 4) trimToSize(database, { maxBytes: 100_000 + roll(300_000), maxPayloadBytes: 1e9 });
      if (round % 7 === 6) {
        for (let batch = 0; batch < 11; batch++) {
          const late = Array.from({ length: 100 }, () => step({ id: ++id, startedAt: Math.floor(id / 1000) }));
          insert(database, late, 300 + roll(700));
        }
      }
      const oldest = Number(database.prepare('SELECT min(startedAt) AS at FROM steps').get()?.['at']);
      const span = Math.floor(id / 1000) - oldest;
      const times = Array.from({ length: 3 }, () => oldest + roll(span));
      for (const sessionId of [undefined, 's1', `s${roll(12)}`, 'nobody']) {
        expectSums(database, { sessionId });
        for (const since of times) {
          expectSums(database, { sessionId, since });
          expectSums(database, { sessionId, until: since });
          expectSums(database, { sessionId, since, until: since + roll(3 * hour) });
        }
      }
      const told = recentSessions(database, 100).map((one) => [one.sessionId, one.steps, one.given]);
      const rows = database.prepare(
        'SELECT sessionId, count(*) AS steps, coalesce(sum(given), 0) AS given FROM steps GROUP BY 1 ORDER BY max(id) DESC',
      );
      expect(told).toEqual(rows.all().map((row) => [row['sessionId'], row['steps'], row['given']]));
    });
    if (round % 3 === 0) {
      store.close();
      store = open(400_000);
    }
  }
});

test('stores a step unchanged except for masked secrets', () => {
  const hiding = { maskText: (text: string): string => text.replace('sesame', '***') };
  const whole = {
    ...step({ id: start * 1000 }),
    errorText: 'open sesame',
    outcome: 'failed' as const,
    dropReason: 'call' as const,
    durationMs: 3,
    requestBytes: 11,
    modelResultBytes: 12,
    calls: 2,
  };
  const { id: _id, ...facts } = whole;
  const written: unknown = expect.objectContaining({ ...facts, errorText: 'open ***' });
  open().use((database) => {
    insert(database, [whole, { ...whole, id: whole.id + 1 }], 1000, hiding);
    const { steps } = searchSteps(database, {}, { limit: 2 });
    expect(steps.map(({ id, ...rest }) => [id, rest])).toEqual([whole.id + 1, whole.id].map((id) => [id, written]));
  });
});

test('returns the newest matching steps first, and continues after the last one', () => {
  open().use((database) => {
    const steps = Array.from({ length: 50 }, (_one, n) =>
      step({ id: (start + n * 600_000) * 1000, what: n % 2 === 0 ? 'git_log' : 'fs_read' }),
    );
    insert(database, steps, 1000);
    for (const search of [{ text: 'GIT' }, { text: 'git cursor' }, { app: 'cursor', text: 'git_' }]) {
      const first = searchSteps(database, search, { limit: 10 });
      const rest = searchSteps(database, search, { limit: 100, before: first.steps.at(-1)?.id });
      expect([first.steps.length, first.more, rest.steps.length, rest.more]).toEqual([10, true, 15, false]);
      expect(first.sums.steps).toBe(25);
      expect(new Set([...first.steps, ...rest.steps].map(({ what }) => what))).toEqual(new Set(['git_log']));
    }
    const range = { since: start + 2 * hour, until: start + 3 * hour };
    const within = searchSteps(database, range, { limit: 4 });
    expect([within.steps.length, within.more, within.sums.steps]).toEqual([4, true, 6]);
    expect(searchSteps(database, { text: '%' }, { limit: 10 }).sums.steps).toBe(0);
  });
});

test('filters steps by their calls, in one session or all, with or without a time range', () => {
  open().use((database) => {
    const steps = Array.from({ length: 60 }, (_one, n) =>
      step({ id: (start + n * 600_000) * 1000, what: '', ...(n % 10 === 0 && { outcome: 'blocked' }) }),
    );
    insert(database, steps, 1000);
    const call = database.prepare(
      `INSERT INTO calls (startedAt, sessionId, app, mode, server, tool, durationMs, resolveMs, allowMs, callMs, shapeMs, requestBytes, serverResultBytes,
        modelResultBytes, outcome, spillId, step) VALUES (?, 's1', 'cursor', 'search', ?, ?, 1, 0, 0, 1, 0, 1, 1, 1, ?, ?, ?)`,
    );
    for (const [n, { id, startedAt }] of steps.entries()) {
      const outcome = n % 6 === 0 ? 'failed' : n % 5 === 0 ? 'blocked' : n % 7 === 0 ? 'cancelled' : 'ok';
      call.run(startedAt, n % 2 === 0 ? 'git' : 'fs', `tool_${n % 3}`, outcome, n % 4 === 0 ? 'kept' : null, id);
      call.run(startedAt, 'other', 'second', 'ok', null, id);
    }
    const times: readonly { readonly since?: number; readonly until?: number }[] = [
      {},
      { since: start + 2 * hour, until: start + 7 * hour },
    ];
    const filters: readonly [StepSearch, (n: number) => boolean][] = [
      [{ text: 'tool_1' }, (n) => n % 3 === 1],
      [{ text: 'GIT tool_2' }, (n) => n % 2 === 0 && n % 3 === 2],
      [{ problems: true }, (n) => n % 6 === 0 || n % 5 === 0],
      [{ blocked: true }, (n) => n % 10 === 0 || (n % 5 === 0 && n % 6 !== 0)],
      [{ spilled: true }, (n) => n % 4 === 0],
      [{ server: 'git' }, (n) => n % 2 === 0],
      [{ server: 'other', app: 'cursor' }, () => true],
      [{ server: 'fs', spilled: true }, () => false],
      [{ server: 'git', problems: true, text: 'second' }, (n) => n % 2 === 0 && (n % 6 === 0 || n % 5 === 0)],
    ];
    for (const [filter, fits] of filters) {
      for (const time of times) {
        const wanted = steps.filter(
          ({ startedAt }, n) =>
            fits(n) && startedAt >= (time.since ?? 0) && startedAt < (time.until ?? Number.MAX_SAFE_INTEGER),
        );
        for (const whose of [{}, { sessionId: 's1' }]) {
          const found = searchSteps(database, { ...filter, ...time, ...whose }, { limit: 100 });
          expect([filter, time, whose, found.steps.map(({ id }) => id)]).toEqual([
            ...[filter, time, whose],
            wanted.map(({ id }) => id).toReversed(),
          ]);
          const first = searchSteps(database, { ...filter, ...time, ...whose }, { limit: 7 });
          const before = first.steps.at(-1)?.id ?? 0;
          const rest = searchSteps(database, { ...filter, ...time, ...whose }, { limit: 100, before });
          expect([...first.steps, ...rest.steps]).toEqual(found.steps);
          const problems = wanted.filter(({ outcome }) => outcome !== 'ok').length;
          expect(found.sums).toMatchObject({ steps: wanted.length, problems });
          expect([first.sums, rest.sums]).toEqual([found.sums, found.sums]);
        }
      }
    }
  });
});

test('searches at most 100 000 steps, and reports if it stopped there', () => {
  open().use((database) => {
    insert(database, [step({ id: start * 1000, name: 'oldest_tool' })], 1e6);
    const fill = database.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(? AS INTEGER))
       INSERT INTO steps SELECT id + i * 1000, startedAt + i, sessionId, app, mode, kind, 'later', what, 1, 1, 1, 1, 'ok', NULL, NULL, NULL, NULL,
       NULL, NULL, NULL FROM n, steps WHERE id = ?`,
    );
    fill.run(99_999, start * 1000);
    expect(searchSteps(database, { text: 'oldest' }, { limit: 5 })).toMatchObject({ sums: { steps: 1 }, more: false });
    expect(searchSteps(database, { text: 'oldest' }, { limit: 5 }).lookedThrough).toBeUndefined();
    insert(database, [step({ id: (start + 200_000) * 1000 })], 1e6);
    const found = searchSteps(database, { text: 'oldest' }, { limit: 5 });
    expect([found.sums.steps, found.lookedThrough]).toEqual([0, 100_000]);
    // In its own hour there are few others.
    const early = { text: 'oldest', until: start + 10 };
    expect(searchSteps(database, early, { limit: 5 }).sums.steps).toBe(1);
    expect(searchSteps(database, {}, { limit: 5 })).toMatchObject({ sums: { steps: 100_001 } });
  });
});
