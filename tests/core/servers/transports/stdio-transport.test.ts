/** The stdio transport against real processes, both correct and misbehaving ones. */
import { describe, expect, test } from 'vitest';
import type { AppError } from '../../../../src-main/core/base/errors.ts';
import { RawJson } from '../../../../src-main/core/wire/raw-json.ts';
import { oddServer, stdioHarness } from './stdio-harness.ts';
import { allCases } from '../../../support/all-cases.ts';

describe('Messages', () => {
  test('keeps digits that a double cannot hold, and unknown top-level keys', async () => {
    const server = stdioHarness();
    await server.start();
    const answer = await server.ask('odd');
    expect(JSON.stringify(answer)).toBe(
      '{"jsonrpc":"2.0","id":0,"result":{"big":12345678901234567890,"one":1.0},"extra":{"kept":true}}',
    );
  });

  test('delivers messages of one turn in order, whether they were batched or not', async () => {
    const server = stdioHarness();
    await server.start();
    const ask = (id: number, alone: boolean): Promise<void> =>
      server.transport.send({ jsonrpc: '2.0', id, method: 'echo', params: { id } }, { alone });
    await Promise.all([ask(1, true), ask(2, false), ask(3, true), ask(4, false)]);
    await expect.poll(() => server.messages.map((message) => 'id' in message && message.id)).toEqual([1, 2, 3, 4]);
  });

  test('receives a line of 20 MB', async () => {
    const server = stdioHarness();
    await server.start();
    const answer = await server.ask('big', { bytes: 20 * 1024 * 1024 });
    const result = 'result' in answer ? answer.result : undefined;
    expect(result instanceof RawJson ? (result.parse()['text'] as string).length : undefined).toBe(20 * 1024 * 1024);
  });

  test('rejects only the request of a line over the limit and stays usable', async () => {
    const server = stdioHarness({ maxMessageBytes: 2 * 1024 * 1024 });
    await server.start();
    const tooLarge = await server.ask('big', { bytes: 3 * 1024 * 1024 });
    expect('error' in tooLarge ? tooLarge.error.message : '').toContain('over the limit');
    expect(await server.ask('echo', { after: true })).toEqual({ jsonrpc: '2.0', id: 1, result: { after: true } });
  });

  test('sends a big request to a server that reads slowly', async () => {
    const server = stdioHarness();
    await server.start();
    const text = 'é'.repeat(4 * 1024 * 1024);
    const answer = await server.ask('echo', { text });
    const result = 'result' in answer ? answer.result : {};
    expect(result instanceof RawJson && result.parse()['text'] === text).toBe(true);
  });

  test('replaces bytes that are not UTF-8 and keeps the rest', async () => {
    const server = stdioHarness();
    await server.start();
    expect(await server.ask('invalidUtf8')).toMatchObject({ id: 0, result: { text: 'a\ufffd\ufffdb' } });
  });
});

describe('Stray output', () => {
  test('reports the first twenty stray lines on stdout and the number of the others', async () => {
    const server = stdioHarness();
    await server.start();
    expect(await server.ask('stray', { lines: 50 })).toMatchObject({ result: {} });
    await server.transport.close();
    expect(server.oddities).toHaveLength(21);
    expect(server.oddities[0]).toBe('starting up, line 0');
    expect(server.oddities[20]).toBe('30 more stray lines were not shown.');
  });

  test('stops a command that endlessly prints text, with an error that says so', async () => {
    const server = stdioHarness({ command: 'yes', args: ['no MCP here'] });
    await server.start();
    const error = (await server.closed) as AppError;
    expect(error.message).toContain('odd was stopped because it prints text instead of MCP messages');
    expect(server.oddities.length).toBeLessThan(25);
  });

  test('receives responses despite 100 MB on stderr, of which it keeps the last lines', async () => {
    const server = stdioHarness();
    await server.start();
    expect(await server.ask('stderr', { megabytes: 100 })).toMatchObject({ result: {} });
    await server.transport.close();
    const lines = server.stderr.lines();
    expect(lines.at(-1)).toBe('the end');
    expect(lines.join('\n').length).toBeLessThanOrEqual(64 * 1024);
  });
});

describe('End of the server', () => {
  test('reports the exit code and the last output of a server that exits', async () => {
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
      'odd exited with code 3. Last output: Error: no API key',
    ]);
  });

  test('reports the signal that killed a server', async () => {
    const server = stdioHarness();
    await server.start();
    process.kill(server.transport.pid as number, 'SIGKILL');
    expect(await server.closed).toMatchObject({ code: 'server_exited', message: 'odd was killed by SIGKILL.' });
  });

  test('ends a server that closes its input, and rejects messages to it', async () => {
    const server = stdioHarness({ command: 'sh', args: ['-c', 'exec <&-; sleep 60'], graceMs: 50 });
    await server.start();
    const sending = (async () => {
      for (;;) await server.transport.send({ jsonrpc: '2.0', id: 2, method: 'echo' });
    })();
    await expect(sending).rejects.toMatchObject({ code: 'server_exited' });
    expect(await server.closed).toMatchObject({ message: 'odd was stopped because it closed its input.' });
  });

  test('rejects a pending message when a server that stopped reading dies', async () => {
    const server = stdioHarness();
    await server.start();
    await server.ask('stopReading');
    const text = 'x'.repeat(16 * 1024 * 1024);
    const sending = server.transport.send({ jsonrpc: '2.0', id: 9, method: 'echo', params: { text } });
    process.kill(server.transport.pid as number, 'SIGKILL');
    await expect(sending).rejects.toMatchObject({ code: 'server_exited' });
  });

  test.runIf(allCases)('rejects more than 256 MB to a server that never reads', async () => {
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

  test('closes without an error and rejects messages afterwards', async () => {
    const server = stdioHarness();
    await server.start();
    await server.transport.close();
    expect(await server.closed).toBeUndefined();
    await expect(server.ask('echo')).rejects.toMatchObject({ code: 'server_exited' });
  });
});

describe('Start of the server', () => {
  test('rejects a missing command and names PATH as searched', async () => {
    const server = stdioHarness({ command: 'no-such-command-here' });
    await expect(server.start()).rejects.toMatchObject({
      code: 'command_not_found',
      message: 'odd did not start: "no-such-command-here" was not found on PATH.',
    });
  });

  test('rejects a file that is not executable', async () => {
    const server = stdioHarness({ command: oddServer });
    await expect(server.start()).rejects.toMatchObject({
      code: 'command_not_found',
      message: expect.stringContaining('does not exist or is not executable') as string,
    });
  });

  test('rejects a missing working folder', async () => {
    const server = stdioHarness({ cwd: '/no/such/folder' });
    await expect(server.start()).rejects.toMatchObject({
      message: 'odd did not start: its working folder /no/such/folder does not exist.',
    });
  });
});
