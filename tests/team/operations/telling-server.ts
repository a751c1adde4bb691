/** Its one tool says in which trace it was called. */
import { anyTool, serveRaw } from '../../fixtures/servers/raw/raw-server.ts';

serveRaw({
  name: 'telling',
  listTools: () => ({ tools: [anyTool('trace')] }),
  call: ({ params, say }) => say(String((params['_meta'] as { traceparent?: string } | undefined)?.traceparent)),
});
