/** A server with instructions in its handshake. */
import { anyTool, serveRaw } from '../../fixtures/servers/raw/raw-server.ts';

serveRaw({
  name: 'talking',
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'talking', version: '1.0.0' },
    instructions: 'Say please.',
  }),
  listTools: () => ({ tools: [anyTool('talk')] }),
  call: ({ say }) => say('hello'),
});
