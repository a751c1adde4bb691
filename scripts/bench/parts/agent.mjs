/**
 * The scoreboard: a model of your choice does the six tasks on the thirteen real servers, in each mode, and flat: every
 * tool of every server in one list, without Tooltray. Costs money where the endpoint does; not part of a full run.
 *
 *   npm run bench -- agent --model openai:MODEL       with OPENAI_API_KEY
 *   npm run bench -- agent --model anthropic:MODEL    with ANTHROPIC_API_KEY
 *     --url URL          another endpoint of that kind: https://host/v1
 *     --key-env NAME     the variable with its key
 *     --modes auto,flat  these only
 *     --tasks sum,note   these only
 *     --servers a,b      only these servers
 *     --runs N           runs of each task (default 4, for pass^4)
 *     --price IN,OUT     money per million tokens
 */
import { openEndpoint } from '../agent/model-endpoint.mjs';
import { runTask, toolsOf } from '../agent/run-task.mjs';
import { scoreOf, scoreRow } from '../agent/score.mjs';
import { tasksOf } from '../agent/tasks.mjs';
import { Core } from '../core.mjs';
import { installServers } from '../install-servers.mjs';
import { cli, shim } from '../places.mjs';
import { realServers } from '../real-servers.mjs';
import { StdioClient } from '../stdio-client.mjs';
import { formatTable } from '../table.mjs';
import { TaskMaterial } from '../tasks/material.mjs';
import { taskModes } from '../tasks/run-mode.mjs';

const flat = 'flat';
/** As in a first config; without Tooltray there is none, and the tasks that need it cannot be solved. */
const utils = { type: 'builtin', builtin: 'utils', folders: [] };

export async function measure(print) {
  const provider = option('--model');
  if (provider === undefined) {
    print('Not measured: name a model with --model openai:MODEL or --model anthropic:MODEL.');
    return undefined;
  }
  const endpoint = openEndpoint(provider, { url: option('--url'), keyVariable: option('--key-env') });
  const [input, output] = (option('--price') ?? '').split(',').map(Number);
  const prices = option('--price') === undefined ? undefined : { input, output };
  await installServers();
  await using stack = new AsyncDisposableStack();
  const material = new TaskMaterial();
  stack.defer(() => material.remove());
  const all = realServers(material);
  const names = list('--servers') ?? Object.keys(all);
  const servers = Object.fromEntries(names.map((name) => [name, all[name]]));
  const core = await Core.start(cli, { utils, ...servers });
  stack.defer(() => core.stop());
  const tasks = tasksOf(material).filter(({ name }) => list('--tasks')?.includes(name) ?? true);
  const runs = Number(option('--runs') ?? 4);
  const scores = [];
  for (const mode of [...taskModes, flat].filter((one) => list('--modes')?.includes(one) ?? true)) {
    const done = [];
    for (const { name, key, task } of tasks)
      for (let run = 0; run < runs; run++) {
        material.reset();
        const clients = mode === flat ? flatClients(servers) : { tooltray: modeClient(mode, core) };
        try {
          const tools = await toolsOf(clients, { prefix: mode === flat });
          const result = await runTask(endpoint, tools, task);
          done.push({ task: name, ...result, solved: result.stopped === undefined && !material.wrong().includes(key) });
        } finally {
          await Promise.all(Object.values(clients).map((client) => client.close()));
        }
      }
    scores.push(scoreOf(mode, done, prices));
  }
  print(`${endpoint.model}: ${tasks.length} tasks, ${runs} runs each, ${Object.keys(servers).length} servers\n`);
  print(formatTable(scores.map(scoreRow)));
  for (const { mode, stopped } of scores) for (const why of stopped) print(`${mode}, ${why}`);
  return { model: provider, tasks: tasks.map(({ name }) => name), runs, prices, scores };
}

function modeClient(mode, core) {
  return new StdioClient([process.execPath, shim, '--mode', mode, '--app', 'bench-agent'], core.home.env);
}

function flatClients(servers) {
  return Object.fromEntries(
    Object.entries(servers).map(([name, { command, args, env }]) => [
      name,
      new StdioClient([command, ...args], { ...process.env, ...env }),
    ]),
  );
}

function list(name) {
  return option(name)?.split(',');
}

function option(name) {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}
