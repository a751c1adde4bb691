/**
 * Searches recorded steps: the matching ones, their totals, and their sessions. Totals of sessions and times come from
 * `sessionHours`,
 * which triggers maintain; every other query scans rows, limited to the newest.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { isProblem, isProblemIn } from '../call-record.ts';
import { type StepRow, toStep } from './step-table.ts';

export interface StepSearch {
  readonly sessionId?: string | undefined;
  readonly app?: string | undefined;
  /** Server that a call of the step went to. */
  readonly server?: string | undefined;
  /** Only steps that did not end well. */
  readonly problems?: boolean | undefined;
  /** Only steps with a spilled result. */
  readonly spilled?: boolean | undefined;
  readonly blocked?: boolean | undefined;
  /** In ms since the epoch; `until` itself is outside. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** In names and in what was asked for. */
  readonly text?: string | undefined;
  /** These as well, whatever the text is: what was found in what was said. */
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

/** Ids; the page is what lies between. */
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
  /** How many there are in the same session and time, whatever else is asked for. */
  readonly all: number;
  readonly more: boolean;
  /** So many of the newest were looked through, and none that are older; undefined: all were. */
  readonly lookedThrough?: number;
}

/** A session of a client app, as far as steps are on record. */
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

/** Looked through row by row: it takes as long as a person does not notice, and calls wait meanwhile. */
const maxScannedRows = 100_000;
const hourMs = 3_600_000;
const summed = ['steps', 'problems', 'given', 'raw', 'baseline', 'loaded'] as const;
const sumOfRows = `count(*) AS steps, coalesce(sum(${isProblem}), 0) AS problems, coalesce(sum(given), 0) AS given,
  coalesce(sum(raw), 0) AS raw, coalesce(sum(baseline), 0) AS baseline, coalesce(sum(loaded), 0) AS loaded`;

/** Throws what SQLite throws. */
export function searchSteps(database: DatabaseSync, search: StepSearch, range: StepRange): StepPage {
  const sums = sumSteps(database, search);
  if (isLookedThrough(search)) return { ...scanRows(database, search, range), all: sums.steps };
  const { clauses, values } = placed(database, search);
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

/** The sessions with the newest steps first. */
export function recentSessions(database: DatabaseSync, limit: number): readonly SessionRow[] {
  const rows = database
    .prepare(
      `SELECT sessionId, max(lastId) AS last, sum(steps) AS steps, sum(given) AS given FROM sessionHours
       GROUP BY sessionId ORDER BY last DESC LIMIT ?`,
    )
    .all(limit);
  // The newest name: before its handshake the app is unknown.
  const latest = database.prepare(
    'SELECT app, mode, startedAt FROM steps WHERE sessionId = ? ORDER BY id DESC LIMIT 1',
  );
  const first = database.prepare('SELECT startedAt FROM steps WHERE sessionId = ? ORDER BY id LIMIT 1');
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
      given: Number(row['given']),
    };
  });
}

/** The steps among ids of texts, which are steps' own or those of their calls. */
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

/** Sums a session and time range: whole hours from their totals, partial hours at both ends from rows. */
function sumSteps(database: DatabaseSync, { sessionId, since = 0, until }: StepSearch): StepTotals {
  const firstWhole = Math.ceil(since / hourMs);
  const endOfWhole = until === undefined ? Number.MAX_SAFE_INTEGER : Math.floor(until / hourMs);
  const whole = { clauses: ['hour >= ?', 'hour < ?'], values: [firstWhole, endOfWhole] };
  const { clauses, values } = sessionId === undefined ? whole : and(whole, 'sessionId = ?', sessionId);
  const sums = [
    toSums(
      database
        .prepare(
          `SELECT ${summed.map((name) => `coalesce(sum(${name}), 0) AS ${name}`).join(', ')}
           FROM sessionHours WHERE ${clauses.join(' AND ')}`,
        )
        .get(...values),
    ),
  ];
  for (const [from, to] of endsOf(since, until, firstWhole * hourMs, endOfWhole * hourMs)) {
    const rows = placed(database, { sessionId, since: from, until: to });
    sums.push(sumRows(database, rows));
  }
  return Object.fromEntries(
    summed.map((name) => [name, sums.reduce((sum, one) => sum + one[name], 0)]),
  ) as unknown as StepTotals;
}

/** The parts of hours before the first whole one and behind the last; one where the time lies within an hour. */
function endsOf(
  since: number,
  until: number | undefined,
  first: number,
  end: number,
): readonly (readonly [number, number])[] {
  if (until === undefined) return since < first ? [[since, first]] : [];
  if (end < first) return [[since, until]];
  return [[since, first] as const, [end, until] as const].filter(([from, to]) => from < to);
}

function scanRows(database: DatabaseSync, search: StepSearch, range: StepRange): Omit<StepPage, 'all'> {
  const place = placed(database, search);
  const lowest = lowestLookedThrough(database, place);
  const span = idsOfTime(database, search);
  const among = search.sessionId === undefined ? { ...span, from: lowest ?? span.from } : undefined;
  const wanted = filtered(lowest === undefined ? place : and(place, 'id >= ?', lowest), search, among);
  const { ids, sums } = isSeenAtOnce(search)
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
  /** The newest first; one more than the page holds where there are more. */
  readonly ids: readonly number[];
  readonly sums: StepTotals;
}

/** Nothing is collected from calls first, so that to ask twice costs less than to keep what fits in between. */
function isSeenAtOnce({ problems, spilled, blocked, text }: StepSearch): boolean {
  return problems !== true && spilled !== true && blocked !== true && wordsOf(text).length === 0;
}

/** Finds the page, then sums: fast if most rows match, and if few do, there is little to sum. */
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

/** Row by row. */
function sumRows(database: DatabaseSync, { clauses, values }: Conditions): StepTotals {
  return toSums(database.prepare(`SELECT ${sumOfRows} FROM steps WHERE ${clauses.join(' AND ')}`).get(...values));
}

function ofIds(ids: readonly number[]): Conditions {
  return { clauses: ['id IN (SELECT value FROM json_each(?))'], values: [JSON.stringify(ids)] };
}

/** undefined: there are no more than may be looked through. */
function lowestLookedThrough(database: DatabaseSync, { clauses, values }: Conditions): number | undefined {
  const where = clauses.length === 0 ? 'TRUE' : clauses.join(' AND ');
  const ids = database
    .prepare(`SELECT id FROM steps WHERE ${where} ORDER BY id DESC LIMIT 2 OFFSET ?`)
    .all(...values, maxScannedRows - 1);
  return ids.length < 2 ? undefined : Number(ids[0]?.['id']);
}

/** Returns whether the search filters by more than owner and time. */
function isLookedThrough({ app, server, problems, spilled, blocked, text }: StepSearch): boolean {
  const isFiltered = problems === true || spilled === true || blocked === true;
  return app !== undefined || server !== undefined || isFiltered || wordsOf(text).length > 0;
}

/** Restricts by session and time. Ids grow with time, so rows need not be searched by time. */
function placed(database: DatabaseSync, search: StepSearch): Conditions {
  const { sessionId, since, until } = search;
  const { from, to } = idsOfTime(database, search);
  let place: Conditions = { clauses: ['TRUE'], values: [] };
  if (sessionId !== undefined) place = and(place, 'sessionId = ?', sessionId);
  if (since !== undefined) place = and(place, 'startedAt >= ? AND id >= ?', since, from);
  return until === undefined ? place : and(place, 'startedAt < ? AND id <= ?', until, to);
}

/** Both included. */
interface IdSpan {
  readonly from: number;
  readonly to: number;
}

/** No id is smaller than its time says; where the clock was put back, it is greater. */
function idsOfTime(database: DatabaseSync, { since = 0, until }: StepSearch): IdSpan {
  const from = Math.floor(since) * 1000;
  if (until === undefined) return { from, to: Number.MAX_SAFE_INTEGER };
  const last = database
    .prepare('SELECT max(lastId) AS id FROM sessionHours WHERE hour <= ?')
    .get(Math.floor(until / hourMs));
  return { from, to: Number(last?.['id'] ?? 0) };
}

/**
 * `among`: of all sessions, so that going through the calls of that time once takes half as long as looking for those
 * of each step.
 */
function filtered(place: Conditions, search: StepSearch, among: IdSpan | undefined): Conditions {
  const span = among === undefined ? [] : [among.from, among.to];
  const ofEach = (condition: string): string =>
    `EXISTS (SELECT 1 FROM calls WHERE calls.step = steps.id AND (${condition}))`;
  const ofCalls = (condition: string): string =>
    among === undefined
      ? ofEach(condition)
      : `id IN (SELECT step FROM calls WHERE step BETWEEN ? AND ? AND (${condition}))`;
  let all = place;
  if (search.app !== undefined) all = and(all, 'app = ?', search.app);
  // It may be that of most: to collect these would take longer.
  if (search.server !== undefined) all = and(all, ofEach('calls.server = ?'), search.server);
  if (search.problems === true) all = and(all, `(${isProblem} OR ${ofCalls(isProblemIn('calls.outcome'))})`, ...span);
  if (search.blocked === true) {
    all = and(all, `(outcome = 'blocked' OR ${ofCalls("calls.outcome = 'blocked'")})`, ...span);
  }
  if (search.spilled === true) all = and(all, ofCalls('calls.spillId IS NOT NULL'), ...span);
  const found = search.found ?? [];
  for (const word of wordsOf(search.text)) {
    const like = `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`;
    // Column by column: a word has no blank, and to put them together takes four times as long.
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

/** Every one of them has to be there. */
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
