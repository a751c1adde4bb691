/** SQL over results: correct rows, few tokens, and read-only statements. */
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { protect, select } from '../../../../src-main/core/spills/read-worker/sql.ts';
import type { ReadTarget } from '../../../../src-main/core/spills/read-worker/reader-messages.ts';
import type { SpillQueryResult, SqlRows } from '../../../../src-main/core/spills/spill-queries.ts';
import { type AskOptions, Reading } from './reading.ts';
import { questions, results, type ResultName } from './sql-results.ts';

let reading: Reading;
beforeAll(async () => void (reading = await Reading.start()));
afterAll(() => reading[Symbol.asyncDispose]());

function target(text: string, kind: ReadTarget['kind'] = 'json'): ReadTarget {
  return { fd: -1, text, file: 'text', kind, bytes: Buffer.byteLength(text) };
}

const limits = { maxBytes: 200_000 };

function rowsOf(text: string, query: string, kind?: ReadTarget['kind']): SqlRows['rows'] {
  return select([{ target: target(text, kind) }], query, limits).rows;
}

/** Queries like a model, in a separate process. */
async function ask(
  text: string,
  query: string,
  options: AskOptions & { limit?: number; path?: string } = {},
): Promise<SpillQueryResult> {
  const { limit, path, ...more } = options;
  return reading.askOf(text, { op: 'sql', query, limit, path }, more);
}

describe('forty queries over eight results', () => {
  test('are forty', () => {
    expect([questions.length, new Set(questions.map(([name]) => name)).size]).toEqual([40, 8]);
  });

  test.each(questions)('%s: %s', (name, query, expected, joined) => {
    const others = Object.entries(joined).map(([as, other]) => ({
      name: as,
      target: target(results[other].text, results[other].kind),
    }));
    const { text, kind } = results[name];
    const found = select([{ target: target(text, kind) }, ...others], query, limits);
    expect(found.rows).toEqual(expected);
    expect([found.rowCount, found.isCounted]).toEqual([expected.length, true]);
  });

  test('cost at most a tenth of reading the results', async () => {
    let [asked, read] = [0, 0];
    for (const name of Object.keys(results) as ResultName[]) {
      const { text, kind } = results[name];
      const [, query = ''] = questions.find(([one]) => one === name) ?? [];
      asked += query.length + (await ask(text, query, { kind })).text.length;
      read += text.length;
    }
    expect(asked / read).toBeLessThan(0.1);
  });
});

describe('SQL output', () => {
  const rows = JSON.stringify(Array.from({ length: 1000 }, (_, id) => ({ id, name: `row\t${id}`, none: null })));

  test('has a line a row, and the number of rows', async () => {
    const { text, fields, truncated } = await ask(rows, 'SELECT id, name, none FROM rows WHERE id < 2');
    expect(text.split('\n')).toEqual(['id\tname\tnone', '0\trow\\t0\tNULL', '1\trow\\t1\tNULL', '(2 rows)']);
    expect([fields['rowCount'], fields['returnedRows'], truncated]).toEqual([2, 2, false]);
  });

  test('reports zero rows, and rows that are not shown', async () => {
    expect((await ask(rows, 'SELECT id FROM rows WHERE id < 0')).text).toBe('id\n(0 rows)');
    const some = await ask(rows, 'SELECT id FROM rows', { limit: 2 });
    expect([some.fields, some.truncated]).toMatchObject([{ rowCount: 1000, returnedRows: 2 }, true]);
    const cut = await ask(rows, 'SELECT * FROM rows', { maxBytes: 200 });
    expect(cut.fields['rowCount']).toBe(1000);
    expect(cut.text).toContain(`of 1000 rows`);
    expect(cut.text.length).toBeLessThan(400);
  });

  test('shortens a cell that is too long', async () => {
    const { text } = await ask(JSON.stringify([{ a: 'x'.repeat(50_000) }]), 'SELECT a FROM rows', { maxBytes: 1000 });
    expect([text.startsWith('a\nxxx'), text.length < 2100]).toEqual([true, true]);
  });

  test('counts up to a million rows', async () => {
    const many = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000000) SELECT i FROM n';
    expect(select([{ target: target('[]') }], many, limits)).toMatchObject({ rowCount: 1_000_000, isCounted: false });
  });

  test('names the tables if a statement names unknown ones', async () => {
    await expect(ask('{"items":[{"id":1,"a b":2}],"more":[{"x":1}]}', 'SELECT nope FROM rows')).rejects.toMatchObject({
      code: 'bad_request',
      fix: expect.stringMatching(/rows\(id, "a b"\); more\(x\)/) as string,
    });
  });

  test('queries the list at a path, or what a path selects', async () => {
    const two = '{"a":[{"n":1}],"b":{"deep":[{"n":2},{"n":3}]}}';
    expect((await ask(two, 'SELECT sum(n) AS s FROM rows', { path: '$.a' })).text).toBe('s\n1\n(1 row)');
    expect((await ask(two, 'SELECT sum(n) AS s FROM rows', { path: '$.b.deep[?@.n > 2]' })).text).toBe('s\n3\n(1 row)');
    await expect(ask(two, 'SELECT 1', { path: '$.c' })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('tables', () => {
  test.each<[string, string, ReadTarget['kind'], string, unknown]>([
    ['a list of values', '[3,1,2]', 'json', 'SELECT max(value) FROM rows', 3],
    ['values among objects', '[{"a":1},7]', 'json', 'SELECT value FROM rows WHERE a IS NULL', 7],
    ['a single object', '{"a":{"b":5}}', 'json', "SELECT a->>'b' FROM rows", 5],
    ['a single value', '"text"', 'json', 'SELECT value FROM rows', 'text'],
    ['an empty list', '[]', 'json', 'SELECT count(*) FROM rows', 0],
    ['names that differ only in case', '[{"Id":1,"id":2}]', 'json', 'SELECT id_2 FROM rows', 2],
    ['names that need quotes', '[{"a\\"b":1}]', 'json', 'SELECT "a""b" FROM rows', 1],
    ['a member called rows', '{"rows":[{"a":4}]}', 'json', 'SELECT a FROM rows', 4],
    ['another list called rows', '{"x":[{"a":1},{"a":2}],"rows":[{"a":4}]}', 'json', 'SELECT a FROM rows_2', 4],
    ['__proto__', '[{"__proto__":1,"b":2}]', 'json', 'SELECT "__proto__" + b FROM rows', 3],
    ['integers divided', '[{"a":7},{"a":1}]', 'json', 'SELECT a / 2 FROM rows WHERE a = 7', 3],
    [
      'mixed values',
      '[{"a":"007"},{"a":7}]',
      'json',
      "SELECT group_concat(typeof(a) || ':' || a, ' ') FROM rows",
      'text:007 integer:7',
    ],
    [
      'numbers of many digits',
      '[{"a":12345678901234567},{"a":1}]',
      'json',
      'SELECT a FROM rows WHERE a > 1',
      '12345678901234567',
    ],
    ['TOON', 'rows[2]{id,ok}:\n  1,true\n  2,false', 'toon', 'SELECT id FROM rows WHERE ok', 1],
    ['TSV without names', '1\t2\n3\t4\n5\t6\n', 'text', 'SELECT sum(c2) FROM rows', 12],
    ['semicolons', 'a;b\n1;x\n2;y', 'text', "SELECT a FROM rows WHERE b = 'y'", 2],
    ['a line feed in quotes', 'a,b\n1,"x\ny"\n2,z\n', 'text', "SELECT count(*) FROM rows WHERE b LIKE 'x%y'", 1],
    ['a byte order mark', '\ufeffa,b\n1,2\n3,4\n', 'text', 'SELECT sum(a) FROM rows', 4],
    ['lines of a log', 'x ERROR y\nfine\nERROR', 'text', "SELECT count(*) FROM rows WHERE text LIKE '%ERROR%'", 2],
    ['prose with commas', 'Dear Ann, hello\nHow are you, and so on\nBye, Bob', 'text', 'SELECT count(*) FROM rows', 3],
    ['NDJSON with an invalid line', '{"a":1}\n{"a":2}\noops', 'text', 'SELECT count(a) FROM rows', 2],
    ['JSON in a text', '[{"a":1},\n{"a":2}]', 'text', 'SELECT count(*) FROM rows', 2],
    [
      'HTML without end tags',
      '<table><tr><th>A<th>B<tr><td>1<td>2<tr><td>3<td>4</table>',
      'text',
      'SELECT sum(B) FROM rows',
      6,
    ],
    [
      'entities',
      '<table><tr><th>A</th></tr><tr><td>x &amp; &#233;</td></tr></table>',
      'text',
      'SELECT A FROM rows',
      'x & é',
    ],
    [
      'two tables of Markdown',
      '# One\n|a|\n|-|\n|1|\n# Two\n|a|\n|-|\n|2|\n|3|\n',
      'text',
      'SELECT sum(rows.a) + sum(One.a) FROM rows, One',
      7,
    ],
    ['a bar in a cell', '|a|b|\n|-|-|\n|x\\|y|1|\n', 'text', 'SELECT a FROM rows', 'x|y'],
    ['an empty text', '', 'text', 'SELECT count(*) FROM rows', 0],
  ])('%s', (_what, text, kind, query, expected) => {
    expect(rowsOf(text, query, kind)).toEqual([[expected]]);
  });

  test('of NDJSON include late columns and types in _more', () => {
    const lines = Array.from({ length: 12_000 }, (_, i) =>
      JSON.stringify(i < 9000 ? { id: i } : { id: `t${i}`, late: { a: i } }),
    );
    const text = lines.join('\n');
    expect(rowsOf(text, "SELECT count(*), sum(typeof(id) = 'integer') FROM rows", 'text')).toEqual([[12_000, 9000]]);
    expect(rowsOf(text, "SELECT _more->>'$.late' FROM rows WHERE id = 't9000'", 'text')).toEqual([['{"a":9000}']]);
  });

  test('of a file are read in chunks with whole characters', async () => {
    const rows = Array.from({ length: 90_000 }, (_, i) => `${i},${'é€😀'.repeat(5)}`);
    const file = await reading.write(`n,word\n${rows.join('\n')}\n`);
    const { text } = await reading.ask(
      file,
      { op: 'sql', query: 'SELECT count(*), count(DISTINCT word), max(n) FROM rows' },
      { kind: 'text' },
    );
    expect(text.split('\n')[1]).toBe('90000\t1\t89999');
  });

  test('of a JSON file over 64 MB are rejected with an alternative', async () => {
    const file = await reading.write('', 'sparse');
    await using handle = await open(file, 'w');
    await handle.truncate(65 * 1024 * 1024);
    await expect(reading.ask(file, { op: 'sql', query: 'SELECT 1' })).rejects.toMatchObject({ code: 'unsupported' });
  });
});

/** Statements are read-only with either protection that a Node.js version offers. */
describe.each([['with an authorizer'], ['without one']])('statements %s', (how) => {
  beforeAll(() => {
    if (how === 'without one') {
      vi.spyOn(DatabaseSync.prototype, 'setAuthorizer').mockImplementation(() => undefined);
    }
  });
  afterAll(() => vi.restoreAllMocks());

  const refused = ['not_allowed', 'bad_request'];

  test.each([
    'DROP TABLE rows',
    'DELETE FROM rows',
    "INSERT INTO rows VALUES (1, 'x')",
    'WITH x AS (SELECT 1) DELETE FROM rows',
    'WITH x AS (SELECT 1) INSERT INTO rows SELECT 1, 2',
    'UPDATE rows SET a = 1',
    'CREATE TABLE t (a)',
    'CREATE TEMP TABLE t (a)',
    'CREATE VIRTUAL TABLE t USING fts5(a)',
    "ATTACH '/tmp/other.db' AS other",
    "/* SELECT */ ATTACH ':memory:' AS other",
    "-- SELECT\nATTACH ':memory:' AS other",
    "VACUUM INTO '/tmp/copy.db'",
    'PRAGMA query_only = OFF',
    'PRAGMA writable_schema = ON',
    'BEGIN',
    'COMMIT',
    'REINDEX',
    'SELECT 1; DROP TABLE rows',
    "SELECT 1; /* ; */ ATTACH ':memory:' AS b",
    "SELECT load_extension('x')",
    "SELECT readfile('/etc/passwd')",
    "SELECT writefile('/tmp/x', 'y')",
    "SELECT edit('x')",
    "SELECT * FROM fsdir('/')",
    '',
    ';',
  ])('rejects %s', (query) => {
    const run = (): unknown => rowsOf('[{"a":1,"b":"x"}]', query);
    expect(run).toThrow(
      expect.objectContaining({ code: expect.toSatisfy((code: string) => refused.includes(code)) as string }),
    );
  });

  test.each(['SELECT 1;', '  -- note\n select 1 ; -- end', 'VALUES (1)', 'WITH a AS (SELECT 1) SELECT * FROM a;\n'])(
    'accepts %j',
    (query) => {
      expect(rowsOf('[]', query)).toEqual([[1]]);
    },
  );
});

test('protects the database from statements that write', () => {
  using database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE rows (a)');
  protect(database);
  for (const statement of ['INSERT INTO rows VALUES (1)', 'PRAGMA query_only = OFF', "ATTACH ':memory:' AS b"]) {
    expect(() => database.exec(statement)).toThrow();
  }
});

describe('a statement that exceeds a limit', () => {
  test('is ended at its timeout, and the next one is served', async () => {
    await using short = await Reading.start({ dataMs: 1500 });
    const file = await short.write('[{"a":1}]');
    const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';
    await expect(short.ask(file, { op: 'sql', query: endless })).rejects.toMatchObject({ code: 'call_timeout' });
    await expect(
      short.ask(file, { op: 'sql', query: `SELECT '${'a'.repeat(40)}!' REGEXP '^(a+)+$'` }),
    ).rejects.toMatchObject({
      code: 'call_timeout',
    });
    expect((await reading.ask(file, { op: 'sql', query: 'SELECT a FROM rows' })).fields['rowCount']).toBe(1);
  });

  test('is ended at its memory limit, also in the database', async () => {
    const file = await reading.write('[{"a":1}]');
    const greedy = `WITH RECURSIVE n(i, b) AS (SELECT 1, randomblob(9000000) UNION ALL SELECT i + 1, randomblob(9000000) FROM n LIMIT 900)
      SELECT count(*) FROM (SELECT b FROM n ORDER BY b)`;
    await expect(reading.ask(file, { op: 'sql', query: greedy })).rejects.toMatchObject({ code: 'unsupported' });
  });

  test.each([
    "SELECT printf('%.*c', 900000000, 'x')",
    'SELECT zeroblob(1000000000)',
    "SELECT replace(hex(zeroblob(30000000)), '00', 'xxxxxxxx')",
  ])('%s is rejected for the length of its value', async (query) => {
    const asked = ask('[]', query);
    await expect(asked).rejects.toMatchObject({
      code: expect.toSatisfy((code) => code === 'bad_request' || code === 'unsupported') as string,
    });
  });

  test('cannot read a file', async () => {
    const secret = await reading.write('secret', 'secret.txt');
    for (const query of [`SELECT * FROM "${secret}"`, `SELECT load_extension('${secret}')`]) {
      await expect(ask('[]', query)).rejects.toMatchObject({ code: expect.any(String) as string });
    }
    expect([await readFile(secret, 'utf8'), (await stat(join(reading.folder, 'secret.txt'))).size]).toEqual([
      'secret',
      6,
    ]);
  });
});
