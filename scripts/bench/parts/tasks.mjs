/**
 * Six tasks on thirteen real servers, done in every mode by a careful model that is given only what it is shown: tokens
 * and calls, beside what eight real models needed for the same in 2026-11, and what each mode may cost at most.
 *
 *   npm run bench -- tasks                      all modes
 *   npm run bench -- tasks --modes code,search  these
 *   npm run bench -- tasks --core DIR           the same against the build of another checkout first, for a comparison
 *   npm run bench -- tasks --log FILE           every call and answer, as the model sees them
 *   npm run bench -- tasks --condense LEVEL     at another level of texts than the usual one (toolmux: as in the trials)
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Core } from '../core.mjs';
import { installServers } from '../install-servers.mjs';
import { cli, shim } from '../places.mjs';
import { realServers } from '../real-servers.mjs';
import { formatTable } from '../table.mjs';
import { deadTools } from '../tasks/dead-tools.mjs';
import { TaskMaterial } from '../tasks/material.mjs';
import { runMode, taskModes } from '../tasks/run-mode.mjs';
import { goals, row, spendings, waste } from '../tasks/task-rows.mjs';

/** As in a first config. */
const utils = { type: 'builtin', builtin: 'utils', folders: [] };

export async function measure(print) {
  await installServers();
  await using stack = new AsyncDisposableStack();
  const material = new TaskMaterial();
  stack.defer(() => material.remove());
  const lines = [];
  const measuring = { material, print, log: (text) => lines.push(text) };
  const other = option('--core');
  const before =
    other === undefined
      ? undefined
      : await measureBuild(join(other, 'dist', 'cli.js'), join(other, 'dist', 'shim.cjs'), measuring);
  const now = await measureBuild(cli, shim, measuring);
  const file = option('--log');
  if (file !== undefined) writeFileSync(file, `${lines.join('\n')}\n`);
  print(`six tasks, thirteen servers, o200k tokens${other === undefined ? '' : ` (before: ${other})`}\n`);
  print(
    `${formatTable(
      now.map((one) =>
        row(
          one,
          before?.find(({ mode }) => mode === one.mode),
        ),
      ),
    )}\n`,
  );
  print(`what they went into\n\n${formatTable(now.map(spendings))}\n`);
  for (const one of now) print(waste(one));
  requireAll(now, print);
  return { before, now };
}

async function measureBuild(cli, shim, { material, print, log }) {
  const servers = { utils, ...realServers(material) };
  const level = option('--condense');
  const core = await Core.start(cli, servers, { settings: level === undefined ? {} : { condense: level } });
  const build = { shim, env: core.home.env, material, servers: Object.keys(servers) };
  log(`\n${'█'.repeat(20)} ${cli}`);
  try {
    const dead = await deadTools(build);
    const results = [];
    for (const mode of wantedModes()) results.push(await runMode(mode, { ...build, dead, log }));
    for (const { mode, stopped } of results) if (stopped !== undefined) print(`${mode} was broken off: ${stopped}`);
    return results;
  } finally {
    await core.stop();
  }
}

function requireAll(results, print) {
  const failed = results.flatMap(({ mode, wrong, deadFirsts, listed, exchanged }) => [
    ...(wrong.length > 0 ? [`${mode} did not get ${wrong.join(', ')} right`] : []),
    ...(listed + exchanged > goals[mode] ? [`${mode} costs more than ${goals[mode]}`] : []),
    ...(deadFirsts.length > 0 ? [`${mode} was shown a tool that cannot work first: ${deadFirsts.join(', ')}`] : []),
  ]);
  if (failed.length === 0) return;
  process.exitCode = 1;
  print(`MISSED: ${failed.join('; ')}.`);
}

function wantedModes() {
  const wanted = option('--modes')?.split(',');
  return taskModes.filter((mode) => wanted?.includes(mode) ?? true);
}

function option(name) {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}
