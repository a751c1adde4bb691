/** Which box a server is offered: what is known of its package, else what its entry names; none where it would be none, or would break it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { StdioServerConfig } from '../../../../../src-main/core/config/app-config.ts';
import { readConfig } from '../../../../../src-main/core/config/read-config.ts';
import { proposedBox } from '../../../../../src-main/core/servers/launch/isolation/proposed-box.ts';

const home = mkdtempSync(join(tmpdir(), 'tooltray-proposed-'));
const docs = mkdtempSync(join(home, 'docs-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test.each<[string, object, object | undefined]>([
  [
    'a package that was tried, with its folder',
    { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem@1.0.0', docs] },
    { mode: 'auto', network: false, write: [docs] },
  ],
  [
    'one that needs nothing but the network',
    { command: 'npx', args: ['-y', 'firecrawl-mcp'], env: { HOME_OF_IT: docs } },
    { mode: 'auto', network: true, write: [] },
  ],
  ['any other', { command: 'uvx', args: ['some', docs] }, { mode: 'auto', network: true, write: [docs] }],
  [
    'its working folder',
    { command: 'node', args: ['x.js'], cwd: docs },
    { mode: 'auto', network: true, write: [docs] },
  ],
  ['one that works in the home', { command: 'node', args: ['x.js'], cwd: home }, undefined],
  ['one that works above it', { command: 'node', args: ['x.js'], cwd: '/' }, undefined],
  ['a container', { command: '/usr/bin/docker', args: ['run', 'x'] }, undefined],
  ['a browser', { command: 'npx', args: ['@playwright/mcp@latest'] }, undefined],
  ['a memory in its package', { command: 'npx', args: ['@modelcontextprotocol/server-memory'] }, undefined],
  [
    'a memory in a file',
    { command: 'npx', args: ['@modelcontextprotocol/server-memory'], env: { MEMORY_FILE_PATH: docs } },
    { mode: 'auto', network: false, write: [docs] },
  ],
])('%s', async (_what, entry, box) => {
  const { config } = readConfig(JSON.stringify({ servers: { s: entry } }), '/c/config.json', {});
  const [server] = config?.servers ?? [];
  expect(await proposedBox(server as StdioServerConfig, home)).toEqual(box);
});
