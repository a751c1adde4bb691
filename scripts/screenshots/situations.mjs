/** What the dashboard is photographed in: a first start, a busy day, and trouble. Each is a home for a core, and what is done in it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { StdioClient } from '../bench/stdio-client.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const fixture = (name, ...args) => ({
  command: process.execPath,
  args: [join(root, 'tests/fixtures/servers', `${name}.ts`), ...args],
});
const utils = { type: 'builtin', builtin: 'utils', folders: [join(root, 'src-main')] };

/** `config`: undefined lets the core write its first one. `live` gets a line of a client app and the core's folder. */
export const situations = [
  { name: 'first-use', config: undefined, live: async () => undefined },
  {
    name: 'busy',
    config: {
      mode: 'proxy',
      price: { perMillionTokens: 3, currency: 'USD' },
      servers: {
        files: utils,
        issues: fixture('compat-answers'),
        shop: fixture('eight-tools', 'web'),
        notes: fixture('capabilities'),
      },
    },
    live: work,
  },
  {
    name: 'trouble',
    config: {
      servers: {
        files: utils,
        github: { command: 'a-command-that-is-not-there', args: ['--stdio'] },
        crashing: fixture('misbehaving', 'exit-after-initialize'),
        calendar: { url: 'http://127.0.0.1:9/mcp' },
        mail: { ...fixture('echo'), enabled: false },
      },
      mod: 'search',
    },
    live: propose,
  },
];

/** A connected app that has been at it for a while. */
async function work(client) {
  await client.initialize();
  await client.listTools();
  const call = (name, input = {}) => client.request('tools/call', { name, arguments: input }).catch(() => undefined);
  for (let round = 0; round < 6; round++) {
    await call('issues_big');
    await call('files_current_time', { timezone: 'Europe/Paris' });
    await call('files_list_files', { path: join(root, 'src-main') });
    await call('files_search_files', { path: join(root, 'src-main/cli'), query: 'export' });
    await call('notes_add', { a: round, b: 2 });
  }
  await call('issues_iserr');
  await call('issues_picture');
}

/** A model that wants something the person has to decide. */
async function propose(client) {
  await client.initialize();
  const change = { action: 'add', name: 'weather', command: 'npx', args: ['-y', 'some-weather-server'] };
  await client.request('tools/call', { name: 'manage_servers', arguments: change });
}

export function writeConfig(home, config) {
  if (config !== undefined) writeFileSync(join(home, 'config.json'), JSON.stringify(config, null, 2));
}

export function openClient(env) {
  return new StdioClient([process.execPath, join(root, 'dist/cli.js'), 'stdio', '--app', 'claude-desktop'], env);
}
