/** The same uses without Tooltray: every server on its own line, every tool in the list. */
import { ScriptedSession } from './scripted-session.mjs';

/** The servers that start, and why the others do not. */
export async function listedAlone(servers) {
  const left = [];
  const good = {};
  for (const [name, server] of Object.entries(servers)) {
    try {
      await (await open(server)).close();
      good[name] = server;
    } catch (error) {
      left.push({ name, reason: error.message });
    }
  }
  return { servers: good, left };
}

export async function directSession(servers, uses) {
  const sum = { tools: [], listed: 0, instructions: 0, discovery: 0, calls: 0, results: 0, misses: 0 };
  for (const [name, server] of Object.entries(servers)) {
    const session = await open(server);
    try {
      for (const { tool, args } of uses.filter((use) => use.server === name)) await session.use(tool, args);
    } finally {
      await session.close();
    }
    sum.tools.push(...session.tools);
    for (const key of ['listed', 'instructions', 'calls', 'results']) sum[key] += session[key];
  }
  return sum;
}

function open({ command, args, env }) {
  return ScriptedSession.open([command, ...args], { ...process.env, ...env });
}
