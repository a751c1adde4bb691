/** A server whose lists are those of the JSON file named by its first argument; each tool returns its own name. */
import { readFileSync } from 'node:fs';
import { send, serveRaw } from '../../fixtures/servers/raw/raw-server.ts';

const lists = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Record<string, unknown>;
const keys = new Map([
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
  ['prompts/list', 'prompts'],
]);

serveRaw({
  name: 'listed',
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {}, prompts: {} },
    serverInfo: { name: 'listed', version: '1.0.0' },
  }),
  listTools: () => ({ tools: lists['tools'] ?? [] }),
  call: ({ name, say }) => say(`called ${name}`),
  intercept: ({ id, method = '' }) => {
    const key = keys.get(method);
    if (key === undefined || id === undefined) return false;
    send({ id, result: { [key]: lists[key] ?? [] } });
    return true;
  },
});
