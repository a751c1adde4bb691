/** A UI that differs from the accepted one is held for the user, like a changed tool. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import type { SocketClient } from '../support/socket-client.ts';
import { fixture, startCore, type TestConfig, type TestCore } from '../support/start-core.ts';

const shows = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };
const uri = 'ui://clock/view.html';

function place(): { folder: string; page: string } {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-views-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const page = join(folder, 'page.html');
  writeFileSync(page, '<p>first</p>');
  return { folder, page };
}

const open = (core: TestCore): Promise<SocketClient> => core.open(shows, { mode: 'search' });

async function pageOf(client: SocketClient): Promise<string> {
  const { contents } = (await client.request('resources/read', { uri })) as { contents: { text: string }[] };
  return contents[0]?.text ?? '';
}

const config = (page: string, onChange: string): TestConfig => ({
  servers: { clock: fixture('views', 'clock', page) },
  reviews: { onChange },
});

test('holds a UI that changes while its server runs until the user decides, whatever the settings', async () => {
  const { page } = place();
  await using core = await startCore(config(page, 'warn'));
  const [one, other] = [await open(core), await open(core)];
  expect([await pageOf(one), await pageOf(other)]).toEqual(['<p>first</p>', '<p>first</p>']);
  writeFileSync(page, '<p>second</p>');
  const refused = 'was changed by its server while it ran since clock was accepted, and awaits the user';
  await expect(pageOf(one)).rejects.toThrow(refused);
  await expect(pageOf(other)).rejects.toThrow(refused);
  // The tool itself still works, as text.
  expect(await one.say('show')).toContain('"by":"clock"');
  const { pins } = core.host.core.trust;
  const question = pins.find('clock')?.pendingReview;
  expect(question).toMatchObject({ isRugPull: true, changes: [{ kind: 'view', name: uri }] });
  const [item] = await core.host.core.trust.inbox.items();
  expect(JSON.stringify(item)).toContain(`User interface ${uri}`);
  await pins.find('clock')?.decide('accept', 'test', question?.id ?? '');
  expect(await pageOf(one)).toBe('<p>second</p>');
  writeFileSync(page, '<p>first</p>');
  await expect(pageOf(one)).rejects.toThrow(refused);
});

test('remembers the accepted UI across cores, and passes or holds an update by the setting', async () => {
  const { folder, page } = place();
  const home = mkdtempSync(join(folder, 'home-'));
  for (const [onChange, text, answer] of [
    ['hold', '<p>first</p>', '<p>first</p>'],
    ['hold', '<p>first</p>', '<p>first</p>'],
    ['hold', '<p>second</p>', /has changed since clock was accepted|was changed by its server/],
  ] as const) {
    writeFileSync(page, text);
    await using core = await startCore(config(page, onChange), { home });
    expect(await pageOf(await open(core)).catch(String)).toEqual(
      typeof answer === 'string' ? answer : expect.stringMatching(answer),
    );
  }
});

test("holds a changed UI also for an app without UI support, and at the server's endpoint", async () => {
  const { page } = place();
  await using core = await startCore(config(page, 'hold'));
  const plain = await core.open({}, { mode: 'proxy' });
  expect(await pageOf(plain)).toBe('<p>first</p>');
  writeFileSync(page, '<p>second</p>');
  await expect(pageOf(plain)).rejects.toThrow('awaits the user');
  const own = new HttpClient(`${core.url}/server/clock`);
  await own.initialize();
  const { message } = await own.exchange('resources/read', { uri });
  expect(message.error?.message).toContain('awaits the user');
});
