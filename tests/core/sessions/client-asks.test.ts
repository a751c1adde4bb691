/** Server requests to one session are limited over all servers, served in turn, and rejected with a reason. */
import { expect, test } from 'vitest';
import {
  type AskClient,
  type ClientRequestLimits,
  ClientRequestQueue,
} from '../../../src-main/core/sessions/caller-context.ts';
import type { Result } from '../../../src-main/core/wire/message.ts';

const bounds: ClientRequestLimits = { open: 4, waiting: 6, waitMs: 600_000, rate: { atOnce: 1000, perSecond: 1 } };
const signal = new AbortController().signal;

/** A user whose responses the test controls. */
function person(limits: Partial<ClientRequestLimits> = {}) {
  const open: { server: string; answer: () => void }[] = [];
  const ask: AskClient = (_method, params) =>
    new Promise<Result>((resolve) => {
      const { 'tooltray/server': server } = params['_meta'] as { 'tooltray/server': string };
      open.push({ server, answer: () => resolve({ action: 'accept' }) });
    });
  const bounded = new ClientRequestQueue({ ...bounds, ...limits }).withLimits(ask);
  const put = (server: string, method = 'elicitation/create', own = signal): Promise<Result> =>
    bounded(method, { _meta: { 'tooltray/server': server } }, own);
  return { open, put, servers: () => open.map(({ server }) => server) };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('limits open requests, at most half from one server, and serves servers in turn', async () => {
  const { open, put, servers } = person();
  const answers = ['a', 'a', 'a', 'a', 'b', 'c', 'b', 'b'].map((server) => put(server));
  await settle();
  expect(servers()).toEqual(['a', 'a', 'b', 'c']);
  open[0]?.answer();
  await settle();
  expect(servers().slice(4)).toHaveLength(1);
  for (let next = 1; next < 8; next++) {
    open[next]?.answer();
    await settle();
  }
  expect(await Promise.all(answers)).toHaveLength(8);
});

test('rejects requests beyond the queue with a reason and serves all queued ones', async () => {
  const { open, put, servers } = person();
  const waiting = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map((server) => put(server));
  await settle();
  await expect(put('k')).rejects.toThrow('This user already has 4 open requests, and more are queued. Wait until some');
  for (let next = 0; next < 10; next++) {
    open[next]?.answer();
    await settle();
  }
  await Promise.all(waiting);
  expect(servers().sort()).toEqual([...'abcdefghij']);
});

test('rejects a request that waits too long or is cancelled, without asking the user', async () => {
  const { open, put, servers } = person({ open: 2, waitMs: 20 });
  const [first, second] = [put('a'), put('b')];
  await settle();
  await expect(put('c')).rejects.toThrow('The request timed out while others were open.');
  const left = new AbortController();
  const given = put('d', 'sampling/createMessage', left.signal);
  left.abort();
  await expect(given).rejects.toThrow('timed out');
  for (const { answer } of open) answer();
  await Promise.all([first, second]);
  expect(servers()).toEqual(['a', 'b']);
});

test('limits the request rate of a session over all servers, except for roots/list', async () => {
  const { open, put } = person({ open: 100, rate: { atOnce: 3, perSecond: 0.001 } });
  const asked = ['a', 'b', 'c'].map((server) => put(server));
  await expect(put('d')).rejects.toThrow('Servers sent this user too many requests in a short time.');
  const roots = put('d', 'roots/list');
  await settle();
  for (const { answer } of open) answer();
  expect(await Promise.all([...asked, roots])).toHaveLength(4);
});
