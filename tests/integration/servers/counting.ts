/** A server whose tools return their number of calls; `change` makes it list another tool. */
import { anyTool, send, serveRaw } from '../../fixtures/servers/raw/raw-server.ts';

const annotations = { readOnlyHint: true, idempotentHint: true };
const counts = new Map<string, number>();
let changes = 0;

serveRaw({
  name: 'counting',
  listTools: () => ({
    tools: [{ ...anyTool('look'), annotations }, anyTool('write'), anyTool('change'), anyTool(`changed_${changes}`)],
  }),
  call: ({ name, say }) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    if (name === 'change') changes += 1;
    say(`${process.pid} ${count}`);
    if (name === 'change') send({ method: 'notifications/tools/list_changed' });
  },
});
