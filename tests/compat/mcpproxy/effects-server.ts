/** A server whose tools declare their effects, and return their name and arguments. */
import { send, serveRaw } from '../../fixtures/servers/raw/raw-server.ts';

const inputSchema = {
  type: 'object',
  properties: { path: { type: 'string' }, lines: { type: 'integer' } },
  required: ['path'],
};
const hints: Record<string, object | undefined> = {
  look: { readOnlyHint: true },
  edit: { readOnlyHint: false, destructiveHint: false },
  wipe: { destructiveHint: true },
  plain: undefined,
  refuse: undefined,
  fail: undefined,
};

process.stderr.write('effects: listening with token=s3cr3t-value-of-mine\n');

serveRaw({
  name: 'effects',
  listTools: () => ({
    tools: Object.entries(hints).map(([name, annotations]) => ({
      name,
      description: `To ${name} at a thing.`,
      inputSchema,
      ...(annotations && { annotations }),
    })),
  }),
  call: ({ id, name, args, say, reply }) => {
    if (name === 'refuse') send({ id, error: { code: -32602, message: 'bad params' } });
    else if (name === 'fail') reply({ content: [{ type: 'text', text: 'it failed' }], isError: true });
    else say(JSON.stringify({ name, args }));
  },
});
