/** One task with one model: turns until it calls nothing more. */
import { textOf } from '../tokens/scripted-session.mjs';

/** A model that has not finished after so many turns has failed. */
export const maxTurns = 40;

const rules =
  'Do the task with the tools, without asking anything. When it is done, answer with one short sentence and call nothing more.';

/**
 * `tools`: `{list, instructions, call(name, args)}`. Resolves with `{turns, calls, errors, usage, stopped}`; `stopped`
 * says why the model did not finish.
 */
export async function runTask(endpoint, tools, task) {
  const system = [rules, tools.instructions].filter(Boolean).join('\n\n');
  const messages = [{ role: 'user', text: task }];
  const done = { turns: 0, calls: 0, errors: 0, usage: { input: 0, output: 0 }, stopped: undefined };
  try {
    while (done.turns < maxTurns) {
      const { text, calls, usage } = await endpoint.next({ system, messages, tools: tools.list });
      done.turns++;
      done.usage.input += usage.input;
      done.usage.output += usage.output;
      if (calls.length === 0) return done;
      messages.push({ role: 'assistant', text, calls });
      const results = [];
      for (const { id, name, args } of calls) {
        const result = await tools.call(name, args);
        done.calls++;
        if (result.isError) done.errors++;
        results.push({ id, text: result.text });
      }
      messages.push({ role: 'results', results });
    }
    return { ...done, stopped: `not finished after ${maxTurns} turns` };
  } catch (error) {
    return { ...done, stopped: error.message };
  }
}

/** The tools of one or several clients; `prefix` puts the server's name before each tool, as apps do. */
export async function toolsOf(clients, { prefix = false } = {}) {
  const byName = new Map();
  const instructions = [];
  for (const [server, client] of Object.entries(clients)) {
    const introduction = await client.initialize();
    if (typeof introduction.instructions === 'string') instructions.push(introduction.instructions);
    for (const { name, description = '', inputSchema } of await client.listTools()) {
      const listed = (prefix ? `${server}__${name}` : name).replaceAll(/[^\w-]/g, '_').slice(0, 64);
      byName.set(listed, { client, name, definition: { name: listed, description, inputSchema } });
    }
  }
  return {
    list: [...byName.values()].map(({ definition }) => definition),
    instructions: instructions.join('\n\n'),
    async call(listed, args) {
      const found = byName.get(listed);
      if (found === undefined) return { text: `There is no tool ${listed}.`, isError: true };
      try {
        const result = await found.client.request('tools/call', { name: found.name, arguments: args });
        return { text: textOf(result), isError: result.isError === true };
      } catch (error) {
        return { text: error.message, isError: true };
      }
    },
  };
}
