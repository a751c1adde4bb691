/**
 * Writes down what successive versions of real servers from npm say of themselves, one file a server in
 * tests/fixtures/updates, for the test of what an update asks a user: `npm run record-updates`. Installs each version
 * into .cache/updates (a gigabyte in all). Names of servers record those alone.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './bench/places.mjs';
import { StdioClient } from './bench/stdio-client.mjs';
import { npm } from './setup/npm.mjs';
import { SetupError } from './setup/setup-error.mjs';

const folder = join(root, 'tests', 'fixtures', 'updates');
const cache = join(root, '.cache', 'updates');
const only = process.argv.slice(2);

/** What stands for the folder of this run, which is another one each time. */
const placeholder = '/recorded';
const place = mkdtempSync(join(tmpdir(), 'tooltray-updates-'));
const nobody = 'test-0000000000000000000000000000';
/** A version that does not answer within this is left out, in ms. */
const patience = 60_000;

const servers = {
  filesystem: {
    package: '@modelcontextprotocol/server-filesystem',
    versions: ['2025.8.21', '2025.11.25', '2026.1.14', '2026.7.10', '2026.8.31'],
    args: [place],
  },
  memory: {
    package: '@modelcontextprotocol/server-memory',
    versions: ['2025.8.4', '2025.11.25', '2026.1.26', '2026.7.4', '2026.8.31'],
    env: { MEMORY_FILE_PATH: join(place, 'memory.jsonl') },
  },
  everything: {
    package: '@modelcontextprotocol/server-everything',
    versions: ['2025.9.25', '2025.12.18', '2026.1.26', '2026.7.4', '2026.8.31'],
  },
  'sequential-thinking': {
    package: '@modelcontextprotocol/server-sequential-thinking',
    versions: ['2025.7.1', '2025.11.25', '2025.12.18', '2026.7.4', '2026.8.31'],
  },
  playwright: {
    package: '@playwright/mcp',
    versions: ['0.0.56', '0.0.64', '0.0.70', '0.0.78', '0.0.83'],
    args: ['--headless', '--output-dir', place],
  },
  'chrome-devtools': {
    package: 'chrome-devtools-mcp',
    versions: ['0.12.1', '0.20.0', '1.1.0', '1.6.0', '1.11.0'],
    args: ['--headless'],
    env: { CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS: '1' },
  },
  context7: { package: '@upstash/context7-mcp', versions: ['1.0.33', '2.1.0', '2.3.0', '3.2.5', '4.1.1'] },
  notion: {
    package: '@notionhq/notion-mcp-server',
    versions: ['1.9.1', '2.0.0', '2.2.1', '2.4.1', '2.5.2'],
    env: { NOTION_TOKEN: nobody },
  },
  mongodb: {
    package: 'mongodb-mcp-server',
    versions: ['1.3.0', '1.7.0', '1.14.0', '3.0.4'],
    env: { MDB_MCP_TELEMETRY: 'disabled', DO_NOT_TRACK: '1' },
  },
  firecrawl: {
    package: 'firecrawl-mcp',
    versions: ['3.11.0', '3.20.0', '3.22.0', '3.24.0', '3.26.0'],
    env: { FIRECRAWL_API_KEY: nobody },
  },
};

mkdirSync(folder, { recursive: true });
try {
  for (const [name, server] of Object.entries(servers)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const recorded = await recordAll(server);
    const text = compact(recorded).replaceAll(place, placeholder);
    writeFileSync(join(folder, `${name}.json`), text);
    console.log(`${name}: ${recorded.map(({ version }) => version).join(', ')}; ${text.length} bytes`);
  }
} finally {
  rmSync(place, { recursive: true, force: true, maxRetries: 5 });
}

async function recordAll({ package: packageName, versions, args = [], env = {} }) {
  const recorded = [];
  for (const version of versions) {
    try {
      const program = install(packageName, version);
      recorded.push({ version, ...(await listingOf([process.execPath, program, ...args], env)) });
    } catch (error) {
      console.log(`${packageName} ${version} is left out: ${error.message}`);
    }
  }
  return recorded;
}

/** The file of its program. Throws SetupError if it cannot be had. */
function install(packageName, version) {
  const home = join(cache, `${packageName.replace('/', '+')}@${version}`);
  const at = join(home, 'node_modules', packageName);
  if (!existsSync(at)) {
    mkdirSync(home, { recursive: true });
    const how = ['--ignore-scripts', '--engine-strict=false', '--no-audit', '--no-fund', '--loglevel=error'];
    const status = npm(home, ['install', '--prefix', home, ...how, `${packageName}@${version}`]);
    if (status !== 0) throw new SetupError(`npm install ended with code ${status}.`);
  }
  const { bin } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
  return join(at, typeof bin === 'string' ? bin : Object.values(bin)[0]);
}

async function listingOf(command, env) {
  const client = new StdioClient(command, { ...process.env, ...env });
  const late = setTimeout(() => void client.close(), patience);
  try {
    const introduced = await client.initialize();
    const has = (list) => introduced.capabilities[list] !== undefined;
    const tools = has('tools') ? await client.listTools() : [];
    const prompts = has('prompts') ? (await client.request('prompts/list')).prompts : [];
    // Servers that say `resources` and have no templates answer with an error.
    const templates = has('resources') ? await client.request('resources/templates/list').catch(() => ({})) : {};
    return { introduced, tools, prompts, resourceTemplates: templates.resourceTemplates ?? [] };
  } finally {
    clearTimeout(late);
    await client.close();
  }
}

/** Definitions that several versions share are written once, one a line; versions name them by their place. */
function compact(recorded) {
  const lines = [];
  const places = new Map();
  const placeOf = (definition) => {
    const line = JSON.stringify(definition);
    if (!places.has(line)) places.set(line, lines.push(line) - 1);
    return places.get(line);
  };
  const versions = recorded.map(({ version, introduced, ...lists }) => {
    const placed = Object.entries(lists).map(([list, entries]) => [list, entries.map(placeOf)]);
    return JSON.stringify({ version, introduced, ...Object.fromEntries(placed) });
  });
  return `{"versions":[\n${versions.join(',\n')}\n],"definitions":[\n${lines.join(',\n')}\n]}\n`;
}
