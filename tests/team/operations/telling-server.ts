/** A server with one tool, which returns the trace context of its call. */
import { anyTool, serveRaw } from '../../fixtures/servers/raw/raw-server.ts';

serveRaw({
  name: 'telling',
  listTools: () => ({ tools: [anyTool('trace')] }),
  call: ({ params, say }) => say(String((params['_meta'] as { traceparent?: string } | undefined)?.traceparent)),
});
