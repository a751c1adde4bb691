/**
 * A process of its own that calls tools through shims, so many a second: told `{rate, seconds}`, it answers
 * `{calls, failed, seconds}`. Arguments: the shim's file, and how many client apps there are.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StdioClient } from '../stdio-client.mjs';

const [shim, apps] = process.argv.slice(2);
const beatMs = 5;
/** However slow the core is: so many calls wait for it at most. */
const mostInFlight = 1000;

const clients = [];
for (let app = 0; app < Number(apps); app++) {
  const client = new StdioClient([process.execPath, shim, '--app', app % 2 === 0 ? 'cursor' : 'claude-desktop']);
  await client.initialize();
  clients.push(client);
}
process.on('message', (wish) => void callAll(wish).then((done) => process.send(done)));
process.once('disconnect', () => void Promise.all(clients.map((client) => client.close())));
process.send('ready');

async function callAll({ rate, seconds }) {
  const begun = performance.now();
  const pending = new Set();
  let [calls, failed] = [0, 0];
  for (let passed = 0; passed < seconds * 1000; passed = performance.now() - begun) {
    const due = Math.floor((passed * rate) / 1000);
    while (calls < due && pending.size < mostInFlight) {
      const call = callOnce(calls++).catch(() => failed++);
      pending.add(call);
      void call.finally(() => pending.delete(call));
    }
    await sleep(beatMs);
  }
  await Promise.all(pending);
  return { calls, failed, seconds: (performance.now() - begun) / 1000 };
}

/** Now and then one that goes wrong, and one that says why it is made. */
function callOnce(number) {
  const tool = number % 50 === 0 ? 'tracker_close_issue' : number % 3 === 0 ? 'tracker_list_issues' : 'echo_echo';
  const args = tool === 'echo_echo' ? { message: `hello ${number}` } : { count: 2, number };
  return clients[number % clients.length].request('tools/call', { name: tool, arguments: args });
}
