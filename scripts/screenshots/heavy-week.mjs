/**
 * A week of four apps at 25 servers with about 500 tools: 5,000 steps and 200 kept answers, lived in minutes by a clock
 * that is set.
 */
import { join } from 'node:path';
import process from 'node:process';
import { fixture, root } from './places.mjs';

const manyTools = join(root, 'scripts/bench/dashboard/many-tools.mjs');
const listedOnly = [
  ...['analytics', 'billing', 'calendar', 'chat', 'ci', 'cloud', 'contacts', 'crm', 'database', 'deploys', 'docs'],
  ...[
    'errors',
    'feature-flags',
    'figures',
    'mail',
    'metrics',
    'payments',
    'search',
    'sheets',
    'support',
    'translations',
  ],
];

export const heavyConfig = {
  mode: 'proxy',
  appModes: { vscode: 'code' },
  results: { appThresholds: { cursor: 20_000, vscode: 20_000 } },
  price: { perMillionTokens: 3, currency: 'USD' },
  servers: {
    issues: fixture('tracker'),
    files: { type: 'builtin', builtin: 'utils', folders: [join(root, 'src-main')] },
    shop: fixture('eight-tools', 'web'),
    notes: fixture('capabilities'),
    ...Object.fromEntries(
      listedOnly.map((name, at) => [
        name,
        { command: process.execPath, args: [manyTools, String(12 + ((at * 7) % 23))] },
      ]),
    ),
  },
};

/** Rounds of each day, of about 25 steps and one kept answer each; today is the last. */
const days = [38, 43, 46, 37, 5, 3, 52];
const hourMs = 3_600_000;
const workdayMs = 9 * hourMs;
/** So many days ago one of the apps got a mode of its own. */
const modeSince = 3;

const apps = [
  { app: 'claude-desktop', name: 'claude-ai', round: directly },
  { app: 'cursor', name: 'cursor-vscode', round: bySearch },
  { app: 'vscode', name: 'Visual Studio Code', round: byProgram },
  { app: 'claude-desktop', name: 'claude-ai', round: directly },
];

/** Each app has a session a day; those of today stay. */
export async function heavyWeek({ open, setClock, writeConfig }) {
  for (const [at, rounds] of days.entries()) {
    const daysAgo = days.length - 1 - at;
    if (daysAgo === modeSince) writeConfig({ ...heavyConfig, appModes: { ...heavyConfig.appModes, cursor: 'search' } });
    const clients = new Map();
    for (let round = 0; round < rounds; round++) {
      await setClock(-daysAgo * 24 * hourMs - workdayMs * (1 - (round + 1) / rounds));
      const one = apps[(round >> 1) % apps.length];
      if (!clients.has(one.app)) clients.set(one.app, await begin(open(one.app, one.name)));
      await one.round(caller(clients.get(one.app)), at * 100 + round);
    }
    if (daysAgo > 0) for (const client of clients.values()) await client.close();
  }
  await setClock(0);
}

async function begin(client) {
  await client.initialize();
  await client.listTools();
  return client;
}

/** What is refused is part of the week. */
function caller(client) {
  return (name, input = {}) => client.request('tools/call', { name, arguments: input }).catch(() => undefined);
}

const topics = ['open issues', 'send a message', 'refund a payment', 'next meeting', 'failed builds', 'latest figures'];

/** A model that sees every tool. */
async function directly(call, nth) {
  await work(call, nth);
}

/** One that looks for a tool before it calls it. */
async function bySearch(call, nth) {
  await call('search_tools', { query: topics[nth % topics.length] });
  await work(
    (name, input) => (name === 'read_result' ? call(name, input) : call('call_tool', { name, arguments: input })),
    nth,
  );
}

/** One that writes programs. */
async function byProgram(call, nth) {
  const lines = Array.from(
    { length: 3 + (nth % 4) },
    (_one, at) => `await call_tool('issues_read_log', { lines: ${at + 2} });`,
  );
  await call('search', { query: topics[nth % topics.length] });
  for (let at = 0; at < 6; at++)
    await call('execute', { language: 'javascript', code: `${lines.join('\n')}\nreturn ${at};` });
  await work(call, nth, 9);
}

/** The long answer, what is read of it, and much of the small. */
async function work(call, nth, small = 20) {
  const [, id] =
    /spill\/([a-z0-9]+)/.exec(JSON.stringify(await call('issues_list_issues', { count: 300 + nth * 3 })) ?? '') ?? [];
  await call('read_result', { resultFile: id, op: 'grep', pattern: 'in review' });
  await call('read_result', { resultFile: id, op: 'slice', fromLine: 1, toLine: 20 + (nth % 30) });
  for (let at = 0; at < small; at++) await little[(nth + at) % little.length](call, nth + at);
}

const little = [
  (call, nth) => call('issues_read_log', { lines: 5 + (nth % 40), delayMs: nth % 11 === 0 ? 180 : nth % 9 }),
  (call, nth) => call('notes_add', { a: nth, b: 2 }),
  (call) => call('files_current_time', { timezone: 'Europe/Paris' }),
  (call, nth) => call('issues_read_log', { lines: 3, delayMs: (nth % 5) * 4 }),
  (call, nth) => call('issues_list_issues', { count: 4 + (nth % 9), delayMs: nth % 30 }),
  (call, nth) => call('shop_web_search', { query: `figures of week ${nth}` }),
  (call, nth) => (nth % 3 === 0 ? call('issues_close_issue', { number: nth }) : call('notes_add', { a: nth, b: nth })),
  (call) => call('files_search_files', { path: join(root, 'src-main/cli/commands/security'), query: 'export' }),
  (call, nth) => (nth % 40 === 0 ? call('notes_boom') : call('issues_read_log', { lines: 8 })),
];
