/** `tooltray add` with text copied from a server's page. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CliHome } from '../cli-home.ts';

let home: CliHome;
beforeEach(() => {
  home = new CliHome({ here: { command: 'npx', args: ['here'] } });
});
afterEach(() => home[Symbol.asyncDispose]());

const servers = (): Record<string, unknown> =>
  (JSON.parse(home.configText()) as { servers: Record<string, unknown> }).servers;

test('writes an entry from another app’s command line and names the placeholders to fill in', async () => {
  const { code, stdout } = await home.run('add', 'claude mcp add -s user notes -e KEY=<key> -- npx -y notes-mcp');
  expect(code).toBe(0);
  expect(stdout).toContain('note <key> is a placeholder: replace it.');
  expect(servers()).toMatchObject({ notes: { command: 'npx', args: ['-y', 'notes-mcp'], env: { KEY: '<key>' } } });
});

test('adds every server of a JSON text from stdin, and none with --dry-run', async () => {
  const input = JSON.stringify({
    mcpServers: { a: { command: 'npx', args: ['a'] }, b: { url: 'https://b.example.com' } },
  });
  const before = home.configText();
  const dry = await home.runWith({ input }, 'add', '-', '--dry-run');
  expect([dry.code, home.configText()]).toEqual([0, before]);
  expect(dry.stdout).toContain('Would be added');
  expect((await home.runWith({ input }, 'add', '-')).code).toBe(0);
  expect(Object.keys(servers())).toEqual(['here', 'a', 'b']);
});

test.each([
  ['claude mcp add --frobnicate x y', '"--frobnicate" is not understood'],
  ['npx here && touch it', '"&&" requires a shell'],
  ['claude mcp add here -- npx x', 'Server "here" already exists'],
  ['{"mcpServers":{"a":{"command":"npx"},"here":{"command":"npx"}}}', 'Server "here" already exists'],
])('writes nothing for %j', async (text, said) => {
  const before = home.configText();
  const { code, stderr } = await home.run('add', text);
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining(said)]);
  expect(home.configText()).toBe(before);
});

test('rejects flags that describe one server together with a pasted text', async () => {
  const { code, stderr } = await home.run('add', 'https://mcp.example.com/mcp', '--header', 'A: b');
  expect([code, stderr]).toEqual([2, expect.stringContaining('With a pasted text only')]);
});
