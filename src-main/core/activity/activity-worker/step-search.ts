/**
 * Searches recorded steps: the matching ones, their totals, and their sessions. Filters beyond session and time look at
 * each row, limited to the newest.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { isProblem, isProblemIn } from '../call-record.ts';
import { type StepRow, toStep } from './step-table.ts';

export interface StepSearch {
  readonly sessionId?: string | undefined;
  readonly app?: string | undefined;
  /** Server that a call of the step went to. */
  readonly server?: string | undefined;
  /** Only failed steps. */
  readonly problems?: boolean | undefined;
  /** Only steps with a spilled result. */
  readonly spilled?: boolean | undefined;
  readonly blocked?: boolean | undefined;
  /** In ms since the epoch; `until` is exclusive. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** In names and descriptions. */
  readonly text?: string | undefined;
  /** These steps match as well: their payloads contain the text. */
  readonly found?: readonly number[] | undefined;
}

export interface StepTotals {
  readonly steps: number;
  readonly problems: number;
  readonly given: number;
  readonly raw: number;
  readonly baseline: number;
  readonly loaded: number;
}

/** Ids that bound the page. */
export interface StepRange {
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  readonly limit: number;
}

export interface StepPage {
  /** The newest first. */
  readonly steps: readonly StepRow[];
  /** Totals over all matching steps. */
  readonly sums: StepTotals;
  /** Number of steps in the same session and period, regardless of other filters. */
  readonly all: number;
  readonly more: boolean;
  /** Number of newest steps that were searched; undefined: all. */
  readonly lookedThrough?: number;
}

/** A session of a client app, as far as its steps are recorded. */
export interface SessionRow {
  readonly sessionId: string;
  readonly app: string;
  readonly mode: string;
  /** ms since the epoch, of the first and the last step. */
  readonly from: number;
  readonly to: number;
  readonly steps: number;
  readonly given: number;
}

interface Conditions {
  readonly clauses: readonly string[];
  readonly values: readonly SQLInputValue[];
}

/** Maximum number of scanned rows. Calls wait during a scan, so it must be short. */
const maxScannedRows = 100_000;
const summed = ['steps', 'problems', 'given', 'raw', 'baseline', 'loaded'] as const;
const sumOfRows = `count(*) AS steps, coalesce(sum(${isProblem}), 0) AS problems, coalesce(sum(given), 0) AS given,
  coalesce(sum(raw), 0) AS raw, coalesce(sum(baseline), 0) AS baseline, coalesce(sum(loaded), 0) AS loaded`;

/** Throws the error of SQLite. */
export function searchSteps(database: DatabaseSync, search: StepSearch, range: StepRange): StepPage {
  const place = placed(search);
  const sums = sumRows(database, place);
  if (needsScan(search)) return { ...scanRows(database, search, range), all: sums.steps };
  const { clauses, values } = place;
  const found = database
    .prepare(`SELECT * FROM steps WHERE ${[...clauses, 'id < ?', 'id > ?'].join(' AND ')} ORDER BY id DESC LIMIT ?`)
    .all(...values, ...idsOf(range), range.limit + 1);
  return {
    steps: found.slice(0, range.limit).map(toStep),
    sums,
    all: sums.steps,
    more: found.length > range.limit,
  };
}

/** Most recently active first. */
export function recentSessions(database: DatabaseSync, limit: number): readonly SessionRow[] {
  const rows = database
    .prepare(
      'SELECT sessionId, max(id) AS last, count(*) AS steps FROM steps GROUP BY sessionId ORDER BY last DESC LIMIT ?',
    )
    .all(limit);
  // The latest name, because the app is unknown before `initialize`.
  const latest = database.prepare(
    'SELECT app, mode, startedAt FROM steps WHERE sessionId = ? ORDER BY id DESC LIMIT 1',
  );
  const first = database.prepare('SELECT startedAt FROM steps WHERE sessionId = ? ORDER BY id LIMIT 1');
  const sum = database.prepare('SELECT sum(given) AS given FROM steps WHERE sessionId = ?');
  return rows.map((row): SessionRow => {
    const sessionId = String(row['sessionId']);
    const named = latest.get(sessionId);
    return {
      sessionId,
      app: String(named?.['app'] ?? ''),
      mode: String(named?.['mode'] ?? ''),
      from: Number(first.get(sessionId)?.['startedAt'] ?? 0),
      to: Number(named?.['startedAt'] ?? 0),
      steps: Number(row['steps']),
      given: Number(sum.get(sessionId)?.['given'] ?? 0),
    };
  });
}

/** The steps with these payload ids, which belong to steps or to their calls. */
export function stepsOfPayloads(database: DatabaseSync, ids: readonly number[]): readonly number[] {
  if (ids.length === 0) return [];
  const list = JSON.stringify(ids);
  const rows = database
    .prepare(
      `SELECT id FROM steps WHERE id IN (SELECT value FROM json_each(?))
       UNION SELECT step FROM calls WHERE id IN (SELECT value FROM json_each(?)) AND step IS NOT NULL`,
    )
    .all(list, list);
  return rows.map(({ id }) => Number(id));
}

function scanRows(database: DatabaseSync, search: StepSearch, range: StepRange): Omit<StepPage, 'all'> {
  const place = placed(search);
  const lowest = lowestScannedId(database, place);
  const from = firstIdOf(search);
  const among = search.sessionId === undefined ? (lowest ?? from) : undefined;
  const wanted = filtered(lowest === undefined ? place : and(place, 'id >= ?', lowest), search, among);
  const { ids, sums } = isCheapToRepeat(search)
    ? pageThenSums(database, wanted, range)
    : pageAndSums(database, wanted, range);
  const steps = database
    .prepare('SELECT * FROM steps WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id DESC')
    .all(JSON.stringify(ids.slice(0, range.limit)));
  return {
    steps: steps.map(toStep),
    sums,
    more: ids.length > range.limit,
    ...(lowest !== undefined && { lookedThrough: maxScannedRows }),
  };
}

interface Found {
  /** Newest first; one more than the page holds if there are more. */
  readonly ids: readonly number[];
  readonly sums: StepTotals;
}

/** Whether filters apply to steps alone, so that running the query twice is cheaper than storing matches. */
function isCheapToRepeat({ problems, spilled, blocked, text }: StepSearch): boolean {
  return problems !== true && spilled !== true && blocked !== true && wordsOf(text).length === 0;
}

/** Finds the page, then computes sums: fast if most rows match, and if few do, there is little to sum. */
function pageThenSums(database: DatabaseSync, wanted: Conditions, range: StepRange): Found {
  const { before, after, limit } = range;
  const page = and(wanted, 'id < ? AND id > ?', ...idsOf(range));
  const ids = database
    .prepare(`SELECT id FROM steps WHERE ${page.clauses.join(' AND ')} ORDER BY id DESC LIMIT ?`)
    .all(...page.values, limit + 1)
    .map(({ id }) => Number(id));
  const isAll = before === undefined && after === undefined && ids.length <= limit;
  return { ids, sums: sumRows(database, isAll ? ofIds(ids) : wanted) };
}

function pageAndSums(database: DatabaseSync, wanted: Conditions, range: StepRange): Found {
  const row = database
    .prepare(
      `WITH hits AS MATERIALIZED (SELECT id, outcome, given, raw, baseline, loaded FROM steps WHERE ${wanted.clauses.join(' AND ')})
       SELECT ${sumOfRows}, (SELECT json_group_array(id) FROM
         (SELECT id FROM hits WHERE id < ? AND id > ? ORDER BY id DESC LIMIT ?)) AS page FROM hits`,
    )
    .get(...wanted.values, ...idsOf(range), range.limit + 1);
  return { ids: JSON.parse(String(row?.['page'] ?? '[]')) as readonly number[], sums: toSums(row) };
}

/** Totals over the rows that meet the conditions. */
function sumRows(database: DatabaseSync, { clauses, values }: Conditions): StepTotals {
  return toSums(database.prepare(`SELECT ${sumOfRows} FROM steps WHERE ${clauses.join(' AND ')}`).get(...values));
}

function ofIds(ids: readonly number[]): Conditions {
  return { clauses: ['id IN (SELECT value FROM json_each(?))'], values: [JSON.stringify(ids)] };
}

/** Lowest ID to scan; undefined if all rows may be scanned. */
function lowestScannedId(database: DatabaseSync, { clauses, values }: Conditions): number | undefined {
  const where = clauses.length === 0 ? 'TRUE' : clauses.join(' AND ');
  const ids = database
    .prepare(`SELECT id FROM steps WHERE ${where} ORDER BY id DESC LIMIT 2 OFFSET ?`)
    .all(...values, maxScannedRows - 1);
  return ids.length < 2 ? undefined : Number(ids[0]?.['id']);
}

/** Whether the search filters by more than session and time. */
function needsScan({ app, server, problems, spilled, blocked, text }: StepSearch): boolean {
  const isFiltered = problems === true || spilled === true || blocked === true;
  return app !== undefined || server !== undefined || isFiltered || wordsOf(text).length > 0;
}

/** Restricts by session and time. The bound on the ID uses the primary key; the time is still compared, because the clock may have been set back. */
function placed(search: StepSearch): Conditions {
  const { sessionId, since, until } = search;
  let place: Conditions = { clauses: ['TRUE'], values: [] };
  if (sessionId !== undefined) place = and(place, 'sessionId = ?', sessionId);
  if (since !== undefined) place = and(place, 'startedAt >= ? AND id >= ?', since, firstIdOf(search));
  return until === undefined ? place : and(place, 'startedAt < ?', until);
}

/** An id is never smaller than its time implies; it is greater if the clock was set back. */
function firstIdOf({ since = 0 }: StepSearch): number {
  return Math.floor(since) * 1000;
}

/**
 * `among`: the first step, if steps of all sessions are searched, because scanning the calls from there takes half as
 * long as looking up those of each step.
 */
function filtered(place: Conditions, search: StepSearch, among: number | undefined): Conditions {
  const span = among === undefined ? [] : [among];
  const ofEach = (condition: string): string =>
    `EXISTS (SELECT 1 FROM calls WHERE calls.step = steps.id AND (${condition}))`;
  const ofCalls = (condition: string): string =>
    among === undefined ? ofEach(condition) : `id IN (SELECT step FROM calls WHERE step >= ? AND (${condition}))`;
  let all = place;
  if (search.app !== undefined) all = and(all, 'app = ?', search.app);
  // Most steps may use the server, so collecting them first would take longer.
  if (search.server !== undefined) all = and(all, ofEach('calls.server = ?'), search.server);
  if (search.problems === true) all = and(all, `(${isProblem} OR ${ofCalls(isProblemIn('calls.outcome'))})`, ...span);
  if (search.blocked === true) {
    all = and(all, `(outcome = 'blocked' OR ${ofCalls("calls.outcome = 'blocked'")})`, ...span);
  }
  if (search.spilled === true) all = and(all, ofCalls('calls.spillId IS NOT NULL'), ...span);
  const found = search.found ?? [];
  for (const word of wordsOf(search.text)) {
    const like = `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`;
    // Column by column: words contain no space, and concatenation takes four times as long.
    const inAny = (names: readonly string[]): string => names.map((name) => `${name} LIKE ? ESCAPE '\\'`).join(' OR ');
    const here = ['name', 'what', 'app', 'errorText'];
    const there = ['calls.server', 'calls.tool'];
    const said = found.length === 0 ? '' : ' OR id IN (SELECT value FROM json_each(?))';
    all = and(
      all,
      `(${inAny(here)} OR ${ofCalls(inAny(there))}${said})`,
      ...here.map(() => like),
      ...span,
      ...there.map(() => like),
      ...(found.length === 0 ? [] : [JSON.stringify(found)]),
    );
  }
  return all;
}

/** The words of the search, all of which must match. */
function wordsOf(text: string | undefined): readonly string[] {
  return (text ?? '').split(/\s+/).filter((word) => word !== '');
}

function and({ clauses, values }: Conditions, clause: string, ...more: SQLInputValue[]): Conditions {
  return { clauses: [...clauses, clause], values: [...values, ...more] };
}

function idsOf({ before, after }: StepRange): readonly [number, number] {
  return [before ?? Number.MAX_SAFE_INTEGER, after ?? 0];
}

function toSums(row: Record<string, SQLOutputValue> | undefined): StepTotals {
  return Object.fromEntries(summed.map((name) => [name, Number(row?.[name] ?? 0)])) as unknown as StepTotals;
}
