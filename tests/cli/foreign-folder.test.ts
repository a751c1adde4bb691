/** Commands started in a cloned repository use none of its packages and settings. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CliHome } from './cli-home.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-foreign-'));
const [repository, person] = ['repository', 'person'].map((name) => join(folder, name)) as [string, string];
const mark = join(folder, 'ran');

const requests = { own: 0, foreign: 0 };
const registryOf = (owner: keyof typeof requests): http.Server =>
  http.createServer((_, response) => {
    requests[owner]++;
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}');
  });
const [own, foreign] = [registryOf('own'), registryOf('foreign')];

beforeAll(async () => {
  for (const server of [own, foreign]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const lineOf = (server: http.Server): string =>
    `registry=http://127.0.0.1:${(server.address() as AddressInfo).port}/\nfetch-retries=0\n`;
  const installed = join(repository, 'node_modules', 'some-mcp-server');
  const commands = join(repository, 'node_modules', '.bin');
  for (const made of [installed, commands, person]) mkdirSync(made, { recursive: true });
  const script = `#!/usr/bin/env node\nrequire('fs').writeFileSync(${JSON.stringify(mark)}, JSON.stringify(process.env));\n`;
  writeFileSync(join(repository, 'package.json'), '{"dependencies":{"some-mcp-server":"1.0.0"}}');
  writeFileSync(
    join(installed, 'package.json'),
    '{"name":"some-mcp-server","version":"1.0.0","bin":{"some-mcp-server":"run.js"}}',
  );
  for (const file of [join(installed, 'run.js'), join(commands, 'some-mcp-server')]) {
    writeFileSync(file, script);
    chmodSync(file, 0o755);
  }
  writeFileSync(join(repository, '.npmrc'), lineOf(foreign));
  writeFileSync(join(person, '.npmrc'), lineOf(own));
});

afterAll(() => {
  for (const server of [own, foreign]) server.close();
  rmSync(folder, { recursive: true, force: true });
});

const entry = { command: 'npx', args: ['-y', 'some-mcp-server'], env: { API_KEY: 'planted' } };

test.each([
  [['test'], {}],
  [['build-cache'], {}],
  [['doctor'], {}],
  [['search', 'files'], {}],
  [['test'], { isolation: { mode: 'auto', network: true } }],
])('"%s" in a foreign folder runs and fetches nothing from it (%o)', async (words, isolation) => {
  rmSync(mark, { force: true });
  const before = requests.own;
  await using home = new CliHome({ some: { ...entry, ...isolation } });
  const env = { HOME: person, npm_config_registry: undefined, npm_config_cache: join(folder, 'cache') };
  await home.runWith({ cwd: repository, env }, ...words);
  expect(existsSync(mark)).toBe(false);
  expect(requests.foreign).toBe(0);
  if (words[0] !== 'search') expect(requests.own).toBeGreaterThan(before);
});
