/**
 * The npm package: packed, installed into a clean folder, and run by Node.js 20, 22, and 24. The other versions are
 * downloaded from the npm registry.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchNode } from '../../scripts/setup/fetch-node.mjs';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const isWindows = process.platform === 'win32';
const { devDependencies } = createRequire(import.meta.url)('../../package.json') as {
  devDependencies: Record<string, string>;
};

let folder = '';
let file = '';
let bin = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tooltray-npx-'));
  // The Node.js downloaded by an old one is stored there, too.
  process.env['XDG_CACHE_HOME'] = join(folder, 'cache');
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: root, shell: isWindows });
  file = join(folder, stdout.trim());
  const app = join(folder, 'app');
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{ "private": true }');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', file], { cwd: app, shell: isWindows });
  bin = join(app, 'node_modules/tooltray/scripts/tooltray.mjs');
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

test('is at most 25 MB packed', () => {
  expect(statSync(file).size).toBeLessThanOrEqual(25_000_000);
});

describe.each(['20.20.2', '22.23.5', devDependencies['node'] ?? ''])('with Node.js %s', (version) => {
  const timeout = 240_000;
  let node = '';
  let env: Record<string, string> = {};
  const tooltray = (...words: string[]): Promise<{ stdout: string }> => run(node, [bin, ...words], { env });

  beforeAll(async () => {
    node = process.versions.node === version ? process.execPath : await fetchNode(version);
    const home = join(folder, version);
    mkdirSync(join(home, '.cursor'), { recursive: true });
    mkdirSync(join(home, 'tooltray'));
    const servers = { echo: fixtureCommand('compat', 'A') };
    writeFileSync(join(home, 'tooltray/config.json'), JSON.stringify({ servers, port: 0 }));
    env = {
      ...(process.env as Record<string, string>),
      HOME: home,
      USERPROFILE: home,
      TOOLTRAY_HOME: join(home, 'tooltray'),
      PATH: [dirname(node), process.env['PATH']].join(delimiter),
    };
  }, timeout);
  afterAll(() => tooltray('stop').catch(() => undefined));

  test(
    'starts, and fetches a newer Node.js once if this one is too old',
    async () => {
      expect((await tooltray('--version')).stdout).toMatch(/^Tooltray \d+\.\d+\.\d+\n$/);
    },
    timeout,
  );

  test(
    'serves a client app over stdio, calls a tool, and runs Python',
    async () => {
      const client = new Client({ name: 'npx', version: '1' });
      await client.connect(
        new StdioClientTransport({ command: node, args: [bin, 'stdio', '--mode', 'code'], env, stderr: 'ignore' }),
      );
      try {
        const code = 'r = await call_tool("echo_tool", {"message": "hello"})\nreturn r["message"] + str(7 // 2)';
        const { content } = await client.callTool({ name: 'execute', arguments: { code, language: 'python' } });
        expect(content).toEqual([{ type: 'text', text: 'hello3' }]);
      } finally {
        await client.close();
      }
    },
    timeout,
  );

  test(
    'is installed into a client app with a command that starts',
    async () => {
      await tooltray('install', 'cursor', '--yes');
      const text = readFileSync(join(folder, version, '.cursor/mcp.json'), 'utf8');
      const { mcpServers } = JSON.parse(text) as { mcpServers: Record<string, { command: string; args: string[] }> };
      const { command = '', args = [] } = mcpServers['tooltray'] ?? {};
      const client = new Client({ name: 'cursor', version: '1' });
      await client.connect(new StdioClientTransport({ command, args, env, stderr: 'ignore' }));
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo_tool');
      await client.close();
    },
    timeout,
  );

  test(
    'doctor finds no problem',
    async () => {
      const { stdout } = await tooltray('doctor', '--json');
      expect(JSON.parse(stdout)).toMatchObject({ ok: true });
    },
    timeout,
  );
});
