/** A server that does not announce changes of its list. The tool `toggle` adds or removes `extra`. */
import { anyTool, serveRaw } from '../../fixtures/servers/raw/raw-server.ts';

let extra = false;

serveRaw({
  name: 'quiet-toggle',
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'quiet-toggle', version: '1.0.0' },
  }),
  listTools: () => ({ tools: ['toggle', ...(extra ? ['extra'] : [])].map((name) => anyTool(name)) }),
  call: ({ say }) => {
    extra = !extra;
    say('toggled');
  },
});
