/**
 * What a model is shown in each mode before it has done anything, and over a typical session of five tool uses, beside
 * what the same costs with every server on its own. Fails where mode `auto` picks what costs more than that.
 */
import { allModes } from '../../../src-main/compat/all-modes.ts';
import { Core } from '../core.mjs';
import { cli, shim } from '../places.mjs';
import { serverSets } from '../server-sets.mjs';
import { formatTable } from '../table.mjs';
import { autoApps, modeOfAuto } from '../tokens/auto-choice.mjs';
import { directSession, listedAlone } from '../tokens/direct-session.mjs';
import { cost, listedRow, sessionRow } from '../tokens/rows.mjs';
import { ScriptedSession } from '../tokens/scripted-session.mjs';
import { modeScripts } from '../tokens/mode-scripts.mjs';

export async function measure(print) {
  await using stack = new AsyncDisposableStack();
  const results = {};
  for (const set of await serverSets(stack)) {
    const { servers, left } = await listedAlone(set.servers);
    for (const { name, reason } of left) print(`LEFT OUT: ${name} did not start: ${reason}`);
    results[set.name] = await measureSet({ ...set, servers }, print);
  }
  return results;
}

async function measureSet(set, print) {
  const direct = await directSession(set.servers, set.uses?.('direct') ?? []);
  const core = await Core.start(cli, set.servers);
  const rows = [];
  try {
    for (const { name } of allModes.modes)
      rows.push({ name, ...(await modeSession(core, name, ['--mode', name], set)) });
    const choices = set.uses === undefined ? [] : await autoSessions(core, set);
    const listed = [
      listedRow('direct', direct, direct, set.peer),
      ...rows.map((row) => listedRow(row.name, row, direct, set.peer)),
    ];
    print(
      `${set.name}: ${Object.keys(set.servers).length} servers, o200k tokens of tools/list and instructions\n\n${formatTable(listed)}\n`,
    );
    if (set.uses === undefined) return { listed };
    const sessions = [{ name: 'direct', ...direct }, ...rows, ...choices].map((row) => sessionRow(row, direct));
    print(`${set.name}: a typical session of 5 tool uses\n\n${formatTable(sessions)}\n`);
    for (const { name, reason } of choices) print(`${name}: ${reason}`);
    requireNoLoss(choices, direct, print);
    return { listed, sessions };
  } finally {
    await core.stop();
  }
}

async function modeSession(core, mode, flags, { uses }) {
  const session = await ScriptedSession.open([process.execPath, shim, ...flags], core.home.env);
  try {
    const script = modeScripts[mode];
    if (uses !== undefined) {
      await script.begin(session);
      for (const use of uses(flags.join(' '))) await script.use(session, use);
    }
    return session;
  } finally {
    await session.close();
  }
}

async function autoSessions(core, set) {
  const sessions = [];
  for (const app of autoApps) {
    const flags = ['--mode', 'auto', '--app', app];
    const { mode, reason } = await modeOfAuto(core, flags, app);
    sessions.push({ name: `auto, ${app}: ${mode}`, reason, ...(await modeSession(core, mode, flags, set)) });
  }
  return sessions;
}

function requireNoLoss(choices, direct, print) {
  const dear = choices.filter((choice) => cost(choice) > cost(direct));
  if (dear.length === 0) return;
  process.exitCode = 1;
  print(`MISSED: dearer than direct: ${dear.map(({ name }) => name).join('; ')}.`);
}
