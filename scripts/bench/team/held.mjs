/** What sessions and streams that nobody uses cost one replica, in bytes of its heap that are alive. */
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RawHttp } from '../raw-http.mjs';
import { formatTable, verdict } from '../table.mjs';
import { StartedTeam } from './started-team.mjs';

const sessions = 10_000;
const streams = 10_000;
const atOnce = 100;
const mostKB = 25;

export async function measureHeld(print) {
  await using stack = new AsyncDisposableStack();
  const team = await StartedTeam.start({ http: { maxSessions: sessions + 100, maxStreams: streams + 100 } });
  stack.defer(() => team.stop());
  const file = join(tmpdir(), `tooltray-bench-heap-${process.pid}`);
  stack.defer(() => rmSync(file, { force: true }));
  const tells = fileURLToPath(new URL('tells-heap.mjs', import.meta.url));
  const replica = await team.replica({ nodeArgs: ['--import', tells], env: { HEAP_FILE: file } });
  const live = async () => {
    rmSync(file, { force: true });
    process.kill(replica.pid, 'SIGUSR2');
    for (let tries = 0; tries < 300; tries++) {
      await sleep(100);
      const told = read(file);
      if (told > 0) return told;
    }
    throw new Error('The replica did not tell its heap.');
  };
  // What every session shares is there.
  await close(await open(200, () => RawHttp.connect(replica.url, 'legacy', { token: team.token })));
  const empty = await live();
  const held = await open(sessions, () => RawHttp.connect(replica.url, 'legacy', { token: team.token }));
  await close(held);
  const withSessions = await live();
  const listening = await open(streams, async () => {
    const client = await RawHttp.connect(replica.url, 'modern', { token: team.token });
    await client.listen();
    return client;
  });
  const withStreams = await live();
  await close(listening);
  const kB = (bytes, count) => bytes / 1024 / count;
  const [ofSession, ofStream] = [kB(withSessions - empty, sessions), kB(withStreams - withSessions, streams)];
  const mb = (bytes) => Math.round(bytes / 1024 / 1024);
  print(
    formatTable([
      { held: 'nothing', 'live heap MB': mb(empty), 'kB each': '' },
      { held: `${sessions} sessions`, 'live heap MB': mb(withSessions), 'kB each': ofSession.toFixed(1) },
      { held: `and ${streams} streams`, 'live heap MB': mb(withStreams), 'kB each': ofStream.toFixed(1) },
    ]),
  );
  print(`\nkB of live heap, a session: ${verdict(ofSession, mostKB)}; a stream: ${verdict(ofStream, mostKB)}`);
  return { ofSession, ofStream };
}

function read(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}

async function open(count, one) {
  const all = [];
  while (all.length < count) all.push(...(await Promise.all(Array.from({ length: atOnce }, one))));
  return all;
}

/** Connections alone: sessions stay. */
async function close(clients) {
  for (const client of clients) client.close();
  await sleep(500);
}
