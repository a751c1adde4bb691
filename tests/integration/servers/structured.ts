/** A server whose only tool has an output schema, and returns the requested number of rows. */
import { serveRaw } from '../../fixtures/servers/raw/raw-server.ts';

const row = { type: 'object', properties: { id: { type: 'integer' }, text: { type: 'string' } }, required: ['id'] };
const outputSchema = { type: 'object', properties: { rows: { type: 'array', items: row } }, required: ['rows'] };

serveRaw({
  name: 'structured',
  listTools: () => ({
    tools: [{ name: 'rows', description: 'Rows.', inputSchema: { type: 'object' }, outputSchema }],
  }),
  call: ({ args, reply }) => {
    const rows = Array.from({ length: Number(args['count']) }, (_, id) => ({ id, text: 'x'.repeat(100) }));
    const structuredContent = { rows };
    reply({ content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent });
  },
});
