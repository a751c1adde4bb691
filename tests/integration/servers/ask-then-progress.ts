/** A server of the handshake revisions with one tool that elicits a form first and reports progress afterwards. */
import { anyTool, send, serveRaw } from '../../fixtures/servers/raw/raw-server.ts';

const waiting = new Map<string, () => void>();
let asked = 0;

serveRaw({
  name: 'ask-then-progress',
  listTools: () => ({ tools: [anyTool('work')] }),
  call: ({ params, say }) => {
    const { progressToken } = (params['_meta'] ?? {}) as { progressToken?: unknown };
    const id = `ask-${++asked}`;
    waiting.set(id, () => {
      send({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
      say('worked');
    });
    const form = { message: 'May I?', requestedSchema: { type: 'object', properties: {} } };
    send({ id, method: 'elicitation/create', params: form });
  },
  intercept: ({ id, method }) => {
    if (method !== undefined) return false;
    waiting.get(String(id))?.();
    return true;
  },
});
