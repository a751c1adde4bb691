/** Real npm servers in a sandbox: installed for it, listed, and working with only what `presets` allows. */
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sandboxUnavailableReason } from '../../src-main/core/servers/launch/sandbox/bubblewrap.ts';
import { findBrowser } from '../../scripts/browser.mjs';
import { startCore, type TestCore } from '../support/start-core.ts';

const problem = await sandboxUnavailableReason({ PATH: process.env['PATH'] ?? '' });
const home = mkdtempSync(join(tmpdir(), 'tooltray-confined-'));
const files = join(home, 'files');
mkdirSync(files);

const npx = (name: string, ...args: string[]): { command: string; args: string[] } => ({
  command: 'npx',
  args: ['-y', name, ...args],
});
const offline = { mode: 'sandbox', write: [] };
const initTimeoutSeconds = 170;
const nobody = 'test-0000000000000000000000000000';

/** As in docs/explanation/benchmarks.md. */
const presets: Readonly<Record<string, object>> = {
  everything: { ...npx('@modelcontextprotocol/server-everything@2026.8.31'), isolation: offline },
  thinking: { ...npx('@modelcontextprotocol/server-sequential-thinking@2026.8.31'), isolation: offline },
  memory: {
    ...npx('@modelcontextprotocol/server-memory@2026.8.31'),
    isolation: offline,
    // Its home is separate, whatever the path says.
    env: { MEMORY_FILE_PATH: join(homedir(), 'memory.jsonl') },
  },
  filesystem: {
    ...npx('@modelcontextprotocol/server-filesystem@2026.8.31', files),
    isolation: { mode: 'sandbox', write: [files] },
  },
  git: { ...npx('@cyanheads/git-mcp-server@2.15.3'), isolation: { mode: 'sandbox', write: [files] } },
  playwright: {
    ...npx('@playwright/mcp@0.0.83', '--headless', '--no-sandbox', '--isolated', '--executable-path', findBrowser()),
    isolation: { mode: 'sandbox', write: [], read: [browserFolder()], network: true },
  },
  context7: { ...npx('@upstash/context7-mcp@4.1.1'), isolation: { ...offline, network: true } },
  notion: {
    ...npx('@notionhq/notion-mcp-server@2.5.2'),
    env: { NOTION_TOKEN: nobody },
    isolation: { ...offline, network: true },
  },
  mongodb: {
    ...npx('mongodb-mcp-server@3.0.4'),
    env: { MDB_MCP_TELEMETRY: 'disabled' },
    isolation: { ...offline, network: true },
  },
  firecrawl: {
    ...npx('firecrawl-mcp@3.26.0'),
    env: { FIRECRAWL_API_KEY: nobody },
    isolation: { ...offline, network: true },
  },
};

/** The browser's files are next to its executable. */
function browserFolder(): string {
  return join(findBrowser(), '..');
}

const tools: Readonly<Record<string, number>> = {
  everything: 8,
  thinking: 1,
  memory: 9,
  filesystem: 10,
  git: 20,
  playwright: 20,
};

async function call(core: TestCore, server: string, tool: string, args: object): Promise<string> {
  const client = await core.open();
  const request = { name: 'proxy-dispatch', arguments: { action: 'call', connection: server, tool, args } };
  const { content } = (await client.request('tools/call', request)) as { content: { text: string }[] };
  return content.map(({ text }) => text).join('\n');
}

test.skipIf(problem !== undefined)(
  'ten packages are installed for their sandboxes, list their tools and work; a second start fetches nothing',
  { timeout: 900_000 },
  async () => {
    const servers = Object.fromEntries(
      Object.entries(presets).map(([name, entry]) => [name, { ...entry, initTimeoutSeconds }]),
    );
    const config = { servers, mode: 'dispatch', dataFlow: 'off' };
    const packages = join(home, 'data', 'boxes', 'npm');
    {
      await using core = await startCore(config, { home });
      for (const name of Object.keys(presets)) {
        await expect.poll(() => core.server(name).state, { timeout: 300_000 }).toMatchObject({ kind: 'ready' });
        expect(core.server(name).listing.tools.length, name).toBeGreaterThanOrEqual(tools[name] ?? 1);
      }
      expect(await call(core, 'everything', 'echo', { message: 'from a box' })).toContain('from a box');
      const path = join(files, 'note.txt');
      await call(core, 'filesystem', 'write_file', { path, content: 'written in a box' });
      expect(existsSync(path)).toBe(true);
      expect(await call(core, 'filesystem', 'list_directory', { path: process.cwd() })).toMatch(/denied|outside|not/i);
      await call(core, 'memory', 'create_entities', {
        entities: [{ name: 'Ada', entityType: 'person', observations: ['x'] }],
      });
      expect(await call(core, 'git', 'git_init', { path: files })).not.toMatch(/error/i);
      expect(existsSync(join(files, '.git'))).toBe(true);
      expect(await call(core, 'playwright', 'browser_navigate', { url: 'data:text/html,<h1>In a box</h1>' })).toContain(
        'In a box',
      );
    }
    // Files that npm writes first, and again with each installation.
    const manifests = (): unknown =>
      globSync('*/*/package.json', { cwd: packages })
        .toSorted()
        .map((path) => [path, statSync(join(packages, path)).mtimeMs]);
    const fetched = manifests();
    await using again = await startCore(config, { home });
    await expect.poll(() => again.server('memory').state.kind, { timeout: 60_000 }).toBe('ready');
    expect(await call(again, 'memory', 'read_graph', {})).toContain('Ada');
    for (const name of Object.keys(presets)) {
      await expect.poll(() => again.server(name).state.kind, { timeout: 60_000 }).toBe('ready');
    }
    expect(manifests()).toEqual(fetched);
    await again[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  },
);
