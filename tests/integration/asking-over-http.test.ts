/** HTTP client apps get requests, notifications, and cancellations for their own calls only. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Params } from '../support/raw-client.ts';
import { HttpClient } from '../support/http-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import { textOf } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const form = { elicitation: { form: {} } };
const owners = ['anna', 'bert', 'carl'];
const folder = mkdtempSync(join(tmpdir(), 'tooltray-http-asker-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const answerOf =
  (owner: string) =>
  ({ message }: Params): Params => ({ action: 'accept', content: { name: `${owner} ${String(message)}` } });

const servers = [
  ['handshake era', []],
  ['2026-07-28', ['--dual']],
] as const;

describe.each(servers)('a server of the %s', (era, args) => {
  const log = join(folder, `${era.replaceAll(' ', '-')}.log`);
  let core: TestCore;
  beforeAll(async () => {
    core = await startCore({ servers: { asker: { ...fixture('asker', ...args), env: { ASKER_LOG: log } } } });
    const first = await core.open(form);
    first.onRequest('elicitation/create', answerOf('first'));
    await first.callTool('ask_form');
  });
  afterAll(() => core[Symbol.asyncDispose]());

  const noted = (): string[] => {
    try {
      return readFileSync(log, 'utf8').trim().split('\n').sort();
    } catch {
      return [];
    }
  };

  test('asks each stateful session its own question on the stream of its call', async () => {
    const answers = await Promise.all(
      owners.map(async (owner) => {
        const client = new HttpClient(core.url);
        await client.initialize(form);
        client.onRequest('elicitation/create', answerOf(owner));
        const call = { name: 'ask_form', arguments: { message: `for ${owner}` } };
        return textOf((await client.exchange('tools/call', call)).message.result ?? {});
      }),
    );
    expect(answers.map((answer) => (JSON.parse(answer) as { content: unknown }).content)).toEqual(
      owners.map((owner) => ({ name: `${owner} asker: for ${owner}` })),
    );
  });

  test('returns each stateless request its own question, and the right result for its answer', async () => {
    const answers = await Promise.all(
      owners.map(async (owner) => {
        const client = new ModernClient(new HttpClient(core.url, true), form, 'the same app');
        client.onAsk('elicitation/create', answerOf(owner));
        const { result } = await client.call('ask_form', { message: `for ${owner}` });
        return { text: textOf(result ?? {}), asked: client.asked.map(({ params }) => params['message']) };
      }),
    );
    expect(answers.map(({ text }) => (JSON.parse(text) as { content: unknown }).content)).toEqual(
      owners.map((owner) => ({ name: `${owner} asker: for ${owner}` })),
    );
    expect(answers.map(({ asked }) => asked)).toEqual(owners.map((owner) => [`asker: for ${owner}`]));
  });

  test('cancels a stateless request whose stream is closed, and no other', async () => {
    const giveUp = new AbortController();
    const before = noted().length;
    const wait = (label: string, signal?: AbortSignal): void => {
      const line = new HttpClient(core.url, true);
      const client = new ModernClient({ exchange: (method, params) => line.exchange(method, params, signal) });
      client.once('tools/call', { name: 'wait_cancel', arguments: { label } }).catch(() => undefined);
    };
    wait('given up', giveUp.signal);
    wait('kept');
    await until(() => noted().length === before + 2);
    giveUp.abort();
    await until(() => noted().length === before + 3);
    expect(noted().filter((line) => line.startsWith('cancelled'))).toEqual(['cancelled given up']);
  });

  test('cancels the calls of a client app that disconnects', async () => {
    const client = await core.open();
    void client.exchange('tools/call', { name: 'wait_cancel', arguments: { label: 'left behind' } });
    await until(() => noted().includes('waiting left behind'));
    client.end();
    await until(() => noted().includes('cancelled left behind'));
    expect(core.server('asker').state.kind).toBe('ready');
  });
});

test('rejects requests without the token, and a foreign Origin', async () => {
  await using core = await startCore({ servers: { echo: fixture('echo') } }, { askToken: true });
  const post = async (headers: Record<string, string>): Promise<number> => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    });
    const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    const response = await fetch(core.url, { method: 'POST', headers: { ...accept, ...headers }, body });
    await response.text();
    return response.status;
  };
  const authorization = `Bearer ${core.host.core.clients.token}`;
  expect([
    await post({}),
    await post({ authorization: 'Bearer wrong' }),
    await post({ authorization, origin: 'https://evil.example' }),
    await post({ authorization }),
  ]).toEqual([401, 401, 403, 200]);
});
