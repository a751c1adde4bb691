/** The stdio transport against real processes, well and badly behaved. */
import { describe, expect, test } from 'vitest';
import type { AppError } from '../../../../src-main/core/base/errors.ts';
import { RawJson } from '../../../../src-main/core/wire/raw-json.ts';
import { oddServer, stdioHarness } from './stdio-harness.ts';
import { allCases } from '../../../support/all-cases.ts';

describe('messages', () => {
  test('digits that a double cannot hold arrive as they were sent, and unknown top-level keys with them', async () => {
    const server = stdioHarness();
    await server.start();
    const answer = await server.ask('odd');
    expect(JSON.stringify(answer)).toBe(
      '{"jsonrpc":"2.0","id":0,"result":{"big":12345678901234567890,"one":1.0},"extra":{"kept":true}}',
    );
  });

  test('what is sent in one turn arrives in its order, whether it waited for company or not', async () => {
    const server = stdioHarness();
    await server.start();
    const ask = (id: number, alone: boolean): Promise<void> =>
      server.transport.send({ jsonrpc: '2.0', id, method: 'echo', params: { id } }, { alone });
    await Promise.all([ask(1, true), ask(2, false), ask(3, true), ask(4, false)]);
    await expect.poll(() => server.messages.map((message) => 'id' in message && message.id)).toEqual([1, 2, 3, 4]);
  });

  test('a line of 20 MB arrives whole', async () => {
    const server = stdioHarness();
    await server.start();
    const answer = await server.ask('big', { bytes: 20 * 1024 * 1024 });
    const result = 'result' in answer ? answer.result : undefined;
    expect(result instanceof RawJson ? (result.parse()['text'] as string).length : undefined).toBe(20 * 1024 * 1024);
  });

  test('a line over the limit fails its own request and leaves the line usable', async () => {
    const server = stdioHarness({ maxMessageBytes: 2 * 1024 * 1024 });
    await server.start();
    const tooLarge = await server.ask('big', { bytes: 3 * 1024 * 1024 });
    expect('error' in tooLarge ? tooLarge.error.message : '').toContain('over the limit');
    expect(await server.ask('echo', { after: true })).toEqual({ jsonrpc: '2.0', id: 1, result: { after: true } });
  });

  test('a big request arrives whole at a server that reads slowly', async () => {
    const server = stdioHarness();
    await server.start();
    const text = 'é'.repeat(4 * 1024 * 1024);
    const answer = await server.ask('echo', { text });
    const result = 'result' in answer ? answer.result : {};
    expect(result instanceof RawJson && result.parse()['text'] === text).toBe(true);
  });

  test('bytes that are not UTF-8 become replacement characters and nothing else is lost', async () => {
    const server = stdioHarness();
    await server.start();
    expect(await server.ask('invalidUtf8')).toMatchObject({ id: 0, result: { text: 'a\ufffd\ufffdb' } });
  });
});

describe('stray output', () => {
  test('stray lines on stdout are reported, the first twenty in full and the others as a number', async () => {
    const server = stdioHarness();
    await server.start();
    expect(await server.ask('stray', { lines: 50 })).toMatchObject({ result: {} });
    await server.transport.close();
    expect(server.oddities).toHaveLength(21);
    expect(server.oddities[0]).toBe('starting up, line 0');
    expect(server.oddities[20]).toBe('30 more stray lines were not shown.');
  });

  test('a command that prints text for ever is stopped with an error that says so', async () => {
    const server = stdioHarness({ command: 'yes', args: ['no MCP here'] });
    await server.start();
    const error = (await server.closed) as AppError;
    expect(error.message).toContain('odd was stopped because it prints text instead of MCP messages');
    expect(server.oddities.length).toBeLessThan(25);
  });

  test('100 MB on stderr do not hold up an answer, and only the last lines are kept', async () => {
    const server = stdioHarness();
    await server.start();
    expect(await server.ask('stderr', { megabytes: 100 })).toMatchObject({ result: {} });
    await server.transport.close();
    const lines = server.stderr.lines();
    expect(lines.at(-1)).toBe('the end');
    expect(lines.join('\n').length).toBeLessThanOrEqual(64 * 1024);
  });
});

describe('the end', () => {
  test('a server that exits is reported with its code and its last words', async () => {
    const server = stdioHarness();
    await server.start();
    await server.transport.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'exit',
      params: { code: 3, words: 'Error: no API key\n' },
    });
    const error = (await server.closed) as AppError;
    expect([error.code, error.message]).toEqual([
      'server_exited',
      'odd exited with code 3. It last said: Error: no API key',
    ]);
  });

  test('a server that is killed is reported with the signal', async () => {
    const server = stdioHarness();
    await server.start();
    process.kill(server.transport.pid as number, 'SIGKILL');
    expect(await server.closed).toMatchObject({ code: 'server_exited', message: 'odd was ended by SIGKILL.' });
  });

  test('a server that closes its input but lives on is ended, and sending to it rejects', async () => {
    const server = stdioHarness({ command: 'sh', args: ['-c', 'exec <&-; sleep 60'], graceMs: 50 });
    await server.start();
    const sending = (async () => {
      for (;;) await server.transport.send({ jsonrpc: '2.0', id: 2, method: 'echo' });
    })();
    await expect(sending).rejects.toMatchObject({ code: 'server_exited' });
    expect(await server.closed).toMatchObject({ message: 'odd was stopped because it closed its input.' });
  });

  test('a send that waits for a server which stopped reading rejects when that server dies', async () => {
    const server = stdioHarness();
    await server.start();
    await server.ask('stopReading');
    const text = 'x'.repeat(16 * 1024 * 1024);
    const sending = server.transport.send({ jsonrpc: '2.0', id: 9, method: 'echo', params: { text } });
    process.kill(server.transport.pid as number, 'SIGKILL');
    await expect(sending).rejects.toMatchObject({ code: 'server_exited' });
  });

  test.runIf(allCases)('a server that never reads is refused more than 256 MB', async () => {
    const server = stdioHarness();
    await server.start();
    await server.ask('stopReading');
    const text = 'x'.repeat(100 * 1024 * 1024);
    const sends = [1, 2, 3].map((id) =>
      server.transport.send({ jsonrpc: '2.0', id, method: 'echo', params: { text } }).catch(() => undefined),
    );
    const refused = server.transport.send({ jsonrpc: '2.0', id: 4, method: 'echo' });
    await expect(refused).rejects.toMatchObject({
      message: expect.stringContaining('does not read its input') as string,
    });
    await server.transport.close();
    await Promise.all(sends);
  });

  test('closing is no error and sending afterwards rejects', async () => {
    const server = stdioHarness();
    await server.start();
    await server.transport.close();
    expect(await server.closed).toBeUndefined();
    await expect(server.ask('echo')).rejects.toMatchObject({ code: 'server_exited' });
  });
});

describe('the start', () => {
  test('a command that is not there is named, with PATH as the place that was searched', async () => {
    const server = stdioHarness({ command: 'no-such-command-here' });
    await expect(server.start()).rejects.toMatchObject({
      code: 'command_not_found',
      message: 'odd did not start: "no-such-command-here" was not found on PATH.',
    });
  });

  test('a file that is not executable is named', async () => {
    const server = stdioHarness({ command: oddServer });
    await expect(server.start()).rejects.toMatchObject({
      code: 'command_not_found',
      message: expect.stringContaining('does not exist or is not executable') as string,
    });
  });

  test('a working folder that is not there is named', async () => {
    const server = stdioHarness({ cwd: '/no/such/folder' });
    await expect(server.start()).rejects.toMatchObject({
      message: 'odd did not start: its working folder /no/such/folder does not exist.',
    });
  });
});
