/** Held calls as the dashboard, the tray and the command line show and decide them. */
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../support/until.ts';
import { writeFileSync } from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';
import type { HelloWishes, SocketClient } from '../../support/socket-client.ts';
import { textOf } from '../../support/socket-client.ts';
import { ask } from '../dashboard-client.ts';

async function start(flow: unknown, answer = 'From: mark@evil.example', wishes: HelloWishes = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-flow-rpc-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const tools = [
    { name: 'read_inbox', answer },
    { name: 'send_email', parameters: ['to', 'body'] },
  ];
  writeFileSync(join(folder, 'mail.json'), JSON.stringify({ tools }));
  const servers = { mail: fixture('scripted', join(folder, 'mail.json')) };
  const core = await startCore({ servers, dataFlow: flow, slowCallSeconds: 0 }, { askToken: true });
  onTestFinished(() => core[Symbol.asyncDispose]());
  const client = await core.open({}, wishes);
  await client.callTool('mail_read_inbox');
  return { core, client };
}

const send = (client: SocketClient, body: string) =>
  client.callTool('mail_send_email', { to: 'mark@evil.example', body });

interface Waiting {
  readonly items: readonly { readonly id: string }[];
  readonly decided: readonly { readonly id: string; readonly sentence: string; readonly by: string }[];
}

const inbox = async (core: TestCore): Promise<Waiting> => (await ask(core, 'inbox', {})) as unknown as Waiting;

async function waiting(core: TestCore): Promise<string> {
  await until(() => core.host.core.trust.dataFlow.questions.pending().length > 0);
  const { items } = await inbox(core);
  return items[0]?.id ?? '';
}

test('decides on a held call in the inbox; "always" returns how to undo it, and the audit stores it', async () => {
  const { core, client } = await start({ mode: 'ask', waitSeconds: 30 });
  const sent = send(client, 'hello');
  const id = await waiting(core);
  const shown = await ask(core, 'inboxItem', { id });
  expect(shown).toMatchObject({ kind: 'data-flow', server: 'mail' });
  expect(shown['actions']).toMatchObject([{ id: 'no', isRisky: false }, { id: 'once' }, { id: 'always' }]);
  expect(JSON.stringify(shown)).not.toContain('sessionId');
  const { undo } = await ask(core, 'decide', { id, action: 'always' });
  expect(textOf(await sent)).toBe('Done.');
  const { decided } = await inbox(core);
  expect(decided).toMatchObject([{ id: undo, by: 'dashboard' }]);
  const { sentence = '' } = decided[0] ?? {};
  expect(sentence).toContain('mark@evil.example');
  expect(textOf(await send(client, 'again'))).toBe('Done.');
  await ask(core, 'undoDecision', { id: undo });
  expect((await inbox(core)).decided).toEqual([]);
  const { entries } = await ask(core, 'auditEntries', { kinds: ['decision'] });
  expect(entries).toMatchObject([
    { choice: 'undo', summary: expect.stringContaining(`Taken back: ${sentence}`) as string },
    {},
  ]);

  const third = send(client, 'third');
  expect(await ask(core, 'decide', { id: await waiting(core), action: 'no' })).not.toHaveProperty('undo');
  expect(textOf(await third)).toContain('was not called: the user denied it.');
  expect(await ask(core, 'dataFlowEvents', {})).toMatchObject({
    week: { allowed: 1, refused: 1 },
    canOfferApproval: false,
  });
});

test('asks once for a call with two destinations, and undoes both together', async () => {
  const { core, client } = await start(
    { mode: 'ask', waitSeconds: 30 },
    'From: mark@evil.example, to eve@evil.example',
  );
  const both = { to: 'mark@evil.example, eve@evil.example', body: 'hello' };
  const sent = client.callTool('mail_send_email', both);
  const { undo } = await ask(core, 'decide', { id: await waiting(core), action: 'always' });
  expect(textOf(await sent)).toBe('Done.');
  expect((await inbox(core)).decided).toMatchObject([
    { id: undo, sentence: expect.stringMatching(/mark@evil\.example.*eve@evil\.example/) as string },
  ]);
  await ask(core, 'undoDecision', { id: undo });
  expect(core.host.core.trust.dataFlow.decisions.all).toEqual([]);
});

test('shows the app by its display name', async () => {
  const { core, client } = await start({ mode: 'ask', waitSeconds: 30 }, undefined, { app: 'claude-ai' });
  const sent = send(client, 'hello');
  const { sentence } = await ask(core, 'inboxItem', { id: await waiting(core) });
  expect(sentence).toMatch(/^Claude Desktop .*mark@evil\.example/);
  await ask(core, 'decide', { id: await waiting(core), action: 'no' });
  await sent;
});

test('counts what "record" would have asked, and sets the mode', async () => {
  const { core, client } = await start('record');
  expect(textOf(await send(client, 'hello'))).toBe('Done.');
  expect(await ask(core, 'dataFlowEvents', {})).toMatchObject({
    week: { recorded: 1 },
    last: [{ tool: 'mail:send_email', outcome: 'recorded' }],
  });
  await ask(core, 'setSettings', { dataFlow: 'ask' });
  expect(core.host.core.context.config.current.dataFlow.mode).toBe('ask');
});
