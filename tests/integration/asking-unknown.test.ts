/** Requests of a server not known to send any, and progress after a request. */
import { expect, test } from 'vitest';
import { startHttpFixture } from '../fixtures/servers/http-fixture.ts';
import { ModernClient } from '../support/modern-client.ts';
import { fixture, startCore } from '../support/start-core.ts';
import type { SocketClient } from '../support/socket-client.ts';

const form = { elicitation: { form: {} } };

function answerAs(owner: string, line: SocketClient): void {
  line.onRequest('elicitation/create', ({ message }) => ({
    action: 'accept',
    content: { name: `${owner} ${String(message)}` },
  }));
}

test("asks no client another's question when two calls make the owner unclear, and the next calls work", async () => {
  await using core = await startCore({ servers: { asker: fixture('asker') } });
  const owners = ['anna', 'bert'] as const;
  const lines = await Promise.all(owners.map(() => core.open(form)));
  lines.forEach((line, i) => answerAs(owners[i] ?? '', line));
  const ask = (i: number): Promise<string> =>
    lines[i]?.say('ask_form', { message: `for ${owners[i]}` }) ?? Promise.resolve('');
  const first = await Promise.all([ask(0), ask(1)]);
  first.forEach((answer, i) => {
    if (!answer.includes('could not be assigned to one client app'))
      expect(answer).toContain(`${owners[i]} asker: for ${owners[i]}`);
  });
  const second = await Promise.all([ask(0), ask(1)]);
  expect(second.map((answer) => JSON.parse(answer) as unknown)).toEqual(
    owners.map((owner) => ({ action: 'accept', content: { name: `${owner} asker: for ${owner}` } })),
  );
  const asked = lines.map(({ requests }) => new Set(requests.map(({ params }) => params?.['message'])));
  expect(asked).toEqual(owners.map((owner) => new Set([`asker: for ${owner}`])));
});

test("asks each client its own question from the first call on, because an HTTP server uses the call's stream", async () => {
  const asker = await startHttpFixture('asker');
  await using core = await startCore({ servers: { asker: { url: asker.url } } });
  const owners = ['anna', 'bert', 'carl'];
  const lines = await Promise.all(owners.map(() => core.open(form)));
  lines.forEach((line, i) => answerAs(owners[i] ?? '', line));
  const answers = await Promise.all(lines.map((line, i) => line.say('ask_form', { message: `for ${owners[i]}` })));
  expect(answers.map((answer) => JSON.parse(answer) as unknown)).toEqual(
    owners.map((owner) => ({ action: 'accept', content: { name: `${owner} asker: for ${owner}` } })),
  );
  await asker.close();
});

test('rejects a question at once if the caller cannot be asked, also while another client is asked', async () => {
  await using core = await startCore({ servers: { asker: fixture('asker') } });
  const [anna, mute] = [await core.open(form), await core.open()];
  answerAs('anna', anna);
  await anna.callTool('ask_form');
  const [asked, refused] = await Promise.all([
    anna.say('ask_form', { message: 'x' }),
    mute.say('ask_form', { message: 'y' }),
  ]);
  expect([asked, refused]).toEqual([
    expect.stringContaining('anna asker: x'),
    expect.stringContaining('does not support elicitation'),
  ]);
  expect(mute.requests).toEqual([]);
});

test('reports progress after an answered question under the token of the retried request', async () => {
  const command = { command: process.execPath, args: [`${import.meta.dirname}/servers/ask-then-progress.ts`] };
  await using core = await startCore({ servers: { worker: command } });
  const line = await core.connect();
  const client = new ModernClient(line, form);
  client.onAsk('elicitation/create', () => ({ action: 'accept', content: {} }));
  const { result } = await client.call('work', {}, { _meta: { progressToken: 'first' } }, () => ({
    _meta: { progressToken: 'second' },
  }));
  expect(result).toMatchObject({ content: [{ text: 'worked' }] });
  expect(line.notifications.map(({ params }) => params?.['progressToken'])).toEqual(['second']);
});
