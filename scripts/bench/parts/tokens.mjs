/** What a model is shown before it has done anything: tools and instructions, in each mode and with every server on its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { countTokens } from '../../../src-main/core/activity/count-tokens.ts';
import { modes } from '../../../src-main/core/modes/index.ts';
import { Core } from '../core.mjs';
import { cli, shim } from '../places.mjs';
import { serverSets } from '../server-sets.mjs';
import { StdioClient } from '../stdio-client.mjs';
import { formatTable } from '../table.mjs';

/** As Tooltray introduces itself to servers: some list more tools to whoever can be asked things. */
const capabilities = {
  roots: { listChanged: true },
  sampling: { tools: {}, context: {} },
  elicitation: { form: {}, url: {} },
};
/** Some servers list more a moment after the handshake. */
const afterThoughtMs = 1000;

export async function measure(print) {
  await using stack = new AsyncDisposableStack();
  const results = {};
  for (const [name, servers] of Object.entries(await serverSets(stack))) {
    if (servers === undefined) {
      print(`${name}: not installed (npm run test:clients installs them).`);
      continue;
    }
    const rows = await measureSet(servers);
    print(
      `${name} (${Object.keys(servers).length}): o200k tokens of tools/list and instructions\n\n${formatTable(rows)}\n`,
    );
    results[name] = rows;
  }
  return results;
}

async function measureSet(servers) {
  const shown = [];
  for (const { command, args, env } of Object.values(servers)) {
    shown.push(await look([command, ...args], { ...process.env, ...env }));
  }
  const direct = row('direct', sum(shown), undefined);
  const rows = [direct];
  const core = await Core.start(cli, servers);
  try {
    for (const { name } of modes) {
      rows.push(row(name, await look([process.execPath, shim, '--mode', name], core.home.env), direct.together));
    }
  } finally {
    await core.stop();
  }
  return rows;
}

/** What a client is shown by whatever this command starts. */
async function look(command, env) {
  const client = new StdioClient(command, env);
  try {
    const { instructions = '' } = await client.initialize(capabilities);
    await sleep(afterThoughtMs);
    const tools = await client.listTools();
    return {
      tools: tools.length,
      list: countTokens(JSON.stringify({ tools })),
      instructions: countTokens(instructions),
    };
  } finally {
    await client.close();
  }
}

function sum(all) {
  const of = (key) => all.reduce((total, one) => total + one[key], 0);
  return { tools: of('tools'), list: of('list'), instructions: of('instructions') };
}

function row(mode, { tools, list, instructions }, direct) {
  const together = list + instructions;
  const share = direct === undefined ? '' : `${((together / direct) * 100).toFixed(1)} %`;
  return { mode, tools, 'tools/list': list, instructions, together, 'of direct': share };
}
