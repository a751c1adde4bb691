/**
 * Tasks of LiveMCPBench with the tools that users used for them, on its catalog of 526 tools on 69 servers, done in
 * every mode by an agent that looks for tools with the task's own words: tokens, steps, and whether it was shown what
 * it needs. The tools' answers are the same few words everywhere. The collection is others' and lies outside of the
 * project; without it there is nothing to measure.
 *
 *   npm run bench -- catalog-tasks                      all modes
 *   npm run bench -- catalog-tasks --modes code,search  these
 *
 * Each mode has a core of its own: a search ranks higher what was called before, and another mode would have called it
 * for the same tasks.
 *
 * What a real model does otherwise: it puts what it looks for in words of its own, which are better than a task's and
 * often worse than those of users who have solved it; it gives up earlier or tries more often; it takes a tool that
 * does nearly the same.
 */
import { countTokens } from '../../../src-main/core/activity/activity-worker/count-tokens.ts';
import { Core } from '../core.mjs';
import { cli, shim } from '../places.mjs';
import { formatTable } from '../table.mjs';
import { readCatalog, readTasks } from '../search/data-sets.mjs';
import { CatalogServers } from '../tasks/catalog/catalog-servers.mjs';
import { doTask } from '../tasks/catalog/catalog-task.mjs';
import { hands, taskModes } from '../tasks/run-mode.mjs';
import { TaskSession } from '../tasks/task-session.mjs';

const source = 'livemcpbench';

export async function measure(print) {
  const tools = readCatalog(source);
  const tasks = readTasks(source);
  if (tools.length === 0 || tasks.length === 0) {
    print('The collection is not here.');
    return undefined;
  }
  await using stack = new AsyncDisposableStack();
  const catalog = await CatalogServers.start(tools);
  stack.defer(() => catalog.stop());
  const schemas = new Map(tools.map(({ id, inputSchema }) => [id, inputSchema]));
  const servers = Object.keys(catalog.entries);
  const results = [];
  for (const mode of wantedModes()) {
    const core = await Core.start(cli, catalog.entries, { settings: { reviews: { onChange: 'warn' } } });
    try {
      results.push(await inMode(mode, { tasks, servers, env: core.home.env, schemaOf: (id) => schemas.get(id) }));
    } finally {
      await core.stop();
    }
  }
  print(`${tasks.length} tasks, ${tools.length} tools on ${servers.length} servers, o200k tokens\n`);
  const list = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  print(`${formatTable(results.map(row))}\n\nThe list without Tooltray: ${countTokens(JSON.stringify(list))}.`);
  return results;
}

async function inMode(mode, { tasks, servers, env, schemaOf }) {
  const session = await TaskSession.open({ shim, env, mode, log: () => undefined });
  const done = [];
  try {
    for (const task of tasks) {
      const hand = new hands[mode](session, servers);
      const before = { tokens: session.exchanged, calls: session.calls, errors: session.errors };
      await session.as('searches', () => hand.begin());
      const outcome = await doTask(hand, session, { ...task, schemaOf });
      done.push({
        ...outcome,
        tokens: session.exchanged - before.tokens,
        calls: session.calls - before.calls,
        errors: session.errors - before.errors,
      });
    }
  } finally {
    await session.close();
  }
  return { mode, listed: session.listed, done };
}

function row({ mode, listed, done }) {
  const sum = (of) => done.reduce((total, one) => total + of(one), 0);
  const each = (of) => sum(of) / done.length;
  return {
    mode,
    'all found': `${sum(({ seen, wanted }) => Number(seen === wanted))}/${done.length}`,
    'tools found': `${((100 * sum(({ seen }) => seen)) / sum(({ wanted }) => wanted)).toFixed(1)} %`,
    list: listed,
    looks: each(({ looks }) => looks).toFixed(1),
    calls: each(({ calls }) => calls).toFixed(1),
    errors: sum(({ errors }) => errors),
    'asked and answered': Math.round(each(({ tokens }) => tokens)),
    'a task in all': Math.round(listed + each(({ tokens }) => tokens)),
  };
}

function wantedModes() {
  const at = process.argv.indexOf('--modes');
  const wanted = at < 0 ? undefined : process.argv[at + 1]?.split(',');
  return taskModes.filter((mode) => wanted?.includes(mode) ?? true);
}
