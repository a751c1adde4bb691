/** What a model is told beside a result, over a real core: equal calls in a row, and a used-up token budget. */
import { expect, test } from 'vitest';
import { textOf } from '../support/socket-client.ts';
import { fixture, startCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const servers = { a: fixture('compat', 'A') };

test('the third equal call is answered with its result and a sentence, and is marked on record', async () => {
  await using core = await startCore({ servers });
  const client = await core.open();
  const call = async (message: string): Promise<number> => {
    const { content } = await client.callTool('echo_tool', { message });
    return (content as unknown[]).length;
  };
  const plain = await call('one');
  expect([await call('one'), await call('one'), await call('one'), await call('two')]).toEqual([
    plain,
    plain + 1,
    plain + 1,
    plain,
  ]);
  const recent = await core.host.core.activity.log.ask('recentCalls');
  const calls = recent.filter(({ tool }) => tool === 'echo_tool').slice(0, 5);
  expect(calls.map(({ repeats }) => repeats)).toEqual([undefined, 4, 3, undefined, undefined]);
});

test('says nothing of equal calls in a program, at level full, or for a tool that the config names', async () => {
  for (const [setting, mode] of [
    [{}, 'code'],
    [{ condense: 'full' }, 'proxy'],
    [{ pollingTools: ['a:echo_tool'] }, 'proxy'],
  ] as const) {
    await using core = await startCore({ servers, ...setting });
    const client = await core.open({}, { mode });
    const once = (): Promise<Record<string, unknown>> =>
      mode === 'code'
        ? client.callTool('execute', {
            code: 'return await call_tool("echo_tool", {message: "x"})',
            language: 'javascript',
          })
        : client.callTool('echo_tool', { message: 'x' });
    const answers = [await once(), await once(), await once()];
    expect(JSON.stringify(answers[2])).toBe(JSON.stringify(answers[0]));
  }
});

test('the model is told when the token budget of its app is used up', async () => {
  await using core = await startCore({ servers, tokenBudgets: { '*': 50 } });
  const client = await core.open({}, { app: 'cursor' });
  await until(async () => {
    const result = await client.callTool('echo_tool', { message: String(Math.random()) });
    return textOf(result) !== '' && JSON.stringify(result).includes('token budget');
  });
});
