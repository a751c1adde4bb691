/**
 * A server whose answers carry the mark of whoever asked, and which notes each run in the file LOG by the id of its call: `note` answers at
 * once, `long` with more than fits, `slow` after a while (ms), `ask` with what a form was answered.
 */
import { appendFileSync } from 'node:fs';
import { anyTool, send, serveRaw } from '../../fixtures/servers/raw/raw-server.ts';

const log = process.argv[2] ?? '';
const asking = new Map<unknown, (answer: unknown) => void>();
const lines = 300;

serveRaw({
  name: 'marking',
  listTools: () => ({ tools: ['note', 'long', 'slow', 'ask'].map((name) => anyTool(name)) }),
  call: ({ name, args, say }) => {
    const id = String(args['id']);
    // One write of a line is whole, whoever else writes.
    appendFileSync(log, `${name} ${id}\n`);
    const mark = `«${id}»`;
    if (name === 'note') say(mark);
    else if (name === 'long') say(Array.from({ length: lines }, (_, at) => `line ${at} of ${mark}`).join('\n'));
    else if (name === 'slow') setTimeout(() => say(mark), Number(args['ms']));
    else {
      const question = `question ${id}`;
      asking.set(question, (answer) => say(`${mark} ${JSON.stringify(answer)}`));
      const form = { message: mark, requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
      send({ id: question, method: 'elicitation/create', params: form });
    }
  },
  intercept: ({ id, method, result, error }) => {
    if (method !== undefined) return false;
    asking.get(id)?.(result ?? error);
    asking.delete(id);
    return true;
  },
});
