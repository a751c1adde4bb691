/** Passes a result of 50 MB through the core while other clients continue. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { allCases, someOf } from '../support/all-cases.ts';
import { HttpClient } from '../support/http-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import { textOf, type SocketClient } from '../support/socket-client.ts';
import { fixture, startCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const megabyte = 1_000_000;
/** Results of any length are returned and not spilled. */
const told = { results: { threshold: 0 } };

/** The text that the fixture writes for `bytes`; see size-modes.ts. */
function bigText(bytes: number): string {
  const rows = Math.floor((bytes - 2) / 1024);
  const row = (index: number): string => {
    const [head, tail] = [`{"row":${index},"pad":"`, `"}${index + 1 < rows ? ',' : ' '}`];
    return head + 'x'.repeat(1024 - head.length - tail.length) + tail;
  };
  return `[${Array.from({ length: rows }, (_, index) => row(index)).join('')}${' '.repeat(bytes - 2 - rows * 1024)}]`;
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Echoes one call after the other until stopped; resolves to the number of correct results. */
async function echoUntil(client: SocketClient, done: () => boolean, onEcho: () => void): Promise<void> {
  for (let count = 0; !done(); count++) {
    expect(await client.say('small_echo', { message: `echo ${count}` })).toBe(`echo ${count}`);
    onEcho();
  }
}

test("passes a 50 MB result whole while another session's calls get results before, during and after it", async () => {
  await using core = await startCore({
    ...told,
    servers: { big: fixture('misbehaving', 'big'), small: fixture('echo') },
  });
  const [reader, other] = [await core.open(), await core.open()];
  const events: string[] = [];
  let done = false;
  const echoes = echoUntil(
    other,
    () => done,
    () => events.push('echo'),
  );
  await until(() => events.length > 0);
  events.push('asked');
  reader.socket.once('data', () => events.push('first byte'));
  const big = await reader.callTool('big_big', { bytes: 50 * megabyte });
  events.push('last byte');
  done = true;
  await echoes;
  const text = textOf(big);
  expect({ bytes: text.length, hash: hashOf(text) }).toEqual({
    bytes: 50 * megabyte,
    hash: hashOf(bigText(50 * megabyte)),
  });
  const echoesBetween = (from: string, to: string): number =>
    events.slice(events.indexOf(from), events.indexOf(to)).filter((event) => event === 'echo').length;
  // A core that passes it on in one turn answers none, or one that was under way.
  expect(echoesBetween('asked', 'first byte')).toBeGreaterThan(2);
  expect(echoesBetween('first byte', 'last byte')).toBeGreaterThan(2);
});

test.runIf(allCases)(
  'a client that does not read its 50 MB result delays no other, and gets it once it reads',
  async () => {
    await using core = await startCore({
      ...told,
      servers: { big: fixture('misbehaving', 'big'), small: fixture('echo') },
    });
    const [lazy, other] = [await core.open(), await core.open()];
    lazy.socket.pause();
    const big = lazy.callTool('big_big', { bytes: 50 * megabyte });
    for (let count = 0; count < 200; count++)
      expect(await other.say('small_echo', { message: `${count}` })).toBe(`${count}`);
    lazy.socket.resume();
    expect(hashOf(textOf(await big))).toBe(hashOf(bigText(50 * megabyte)));
  },
);

test.each(
  someOf(1, [
    ['the handshake era', false],
    ['2026-07-28', true],
  ]),
)('passes a large result whole over HTTP of %s', async (_era, modern) => {
  await using core = await startCore({ ...told, servers: { big: fixture('misbehaving', 'big') } });
  const client = new HttpClient(core.url, modern);
  if (!modern) await client.initialize();
  const call = { name: 'big', arguments: { bytes: 5 * megabyte } };
  const { result } = modern
    ? await new ModernClient(client).once('tools/call', call)
    : (await client.exchange('tools/call', call)).message;
  expect(hashOf(textOf(result ?? {}))).toBe(hashOf(bigText(5 * megabyte)));
});
