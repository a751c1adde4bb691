/**
 * A runner in a process of its own that can be stopped and killed: arguments are a database, its name, a folder and a lease in ms. Each line of
 * its input is a tool of Ann's counter to be called, each of its output what came of it.
 */
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { errorText } from '../../../src-main/core/base/errors.ts';
import type { StdioServerConfig } from '../../../src-main/core/config/app-config.ts';
import { ProcessRegistry } from '../../../src-main/core/servers/launch/process-registry.ts';
import { toObject } from '../../../src-main/core/wire/raw-json.ts';
import { Peer } from '../../../src-main/core/wire/peer.ts';
import { Database } from '../../../src-main/team/database/database.ts';
import { Leases } from '../../../src-main/team/placement/leases.ts';
import { localLine } from '../../../src-main/team/placement/local-line.ts';
import { PersonalLaunch } from '../../../src-main/team/placement/personal-launch.ts';
import { PersonalRunner } from '../../../src-main/team/placement/personal-runner.ts';
import { ProcessGuard } from '../../../src-main/team/placement/process-guard.ts';

const [url = '', name = '', folder = '', leaseMs = ''] = process.argv.slice(2);
const person = { tenant: 'main', user: 'ann' };
const database = new Database({ url, most: 2 });
const leases = new Leases({
  sql: (tenant) => database.of(tenant),
  runner: name,
  limits: () => ({ leaseMs: Number(leaseMs), mostPerPerson: 8 }),
});
const launch = new PersonalLaunch({
  ...{ env: process.env, folder, sockets: folder, hidden: { folders: [], files: [] } },
  ...{ registry: new ProcessRegistry(), mask: (text: string) => text },
  readSecret: () => Promise.resolve(undefined),
  readOwn: () => Promise.resolve(undefined),
});
const config: StdioServerConfig = {
  ...{ kind: 'stdio', name: 'counter', enabled: true, lazy: true, idleStopMs: undefined, hash: '1', cwd: undefined },
  ...{ initTimeoutMs: 30_000, callTimeoutMs: 30_000, maxMessageBytes: 1e8, description: undefined, env: {} },
  ...{ isolation: { mode: 'none' }, command: process.execPath },
  args: [join(import.meta.dirname, 'counter-server.ts'), '--stays'],
};
const runner = new PersonalRunner({
  identity: { clientInfo: { name: 'test', version: '1' }, capabilities: {} },
  find: () => config,
  launch: (...launched) => launch.transport(...launched),
  guard: new ProcessGuard(),
  hold: (...held) => leases.hold(...held),
  limits: () => ({ idleMs: 60_000, most: 8 }),
  now: () => performance.now(),
});

createInterface(process.stdin).on('line', (tool) => {
  void call(tool).then(
    (text) => process.stdout.write(`${JSON.stringify({ text })}\n`),
    (error: unknown) => process.stdout.write(`${JSON.stringify({ error: errorText(error) })}\n`),
  );
});

async function call(tool: string): Promise<string> {
  const [front, end] = localLine();
  await runner.serve(end, person, 'counter');
  const peer = new Peer(front, {
    onRequest: () => Promise.resolve({}),
    onNotification: () => undefined,
    onClose: () => undefined,
  });
  await peer.start();
  try {
    const answer = toObject(await peer.request('tools/call', { name: tool, arguments: { ms: 500 } }));
    return (answer['content'] as { text: string }[])[0]?.text ?? '';
  } finally {
    await peer.close();
  }
}
