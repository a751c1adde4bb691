/** Results over the limit of one message. */
import { expect, test } from 'vitest';
import { textOf } from '../support/socket-client.ts';
import { fixture, startCore } from '../support/start-core.ts';

const megabyte = 1024 * 1024;

test("rejects a result over the server's limit with both sizes and a fix, and the server goes on", async () => {
  await using core = await startCore({
    results: { threshold: 0 },
    servers: { big: { ...fixture('misbehaving', 'big'), maxMessageMB: 2 } },
  });
  const client = await core.open();
  const error = await client.callTool('huge', { bytes: 5 * megabyte });
  expect(error).toMatchObject({ isError: true });
  expect(textOf(error)).toMatch(/^big: .*5\.0 MB.*limit of 2\.0 MB.*maxMessageMB/s);
  expect(await client.say('big', { bytes: megabyte })).toHaveLength(megabyte);
  expect(core.server('big').state.kind).toBe('ready');
});

test('rejects a 600 MB frame the same way, with little memory, while other clients get results', async () => {
  await using core = await startCore({ servers: { big: fixture('misbehaving', 'big'), other: fixture('echo') } });
  const [client, other] = [await core.open(), await core.open()];
  let done = false;
  let echoes = 0;
  let most = 0;
  const echoing = (async () => {
    for (; !done; echoes++) {
      expect(await other.say('other_echo', { message: `${echoes}` })).toBe(`${echoes}`);
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    }
  })();
  const error = await client.callTool('big_huge', { bytes: 600 * megabyte });
  done = true;
  await echoing;
  expect(textOf(error)).toMatch(/^big: .*600 MB.*limit of 512 MB/);
  expect(echoes).toBeGreaterThan(100);
  expect(most).toBeLessThan(1024 * megabyte);
  expect(await client.say('big_echo', { message: 'goes on' })).toBe('goes on');
}, 60_000);
