/**
 * Asks the thirteen real servers of the bench what they offer and writes it down in tests/fixtures/listings, one file
 * each, for the tests that need real tools: `npm run record-listings`. Installs the servers first (600 MB). Names of
 * servers record those alone.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installServers } from './bench/install-servers.mjs';
import { root } from './bench/places.mjs';
import { Material, realServers } from './bench/real-servers.mjs';
import { StdioClient } from './bench/stdio-client.mjs';

const folder = join(root, 'tests', 'fixtures', 'listings');
const only = process.argv.slice(2);

/** What stands for the folders of this run, which are different each time. */
const placeholder = '/recorded';

await installServers();
mkdirSync(folder, { recursive: true });
const material = new Material();
try {
  for (const [name, server] of Object.entries(realServers(material))) {
    if (only.length > 0 && !only.includes(name)) continue;
    const listing = await record(server);
    const text = JSON.stringify(listing).replaceAll(material.folder, placeholder);
    writeFileSync(join(folder, `${name}.json`), `${text}\n`);
    console.log(`${name}: ${listing.tools.length} tools, ${listing.prompts.length} prompts, ${text.length} bytes`);
  }
} finally {
  material.remove();
}

/** What a server says of itself, its tools and its prompts, every member as it came. */
async function record({ command, args, env }) {
  const client = new StdioClient([command, ...args], { ...process.env, ...env });
  try {
    const { serverInfo, instructions, capabilities } = await client.initialize();
    const tools = await client.listTools();
    const prompts = capabilities.prompts === undefined ? [] : (await client.request('prompts/list')).prompts;
    return { serverInfo, ...(instructions !== undefined && { instructions }), tools, prompts };
  } finally {
    await client.close();
  }
}
