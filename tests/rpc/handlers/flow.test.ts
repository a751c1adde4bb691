/** What the dashboard, the tray and the command line see of calls that wait, and how they answer them. */
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../support/until.ts';
import { writeFileSync } from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixture, startCore } from '../../support/start-core.ts';
import type { SocketClient } from '../../support/socket-client.ts';
import { textOf } from '../../support/socket-client.ts';
import { ask } from '../dashboard-client.ts';

async function start(flow: unknown) {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-flow-rpc-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const tools = [
    { name: 'read_inbox', answer: 'From: mark@evil.example' },
    { name: 'send_email', parameters: ['to', 'body'] },
  ];
  writeFileSync(join(folder, 'mail.json'), JSON.stringify({ tools }));
  const servers = { mail: fixture('scripted', join(folder, 'mail.json')) };
  const core = await startCore({ servers, flow, slowCallSeconds: 0 }, { askToken: true });
  onTestFinished(() => core[Symbol.asyncDispose]());
  const client = await core.open();
  await client.callTool('mail_read_inbox');
  return { core, client };
}

const send = (client: SocketClient, body: string) =>
  client.callTool('mail_send_email', { to: 'mark@evil.example', body });

test('a call that waits is shown with what it would send, and answered; what was decided is listed and taken back', async () => {
  const { core, client } = await start({ mode: 'ask', waitSeconds: 30 });
  const sent = send(client, 'hello');
  await until(() => core.host.core.trust.questions.open().length > 0);
  const { questions } = await ask(core, 'flowQuestions', {});
  expect(questions).toMatchObject([
    {
      ...{ kind: 'flow', app: 'raw-client', server: 'mail', tool: 'mail:send_email' },
      sending: { places: [{ kind: 'mail', place: 'mark@evil.example', why: 'read', from: { of: 'mail:read_inbox' } }] },
      choices: [{ id: 'no', risky: false }, { id: 'once' }, { id: 'always' }],
    },
  ]);
  expect(JSON.stringify(questions)).not.toContain('sessionId');
  const [{ id }] = questions as [{ id: string }];
  await ask(core, 'answerFlow', { id, choice: 'always', by: 'tray' });
  expect(textOf(await sent)).toBe('Done.');
  const kept = { server: 'mail', destination: 'mail mark@evil.example' };
  expect(await ask(core, 'flowDecisions', {})).toMatchObject({ decisions: [{ ...kept, app: 'raw-client' }] });
  expect(textOf(await send(client, 'again'))).toBe('Done.');
  await ask(core, 'forgetFlowDecision', kept);
  expect(await ask(core, 'flowDecisions', {})).toEqual({ decisions: [] });
  const third = send(client, 'third');
  await until(() => core.host.core.trust.questions.open().length > 0);
  const [open] = (await ask(core, 'flowQuestions', {}))['questions'] as [{ id: string }];
  await ask(core, 'answerFlow', { id: open.id, choice: 'no', by: 'dashboard' });
  expect(textOf(await third)).toContain('the person said no');
  expect(await ask(core, 'flowRecord', {})).toMatchObject({ week: { allowed: 1, refused: 1 }, mayOffer: false });
});

test('what would have been asked is counted, and the mode is a setting', async () => {
  const { core, client } = await start('record');
  expect(textOf(await send(client, 'hello'))).toBe('Done.');
  expect(await ask(core, 'flowRecord', {})).toMatchObject({
    week: { recorded: 1 },
    last: [{ tool: 'mail:send_email', outcome: 'recorded' }],
  });
  await ask(core, 'setSettings', { flow: 'ask' });
  expect(core.host.core.options.config.current.flow.mode).toBe('ask');
});
