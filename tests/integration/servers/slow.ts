/**
 * A server of the handshake revisions whose tool `work` waits until a file exists, and returns its contents. Events
 * are recorded in the file LOG. With `FILE.step`, which it deletes, it reports progress; with `ask` it elicits a form
 * first.
 */
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { anyTool, send, serveRaw } from '../../fixtures/servers/raw/raw-server.ts';

const log = process.argv[2] ?? '';
const note = (line: string): void => appendFileSync(log, `${line}\n`);
const running = new Map<unknown, NodeJS.Timeout>();
const asking = new Map<unknown, (answer: unknown) => void>();

serveRaw({
  name: 'slow',
  listTools: () => ({
    tools: [{ ...anyTool('work'), outputSchema: { type: 'object', properties: {} } }, anyTool('die')],
  }),
  call: ({ id, name, args, params, reply, say }) => {
    note(name);
    if (name === 'die') process.exit(1);
    const { progressToken } = (params['_meta'] ?? {}) as { progressToken?: unknown };
    const file = String(args['file']);
    const finish = (): void => say(readFileSync(file, 'utf8'));
    const ask = (): void => {
      asking.set(`ask-${id}`, (answer) => reply({ content: [{ type: 'text', text: JSON.stringify(answer) }] }));
      const form = { message: 'May I?', requestedSchema: { type: 'object', properties: {} } };
      send({ id: `ask-${id}`, method: 'elicitation/create', params: form });
      note('asked');
    };
    const look = (): void => {
      if (progressToken !== undefined && existsSync(`${file}.step`)) {
        rmSync(`${file}.step`);
        const progress = { progressToken, progress: 1, total: 2, message: 'half' };
        send({ method: 'notifications/progress', params: progress });
      }
      if (!existsSync(file)) return;
      clearInterval(running.get(id));
      if (args['ask'] === true) ask();
      else finish();
    };
    running.set(id, setInterval(look, 5));
  },
  intercept: ({ id, method, params, result, error }) => {
    if (method === 'notifications/cancelled') {
      clearInterval(running.get(params?.['requestId']));
      note('cancelled');
    }
    if (method !== undefined) return method === 'notifications/cancelled';
    asking.get(id)?.(result ?? error);
    return true;
  },
});
