/** Lines of spills, as the dashboard reads them. */
import { expect, onTestFinished, test } from 'vitest';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';
import { ask } from '../dashboard-client.ts';

test('returns lines that are too long together a few at a time, whole and without a note', async () => {
  const lines = Array.from({ length: 1000 }, (_, index) => `${index} `.padEnd(3000, 'x'));
  const { core, id } = await keep(lines);
  const read: string[] = [];
  for (let rounds = 0; rounds < 40 && read.length < lines.length; rounds++) {
    const page = await ask(core, 'spillLines', { id, fromLine: read.length + 1, count: 1000 });
    read.push(...(page['lines'] as string[]));
    expect(JSON.stringify(page).length).toBeLessThan(110_000);
  }
  expect(read.map((line) => line.length).filter((length) => length < 3000)).toEqual([]);
  expect(read.length).toBe(1000);
  expect(await ask(core, 'spillLines', { id, fromLine: 2000, count: 10 })).toMatchObject({ lines: [] });
});

/** Words used by the texts for models, and line endings of other systems. */
const foolish = [
  '---',
  '7: needle',
  'needle\r',
  '(no matches) needle',
  '[LIMITED to first 1 of 9 matches] needle',
  'a needle\u2028and more',
  'nothing here',
  '[TRUNCATED at 100000 bytes of 1: needle]',
];

test('returns lines that look like notes to models as ordinary lines', async () => {
  const { core, id } = await keep([...foolish, 'x'.repeat(120_000)]);
  const found = await ask(core, 'spillFind', { id, pattern: 'needle' });
  // Invisible characters are shown, because the user reviews here what a model read.
  const shown = foolish.map((text) => text.replace('\u2028', '⟨U+2028⟩'));
  const matching = shown.flatMap((text, at) => (text.includes('needle') ? [{ line: at + 1, text }] : []));
  expect(found).toEqual({ matches: matching, total: matching.length });
  const page = await ask(core, 'spillLines', { id, fromLine: 1, count: foolish.length });
  expect(page).toEqual({ fromLine: 1, lines: shown, totalLines: foolish.length + 1, cut: [] });
});

test('keeps a line that looks like the note when a page is cut behind it', async () => {
  const note = `[TRUNCATED at 100000 bytes of 1. Continue with op='read', fromByte=1; the file has 1 bytes]`;
  const { core, id } = await keep([note, note, 'x'.repeat(120_000), 'end']);
  const page = await ask(core, 'spillLines', { id, fromLine: 1, count: 10 });
  expect(page).toEqual({ fromLine: 1, lines: [note, note], totalLines: 4, cut: [] });
  const long = await ask(core, 'spillLines', { id, fromLine: 3, count: 10 });
  expect(long).toEqual({ fromLine: 3, lines: ['x'.repeat(4000)], totalLines: 4, cut: [3] });
});

test('returns a spill as it is listed, and an error for one that is deleted', async () => {
  const { core, id } = await keep(Array.from({ length: 3000 }, (_, line) => `line ${line} of many`));
  const listed = await ask(core, 'spills', {});
  expect(await ask(core, 'spill', { id })).toEqual((listed['spills'] as readonly unknown[])[0]);
  expect(await ask(core, 'spill', { id: 'none' })).toMatchObject({ error: { code: 'not_found' } });
});

test('SQL returns rows of one spill, or of two together, as data', async () => {
  const { core, id } = await keep(['id,name', ...Array.from({ length: 9000 }, (_, at) => `${at},name ${at}`)]);
  const query = "SELECT id, name FROM rows WHERE name LIKE '%99' ORDER BY id LIMIT 2";
  expect(await ask(core, 'spillSql', { id, query })).toEqual({
    columns: ['id', 'name'],
    rows: [
      [99, 'name 99'],
      [199, 'name 199'],
    ],
    rowCount: 2,
    isCounted: true,
  });
  const joined = 'SELECT count(*) FROM rows JOIN other ON other.id = rows.id + 8999';
  expect(await ask(core, 'spillSql', { id, query: joined, tables: { other: id } })).toMatchObject({ rows: [[1]] });
  for (const [wrong, code] of [
    ['DROP TABLE rows', 'not_allowed'],
    ['SELECT nope FROM rows', 'bad_request'],
  ]) {
    expect(await ask(core, 'spillSql', { id, query: wrong })).toMatchObject({ error: { code } });
  }
  expect(await ask(core, 'spillSql', { id, query: joined, tables: { other: 'none' } })).toMatchObject({
    error: { code: 'not_found' },
  });
});

/** Spills a result of these lines in a core. */
async function keep(lines: readonly string[]): Promise<{ core: TestCore; id: string }> {
  const core = await startCore({ servers: { echo: fixture('echo') } }, { askToken: true });
  onTestFinished(() => core[Symbol.asyncDispose]());
  const client = await core.open();
  const answer = JSON.stringify(await client.callTool('echo', { message: lines.join('\n') }));
  return { core, id: /tooltray:\/\/spill\/([a-z0-9]+)/.exec(answer)?.[1] ?? '' };
}
