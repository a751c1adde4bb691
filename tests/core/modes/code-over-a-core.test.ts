/** Compatibility cases 16 and 17 and MCPProxy's code_execution: programs of a model, over a real socket and real servers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Params } from '../../support/raw-client.ts';
import { type SocketClient, textOf } from '../../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';

let core: TestCore;
let code: SocketClient;
beforeAll(async () => {
  core = await startCore({ servers: { a: fixture('compat', 'A'), b: fixture('compat', 'B') } });
  code = await core.open({}, { mode: 'code' });
});
afterAll(() => core[Symbol.asyncDispose]());

const execute = (program: string): Promise<Params> => code.callTool('execute', { code: program });

describe('16: three tools', () => {
  test('lists only search, get_schema and execute', async () => {
    const { tools } = (await code.request('tools/list')) as unknown as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(['search', 'get_schema', 'execute']);
  });

  test('search counts its hits and returns a line for each', async () => {
    const text = textOf(await code.callTool('search', { query: 'reverse' }));
    // The signature between name and description is enough for a call.
    expect(text).toMatch(/^2 of 6 tools:\n- a_reverse_tool\(text, uppercase\?: boolean\): .+\n- b_reverse_tool\(/);
    expect(textOf(await code.callTool('search', { query: 'zzzzqqq' }))).toBe('No tools matched the query.');
  });

  test('get_schema returns parameters and names unknown tools', async () => {
    const text = textOf(await code.callTool('get_schema', { tools: ['a_echo_tool', 'nope'] }));
    expect(text).toContain('`message` (string, required)');
    expect(text).toContain('Tools not found: nope');
  });
});

describe('17: execute', () => {
  test('chains calls, and returns only the final value', async () => {
    const text = textOf(
      await execute(`const first = await call_tool('a_echo_tool', { message: 'one' });
        const second = await call_tool('b_echo_tool', { message: first.message + ' two' });
        return second;`),
    );
    expect(JSON.parse(text)).toEqual({ message: 'one two', who: 'B' });
  });

  test.each([
    ['javascript', 'return await sql(rows, q)'],
    ['python', 'return await sql(rows, q)'],
  ])('queries the data of a program in %s with SQL', async (language, end) => {
    const rows = '[{"n": 1, "s": "a"}, {"n": 2, "s": "b"}, {"n": 12345678901234567890, "s": "b"}]';
    const query = 'SELECT s, count(*) AS many FROM rows GROUP BY s ORDER BY s';
    const assign = language === 'javascript' ? 'const ' : '';
    const program = `${assign}rows = ${rows}\n${assign}q = "${query}"\n${end}`;
    const given = await code.callTool('execute', { code: program, language });
    expect(textOf(given)).not.toContain('ERROR');
    expect([given['isError'], JSON.parse(textOf(given))]).toEqual([
      undefined,
      [
        { s: 'a', many: 1 },
        { s: 'b', many: 2 },
      ],
    ]);
  });

  test('queries spilled results and texts with tables with SQL, and nothing else', async () => {
    const spilled = await code.callTool('call_tool', {
      name: 'a_echo_tool',
      arguments: { message: JSON.stringify(Array.from({ length: 9000 }, (_, id) => ({ id, odd: id % 2 }))) },
    });
    const [, id = ''] = /tooltray:\/\/spill\/([\w-]+)/.exec(JSON.stringify(spilled)) ?? [];
    const run = async (program: string): Promise<string> =>
      textOf(await code.callTool('execute', { code: program, language: 'javascript' }));
    const query = 'SELECT count(*) AS n FROM rows';
    expect(id).not.toBe('');
    expect(await run(`return await sql("${id}", "${query}")`)).toBe('[{"n":1}]');
    expect(await run(`return await sql("a,b\\n1,2\\n3,4\\n", "SELECT sum(b) AS s FROM rows")`)).toBe('[{"s":6}]');
    expect(await run(`return await sql([1], "DROP TABLE rows")`)).toContain('SELECT');
    expect(await run(`return await sql("tooltray://spill/nothing", "${query}")`)).toContain('nothing');
  });

  test.each([
    ['python', 'result = await call_tool("a_echo_tool", {"message": "one"})', '{"message":"one","who":"A"}'],
    ['python', 'x = 1\nif x:\n    x + 1', '2'],
    ['python', 'return None', 'null'],
    ['python', 'print("seen")', 'Printed:\nseen'],
    ['python', 'def f():\n    return 1', expect.stringContaining('return')],
    ['javascript', 'const x = 1;', expect.stringContaining('return')],
    ['javascript', 'console.log("seen")', 'Printed:\nseen'],
    ['javascript', 'return null', 'null'],
  ])('returns the last value of a program in %s, or a hint: %j', async (language, program, expected) => {
    const { content } = await code.callTool('execute', { code: program, language });
    expect(content).toEqual([{ type: 'text', text: expected as string }]);
  });

  test('throws a failed call as a catchable error', async () => {
    const text = textOf(
      await execute(`try { await call_tool('nope', {}); } catch (error) { return 'caught: ' + error.message; }`),
    );
    expect(text).toMatch(/^caught: .*nope/);
  });

  test('rejects the 51st call, stops an endless loop, and reports the line of an error', async () => {
    const many = await execute(`for (let i = 0; i < 60; i++) await call_tool('a_echo_tool', { message: String(i) });`);
    expect([many['isError'], textOf(many)]).toEqual([true, expect.stringMatching(/^MAX_TOOL_CALLS_EXCEEDED/)]);
    const wrong = await execute('const x = 1;\nnope();\nreturn x;');
    expect([wrong['isError'], textOf(wrong)]).toEqual([true, expect.stringMatching(/^RUNTIME_ERROR at line 2/)]);
    const endless = await code.callTool('code_execution', { code: 'while (true) {}', options: { timeout_ms: 300 } });
    expect([endless['isError'], textOf(endless)]).toEqual([true, expect.stringContaining('"TIMEOUT"')]);
  });

  test('records each call of a program separately', async () => {
    await execute(
      `await call_tools([{ name: 'a_echo_tool', args: { message: '1' } }, { name: 'b_echo_tool', args: { message: '2' } }]);`,
    );
    const { log: activity } = core.host.core.activity;
    await expect
      .poll(async () => (await activity.ask('recentCalls', 2)).map(({ server, via }) => [server, via]))
      .toEqual(
        expect.arrayContaining([
          ['a', 'execute'],
          ['b', 'execute'],
        ]),
      );
  });
});

test('code_execution returns ok and value, and calls only the allowed servers', async () => {
  const program = `call_tool('a', 'echo_tool', { message: input.text })`;
  const own = parsed(await code.callTool('code_execution', { code: program, input: { text: 'hi' } }));
  expect(own).toMatchObject({ ok: true, value: { ok: true } });
  const barred = parsed(
    await code.callTool('code_execution', {
      code: program,
      input: { text: 'hi' },
      options: { allowed_servers: ['b'] },
    }),
  );
  expect(JSON.stringify(barred)).toContain('SERVER_NOT_ALLOWED');
});

function parsed(result: Params): unknown {
  return JSON.parse(textOf(result));
}
