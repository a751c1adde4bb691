/**
 * What the dashboard is photographed in: a first start, a busy day, and trouble. Each is a home for a core, and what is
 * done in it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { heavyConfig, heavyWeek } from './heavy-week.mjs';
import { fixture, root } from './places.mjs';

const utils = { type: 'builtin', builtin: 'utils', folders: [join(root, 'src-main')] };

const press = (name) => async (page) => page.getByRole('button', { name }).first().click();
const unfold = (text) => async (page) => {
  for (const summary of await page.locator('summary', { hasText: text }).all()) await summary.click();
};
const firstRow = async (page) => page.locator('tbody [data-row]').first().click();

/**
 * `config`: undefined lets the core write its first one. `live`: what connected client apps do, which are `open`ed;
 * without it none is. `details`: what is opened besides the views, by name: the place it is in, and what is pressed
 * there.
 */
export const situations = [
  {
    name: 'first-use',
    config: undefined,
    details: {
      'add-server': { place: 'servers?add=apps' },
      'connect-sheet': { place: 'setup/apps', open: press(/^Connect/) },
      import: { place: 'setup/servers' },
      'import-losses': { place: 'setup/servers', open: unfold('Not imported') },
      'another-app': { place: 'setup/apps', open: showAnotherApp },
      'first-call': { place: 'setup/first-call' },
    },
  },
  {
    name: 'busy',
    details: {
      call: { place: 'activity', open: firstRow },
      spill: { place: 'spills', open: firstRow },
      server: { place: 'servers/issues' },
      tools: { place: 'servers/files/tools' },
      unsaved: { place: 'servers/issues/config', open: leaveAnEdit },
    },
    config: {
      mode: 'proxy',
      price: { perMillionTokens: 3, currency: 'USD' },
      servers: {
        files: utils,
        issues: fixture('tracker'),
        shop: fixture('eight-tools', 'web'),
        notes: fixture('capabilities'),
      },
    },
    live: work,
  },
  {
    name: 'heavy',
    details: {
      step: { place: 'activity/sessions/all', open: firstRow },
      spill: { place: 'spills', open: firstRow },
      server: { place: 'servers/calendar/tools' },
    },
    config: heavyConfig,
    live: heavyWeek,
  },
  {
    name: 'trouble',
    details: {
      server: { place: 'servers/github' },
      log: { place: 'servers/crashing/log' },
      proposal: { place: 'inbox', open: firstWaiting },
    },
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

/** The entry for an app that we do not know, in sight. */
async function showAnotherApp(page) {
  await unfold('Other app')(page);
  await page.getByRole('button', { name: 'Copy entry' }).scrollIntoViewIfNeeded();
}

/** An edit of an entry, and a step away from it. */
async function leaveAnEdit(page) {
  await press('Edit')(page);
  await page.locator('textarea').first().press('End');
  await page.locator('textarea').first().pressSequentially(' ');
  await page.evaluate(() => (location.hash = '#/activity'));
}

/** What waits for a yes: next to the list, or on a narrow page in its place. */
async function firstWaiting(page) {
  await page.getByRole('list', { name: 'Pending items' }).getByRole('link').first().click();
}

/** A connected app that has been at it for a while. */
async function work({ open }) {
  const client = open();
  await client.initialize();
  await client.listTools();
  const call = (name, input = {}) => client.request('tools/call', { name, arguments: input }).catch(() => undefined);
  for (let round = 0; round < 6; round++) {
    await call('issues_list_issues', { count: 400 });
    await call('files_current_time', { timezone: 'Europe/Paris' });
    await call('files_list_files', { path: join(root, 'src-main') });
    await call('files_search_files', { path: join(root, 'src-main/cli'), query: 'export' });
    await call('notes_add', { a: round, b: 2 });
  }
  await call('issues_close_issue', { number: 4711 });
  await call('issues_read_log', { lines: 40 });
  const [, id] = /spill\/([a-z0-9]+)/.exec(JSON.stringify(await call('issues_list_issues', { count: 400 }))) ?? [];
  for (const [fromLine, toLine] of [
    [1, 12],
    [40, 90],
  ])
    await call('read_result', { resultFile: id, op: 'slice', fromLine, toLine });
}

/** A model that wants something the user has to decide. */
async function propose({ open }) {
  const client = open();
  await client.initialize();
  const change = { action: 'add', name: 'weather', command: 'npx', args: ['-y', 'some-weather-server'] };
  await client.request('tools/call', { name: 'manage_servers', arguments: change });
  const edit = { operation: 'patch', name: 'github', args: ['--stdio', '--read-only'], env: { LOG: 'verbose' } };
  await client.request('tools/call', { name: 'upstream_servers', arguments: edit });
}

/** The user's own folder: three apps, and an aggregator, with servers of their own. */
export function writePerson(folder) {
  const server = (name) => ({ command: 'npx', args: ['-y', `@example/${name}`], env: { TOKEN: 'of-the-person' } });
  const files = {
    '.config/Claude/claude_desktop_config.json': { mcpServers: { github: server('github'), notes: server('notes') } },
    '.cursor/mcp.json': { mcpServers: { github: server('github'), database: server('postgres') } },
    '.gemini/settings.json': { theme: 'Default' },
    '.mcpproxy/mcp_config.json': {
      mcpServers: [
        { name: 'browser', protocol: 'stdio', ...server('browser'), isolation: { enabled: true, image: 'node:24' } },
      ],
      docker_isolation: { enabled: true, memory_limit: '512m' },
      listen: '127.0.0.1:8080',
      tools_limit: 15,
    },
  };
  for (const [file, content] of Object.entries(files)) writeJson(join(folder, file), content);
}

export function writeConfig(home, config) {
  if (config !== undefined) writeJson(join(home, 'config.json'), config);
}

function writeJson(file, content) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(content, null, 2));
}
