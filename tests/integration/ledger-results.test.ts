/** The ledger's counts of long, spilled, late and missing results, and of messages that are not results. */
import { expect, test } from 'vitest';
import type { SavingsRow } from '../../src-main/core/activity/ledger/ledger-table.ts';
import { fileTools } from '../fixtures/servers/eight-tools/file-tools.ts';
import { webTools } from '../fixtures/servers/eight-tools/web-tools.ts';
import { allCases } from '../support/all-cases.ts';
import { HttpClient } from '../support/http-client.ts';
import { type SocketClient, textOf } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { payloadTokens, tokensOf } from './wire-tokens.ts';

const files = fixture('eight-tools', 'files');

async function causesOf(core: TestCore, app: string): Promise<Record<string, SavingsRow>> {
  const { rows } = await core.host.core.activity.ledger.savings({ by: 'cause', app });
  return Object.fromEntries(rows.map((row) => [row.key, row]));
}

/** Tokens of everything received over the socket since the hello. */
function everyFrame(client: SocketClient): number {
  const [, ...frames] = client.lines;
  return frames.reduce((sum, line) => sum + payloadTokens(line), 0);
}

test.each(['proxy', 'search'])(
  'mode %s: counts a spilled result that is read back in parts on both sides',
  async (mode) => {
    await using core = await startCore({ servers: { files }, results: { threshold: 2000 } });
    const long = { path: '/a', content: 'A line of an answer that does not fit. '.repeat(300) };
    const direct = new HttpClient(`${core.url}/server/files`);
    await direct.initialize();
    const { message } = await direct.exchange('tools/call', { name: 'write_file', arguments: long });
    // What a model would read, without the envelope.
    const whole = tokensOf(textOf(message.result ?? {}));

    const client = await core.open({}, { app: 'reader', mode });
    const call =
      mode === 'proxy'
        ? { name: 'files_write_file', arguments: long }
        : { name: 'call_tool', arguments: { name: 'files:write_file', arguments: long } };
    const given = (await client.exchange('tools/call', call)).line;
    const [, id = ''] = /tooltray:\/\/spill\/([\w-]+)/.exec(given) ?? [];
    const read = (name: string, args: object): object =>
      name === mode
        ? { name: 'read_result', arguments: args }
        : { name: 'call_tool', arguments: { name: 'read_result', arguments: args } };
    const head = (await client.exchange('tools/call', { ...read('proxy', { resultFile: id, op: 'head', lines: 3 }) }))
      .line;
    const part = (await client.exchange('resources/read', { uri: `tooltray://spill/${id}` })).line;

    const { results, readback } = await causesOf(core, 'reader');
    expect(results).toMatchObject({ raw: whole, given: payloadTokens(given), estimatedShare: 0 });
    expect(results?.net).toBeGreaterThan(1000);
    expect(readback).toMatchObject({
      readBack: payloadTokens(head) + payloadTokens(part),
      net: -payloadTokens(head) - payloadTokens(part),
    });
  },
);

test.runIf(allCases)(
  'counts the tokens of a result of up to 1 MB exactly, and marks larger ones as estimated',
  async () => {
    await using core = await startCore({ servers: { big: fixture('misbehaving', 'big') }, results: { threshold: 0 } });
    const addresses = {
      socket: async (bytes: number) =>
        (await (await core.open({}, { app: 'socket' })).exchange('tools/call', { name: 'big', arguments: { bytes } }))
          .line,
      http: async (bytes: number) => {
        const client = new HttpClient(`${core.url}/app/http`);
        await client.initialize();
        return (await client.exchange('tools/call', { name: 'big', arguments: { bytes } })).line;
      },
    };
    for (const [app, call] of Object.entries(addresses)) {
      const line = await call(1_000_000);
      const { results } = await causesOf(core, app);
      expect([app, results?.sent, results?.raw, results?.estimatedShare]).toEqual([
        app,
        payloadTokens(line),
        payloadTokens(line),
        0,
      ]);
      // More than the context window of an unknown app, which limits both sides.
      expect([results?.results, results?.given, results?.net]).toEqual([128_000, 128_000, 0]);
      await call(4_000_000);
      const after = (await causesOf(core, app))['results'];
      const estimated = (after?.sent ?? 0) - payloadTokens(line);
      expect(after?.estimatedShare).toBeGreaterThan(0.5);
      // Uniform rows: four times as many bytes.
      expect(estimated / payloadTokens(line)).toBeGreaterThan(3.6);
      expect(estimated / payloadTokens(line)).toBeLessThan(4.4);
    }
  },
);

test('counts questions, progress, log messages and errors, so that the sum covers every frame', async () => {
  await using core = await startCore({ servers: { asker: fixture('asker') } });
  const client = await core.connect({ app: 'asked' });
  client.onRequest('elicitation/create', () => ({ action: 'accept', content: { name: 'Anna' } }));
  await client.initialize({ elicitation: { form: {} } });
  await client.exchange('tools/list');
  await client.exchange('tools/call', { name: 'ask_form', arguments: { message: 'Who?' } });
  await client.exchange('logging/setLevel', { level: 'debug' });
  await client.exchange('tools/call', { name: 'log', arguments: { level: 'info', data: 'a word' } });
  await client.exchange('tools/call', { name: 'gone' });
  await client.exchange('nothing/like/that');
  const { total } = await core.host.core.activity.ledger.savings({ app: 'asked' });
  expect(client.requests.map(({ method }) => method)).toEqual(['elicitation/create']);
  expect(total.sent).toBe(everyFrame(client));
});

test("counts a server that is added later from then on, and the list that it causes as Tooltray's own", async () => {
  await using core = await startCore({ servers: { files } });
  const client = await core.open({}, { app: 'early' });
  await client.exchange('tools/list');
  await core.write({ servers: { files, web: fixture('eight-tools', 'web') } });
  await client.notification('notifications/tools/list_changed');
  await client.exchange('tools/list');
  const { lists } = await causesOf(core, 'early');
  const [filesList, webList] = [{ tools: fileTools }, { tools: webTools }].map((list) =>
    tokensOf(JSON.stringify(list)),
  );
  expect(lists?.baseline).toBe((filesList ?? 0) + (webList ?? 0));
  const { total } = await core.host.core.activity.ledger.savings({ app: 'early' });
  expect(total.sent).toBe(everyFrame(client));
});

test('an app that defers tools pays nothing for a list that it does not load', async () => {
  // Original descriptions, because savings by shorter ones are not tested here.
  await using core = await startCore({ servers: { files, web: fixture('eight-tools', 'web') }, raw: true });
  const client = await core.open({}, { app: 'claude-code', mode: 'proxy' });
  await client.exchange('tools/list');
  await client.exchange('tools/call', { name: 'files_read_file', arguments: { path: '/a' } });
  const { lists } = await causesOf(core, 'claude-code');
  expect(lists?.sent).toBeGreaterThan(2 * (lists?.spent ?? Infinity));
  // Our names have the server's prefix; otherwise both sides are equal.
  expect(Math.abs(lists?.net ?? Infinity)).toBeLessThan(40);
});
