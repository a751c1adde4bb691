/**
 * What it costs a model that tools with user interfaces are listed as themselves, by mode: six official examples of MCP
 * Apps, alone and beside servers without any. Entries that are there for interfaces alone are counted apart: apps keep
 * them from their models.
 */
import { allModes } from '../../../src-main/compat/all-modes.ts';
import { countTokens } from '../../../src-main/core/activity/activity-worker/count-tokens.ts';
import { installPackages, packagesFolder } from '../../clients/install-packages.mjs';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { Core } from '../core.mjs';
import { cli, shim } from '../places.mjs';
import { StdioClient } from '../stdio-client.mjs';
import { formatTable } from '../table.mjs';
import { modeOfAuto } from '../tokens/auto-choice.mjs';

const examples = ['basic-vanillajs', 'basic-svelte', 'basic-vue', 'basic-preact', 'budget-allocator', 'system-monitor'];
const others = ['everything', 'filesystem', 'memory', 'sequential-thinking'];
const shows = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };

export async function measure(print) {
  await installPackages();
  const apps = Object.fromEntries(examples.map((name) => [name, program(name, '--stdio')]));
  const plain = Object.fromEntries(others.map((name) => [name, program(name, tmpdir())]));
  const results = {};
  for (const [name, servers] of [
    ['six examples', apps],
    ['six examples and four servers', { ...apps, ...plain }],
  ]) {
    results[name] = await measureSet(name, servers, print);
  }
  return results;
}

function program(name, ...args) {
  const folder = join(packagesFolder, 'node_modules', '@modelcontextprotocol', `server-${name}`);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = typeof bin === 'string' ? bin : Object.values(bin)[0];
  return { command: process.execPath, args: [join(folder, file), ...args] };
}

async function measureSet(name, servers, print) {
  const settings = { appUi: { 'on-demand-app': 'on-demand' } };
  const core = await Core.start(cli, servers, { settings });
  try {
    const rows = [];
    for (const { name: mode } of allModes.modes) {
      const none = await listed(core, mode, 'some-app', {});
      const shown = await listed(core, mode, 'some-app', shows);
      const onDemand = await listed(core, mode, 'on-demand-app', shows);
      rows.push({
        mode,
        'no interfaces': none.model,
        listed: shown.model,
        added: shown.model - none.model,
        'on-demand': onDemand.model,
        'for interfaces alone': shown.views,
      });
    }
    print(`${name}: o200k tokens of tools/list that a model reads\n\n${formatTable(rows)}\n`);
    for (const app of ['some-app', 'claude-code']) {
      const { mode, reason } = await modeOfAuto(core, ['--mode', 'auto', '--app', app], app, shows);
      print(`auto, ${app}: ${mode}. ${reason}`);
    }
    print('');
    return rows;
  } finally {
    await core.stop();
  }
}

async function listed(core, mode, app, capabilities) {
  const client = new StdioClient([process.execPath, shim, '--mode', mode, '--app', app], core.home.env);
  try {
    await client.initialize(capabilities);
    const tools = await client.listTools();
    const forModel = tools.filter(({ _meta }) => _meta?.ui?.visibility?.includes('model') !== false);
    const model = countTokens(JSON.stringify({ tools: forModel }));
    return { model, views: countTokens(JSON.stringify({ tools })) - model };
  } finally {
    await client.close();
  }
}
