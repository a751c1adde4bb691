/** Compatibility cases 39, 40 and 42: results in files that mini-a's users read and pass on, over a real socket. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Params } from '../../support/raw-client.ts';
import { type SocketClient, textOf } from '../../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';
import { until } from '../../support/until.ts';

const servers = { a: fixture('compat', 'A'), x: fixture('compat-results') };
const factsOf = (result: Params): Params => (result['_meta'] as Params)['tooltray/dispatch'] as Params;

let core: TestCore;
let client: SocketClient;
const dispatch = (input: Params): Promise<Params> => client.callTool('proxy-dispatch', input);
const call = (input: Params): Promise<Params> => dispatch({ action: 'call', ...input });
const read = (input: Params): Promise<Params> => dispatch({ action: 'readresult', ...input });

/** For the app that reads it afterwards. */
async function keep(app: SocketClient = client): Promise<string> {
  const input = { action: 'call', tool: 'big', resultToFile: true };
  return String(factsOf(await app.callTool('proxy-dispatch', input))['resultFile']);
}

/** Resolves once the core has applied them. */
async function configure(results: { readonly threshold?: number; readonly toon?: boolean }): Promise<void> {
  await core.write({ servers, results });
  const { config } = core.host.core.context;
  const { threshold, toon = false } = results;
  await until(() => config.current.results.threshold === threshold && config.current.results.toon === toon);
}

beforeAll(async () => {
  core = await startCore({ servers });
  client = await core.open({}, { mode: 'dispatch' });
});
afterAll(() => core[Symbol.asyncDispose]());

describe('39: a result in a file', () => {
  test('over the threshold is marked as spilled, in a private file, with size, keys and preview', async () => {
    const result = await call({ tool: 'big', resultSizeThreshold: 100 });
    const { resultFile, autoSpilled } = factsOf(result);
    expect(autoSpilled).toBe(true);
    const { mode } = await stat(String(resultFile));
    expect(mode & 0o777).toBe(process.platform === 'win32' ? mode & 0o777 : 0o600);
    const lines = textOf(result).split('\n');
    expect(lines).toContainEqual(expect.stringMatching(/^Size: \d+ bytes \(~\d+ tokens\)\.$/));
    expect(lines).toContain('Top-level keys: [files, metadata, summary]');
    const preview = lines.find((line) => line.startsWith('Preview: ')) ?? '';
    expect([preview.length <= 'Preview: '.length + 303, preview.endsWith('...')]).toEqual([true, true]);
  });

  test('on request is not marked as spilled', async () => {
    const facts = factsOf(await call({ tool: 'big', resultToFile: true }));
    expect([facts['autoSpilled'], typeof facts['resultFile']]).toEqual([undefined, 'string']);
  });

  test.each<[Params, RegExp]>([
    [{}, /^File: .*\nSize: \d+ bytes \(~\d+ tokens\)\nLines: 12[0-9]$/],
    [{ op: 'head', lines: 3 }, /^\{\n {2}"files": \[\n {4}\{$/],
    [{ op: 'tail', lines: 2 }, /^ {2}"summary": "thirty"\n\}$/],
    [{ op: 'slice', fromLine: 4, toLine: 4 }, /^ {6}"name": "item 1",$/],
    [{ op: 'grep', pattern: 'item 1[05]' }, /^40: +"name": "item 10",\n---\n60: +"name": "item 15",$/],
    [{ op: 'grep', pattern: '"item 1[' }, /^\(no matches\)$/],
    [{ op: 'grep', pattern: '[' }, /^2: {3}"files": \[$/],
    [{ op: 'grep', pattern: 'thirty|"item 1"', context: 1 }, /^3: [^]*\n---\n12[0-9]: [^]*\n12[0-9]: \}$/],
    [{ op: 'read', maxBytes: 20 }, /^[^]{1,20}\n\[TRUNCATED at 20 bytes/],
    [{ op: 'query', query: '$.files[?@.name == "item 15"].name' }, /^"item 15"\n\(1 match\)$/],
    [{ op: 'schema', path: '$.metadata' }, /^object of 1 member\n {2}count: number 30$/],
    [{ op: 'table', columns: ['name'], rows: 2 }, /^name\nitem 1\nitem 2\n.*fromRow=3/],
  ])('answers %j', async (question, expected) => {
    const result = await read({ resultFile: await keep(), ...question });
    expect([result['isError'], textOf(result)]).toEqual([undefined, expect.stringMatching(expected)]);
  });

  test("is read up to the app's limit, or to its end with 0; a cut part says how to go on", async () => {
    const resultFile = await keep();
    const whole = textOf(await read({ resultFile, op: 'read', maxBytes: 0 }));
    expect(JSON.parse(whole)).toMatchObject({ summary: 'thirty' });
    const [usual, head] = [await read({ resultFile, op: 'read' }), await read({ resultFile, op: 'head', lines: 5000 })];
    for (const text of [textOf(usual), textOf(head)]) {
      expect(text.startsWith(whole.slice(0, 29_000))).toBe(true);
      expect(text).toMatch(/\[TRUNCATED at 30000 bytes of \d+\. Continue with op='read', fromByte=\d+; /);
    }
    const roomy = await core.open({}, { mode: 'dispatch', app: 'claude-code' });
    const own = { action: 'readresult', resultFile: await keep(roomy), op: 'read' };
    expect(textOf(await roomy.callTool('proxy-dispatch', own))).toBe(whole);
    roomy.socket.destroy();
  });

  test('counts all matches and returns some of them', async () => {
    const result = await read({ resultFile: await keep(), op: 'grep', pattern: '"item', limit: 5 });
    expect(factsOf(result)).toMatchObject({ matchCount: 30, returnedMatches: 5, limited: true });
    expect(textOf(result)).toContain('[LIMITED to first 5 of 30 matches]');
  });

  test('is never spilled again when it is read', async () => {
    await configure({ threshold: 100 });
    const result = await read({ resultFile: await keep(), op: 'read', maxBytes: 50_000 });
    await configure({});
    expect(textOf(result).length).toBeGreaterThan(50_000);
  });

  test.each([false, true])('becomes the arguments of the next call (as TOON: %s)', async (toon) => {
    await configure({ toon });
    const items = Array.from({ length: 30 }, (_, id) => ({ id, name: `n${id}` }));
    const kept = await call({ tool: 'a:echo_tool', arguments: { message: 'kept', items }, resultToFile: true });
    const argumentsFile = String(factsOf(kept)['resultFile']);
    expect(argumentsFile).toMatch(toon ? /\.toon$/ : /\.json$/);
    const chained = await call({ tool: 'a:echo_tool', arguments: { message: 'given' }, argumentsFile });
    await configure({});
    expect(factsOf(chained)['arguments']).toEqual({ _fromFile: argumentsFile });
    expect(textOf(chained)).toMatch(/message"?: ?"?kept/);
  });
});

describe('40: other files', () => {
  test.each(['/etc/hostname', '../config.json', 'index.db', '/proc/self/environ', 'file:///etc/hostname'])(
    'rejects %s, to read and as arguments',
    async (file) => {
      const answers = [await read({ resultFile: file }), await call({ tool: 'big', argumentsFile: file })];
      expect(answers.map(({ isError }) => isError)).toEqual([true, true]);
      expect(JSON.stringify(answers)).not.toContain('PATH=');
    },
  );

  test("a rejected folder's error names the setting that allows it, with which arguments are read", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tooltray-arguments-'));
    const argumentsFile = join(folder, 'in.json');
    await writeFile(argumentsFile, '{"message":"from a file"}');
    const tool = 'a:echo_tool';
    expect(textOf(await call({ tool, argumentsFile }))).toContain('results.folders');
    await using own = await startCore({ servers, results: { folders: [folder] } });
    const session = await own.open({}, { mode: 'dispatch' });
    const told = await session.callTool('proxy-dispatch', { action: 'call', tool, argumentsFile });
    await rm(folder, { recursive: true });
    expect(textOf(told)).toContain('from a file');
  });

  test('rejects a link from the store to a file outside', async () => {
    const outside = join(core.home, 'outside.json');
    await writeFile(outside, '{"secret":true}');
    const link = join(dirname(await keep()), 'link.json');
    await symlink(outside, link);
    const answers = [await read({ resultFile: link, op: 'read' }), await call({ tool: 'big', argumentsFile: link })];
    expect(answers.map(({ isError }) => isError)).toEqual([true, true]);
  });

  test('deletes files at shutdown with deleteOnExit', async () => {
    await using own = await startCore({ servers, results: { deleteOnExit: true } });
    const session = await own.open({}, { mode: 'dispatch' });
    const result = await session.callTool('proxy-dispatch', { action: 'call', tool: 'big', resultToFile: true });
    const file = String(factsOf(result)['resultFile']);
    expect(existsSync(file)).toBe(true);
    await own.host.stop();
    expect(existsSync(file)).toBe(false);
  });
});
