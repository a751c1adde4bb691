/**
 * A connection lost in a transaction fails that transaction, not the process; a silent connection is lost, too; and a
 * server that accepts connections and closes them is unreachable (scripts/mended-postgres.ts).
 */
import { type AddressInfo, connect as dial, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../src-main/team/database/database.ts';
import { startReplica } from '../../support/start-replica.ts';
import { openTeamDatabase, teamDatabase } from '../../support/team-database.ts';

test('rejects a transaction whose connection ended, and runs the next query on another one', async () => {
  const url = await teamDatabase();
  const [sql, owner] = [connect({ url, most: 1 }), connect({ url, most: 1 })];
  onTestFinished(() => Promise.all([sql.end(), owner.end()]).then(() => undefined));
  for (let time = 0; time < 3; time++) {
    const lost = sql.begin(async (work) => {
      const [row] = await work<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
      await owner`SELECT pg_terminate_backend(${row?.pid ?? 0}, 5000)`;
      // Like a transaction that notices late: its ROLLBACK is sent on a lost connection.
      await work`SELECT 1`.catch(() => undefined);
      await work`SELECT 2`;
    });
    await expect(lost).rejects.toMatchObject({
      code: expect.stringMatching(/^(CONNECTION_|57P01|ECONN|EPIPE)/) as string,
    });
    expect([...(await sql`SELECT 3 AS three`)]).toEqual([{ three: 3 }]);
  }
});

async function isAsleep(url: string): Promise<boolean> {
  const sql = connect({ url, most: 1 });
  const rows = await sql`SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`;
  await sql.end();
  return rows.length > 0;
}

test('rejects queries after a database is dropped, and closes the pool', async () => {
  const { url, drop } = await openTeamDatabase();
  const sql = connect({ url, most: 1 });
  const under = sql`SELECT pg_sleep(600)`.execute();
  await expect.poll(() => isAsleep(url)).toBe(true);
  const lost = expect(under).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  await drop();
  await lost;
  for (let time = 0; time < 3; time++) await expect(sql`SELECT 1`).rejects.toMatchObject({ code: '3D000' });
  await sql.end();
});

/** Accepts connections, and closes them immediately or after the first data. */
async function closing(how: 'at once' | 'when asked' = 'at once') {
  let knocks = 0;
  const door = createServer((socket) => {
    knocks++;
    socket.on('error', () => undefined);
    if (how === 'at once') socket.end();
    else socket.once('data', () => socket.end());
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void door.close());
  return { at: `127.0.0.1:${(door.address() as AddressInfo).port}`, knocks: () => knocks };
}

test.each(['at once', 'when asked'] as const)(
  'reports a server that closes connections %s as unreachable, also among several hosts',
  async (how) => {
    const [one, other] = [await closing(how), await closing(how)];
    const anyOf = connect({ url: `postgres://nobody@${one.at},${other.at}/none`, most: 1 });
    const writable = connect({ url: `postgres://nobody@${one.at}/none?target_session_attrs=read-write`, most: 1 });
    const plain = connect({ url: `postgres://nobody@${one.at}/none`, most: 1 });
    onTestFinished(() => Promise.all([anyOf, writable, plain].map((sql) => sql.end())).then(() => undefined));
    const closed = { code: 'CONNECTION_CLOSED' };
    for (let time = 0; time < 3; time++) await expect(plain`SELECT 1`).rejects.toMatchObject(closed);
    expect(one.knocks()).toBe(3);
    for (let time = 0; time < 3; time++) await expect(writable`SELECT 1`).rejects.toMatchObject(closed);
    expect(one.knocks()).toBe(6);
    for (let time = 0; time < 3; time++) await expect(anyOf`SELECT 1`).rejects.toMatchObject(closed);
    expect([one.knocks(), other.knocks()]).toEqual([9, 3]);
  },
);

test('closes a pool during its last connection’s end, after every query is settled', async () => {
  const { at, knocks } = await closing('when asked');
  const sql = connect({ url: `postgres://nobody@${at}/none`, most: 1 });
  const asked = [1, 2, 3].map((n) => sql`SELECT ${n}::int`.then(String, ({ code }: { code: string }) => code));
  // Immediately: a moment later the next one has connected.
  while (knocks() === 0) await new Promise((resolve) => setImmediate(resolve));
  await sql.end();
  expect(await Promise.all(asked)).toEqual(Array(3).fill('CONNECTION_CLOSED'));
});

test('connects to the first available of several hosts', async () => {
  const url = new URL(await teamDatabase());
  const gone = createServer();
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
  const { port } = gone.address() as AddressInfo;
  await new Promise((resolve) => gone.close(resolve));
  const hosts = [`127.0.0.1:${port}`, (await closing()).at, (await closing('when asked')).at, url.host];
  for (const wish of ['', '?target_session_attrs=read-write']) {
    const sql = connect({ url: url.href.replace(url.host, hosts.join(',')) + wish, most: 1 });
    onTestFinished(() => sql.end());
    expect([...(await sql`SELECT 1 AS one`)]).toEqual([{ one: 1 }]);
  }
  const standby = connect({ url: `${url.href}?target_session_attrs=standby`, most: 1 });
  onTestFinished(() => standby.end());
  await expect(standby`SELECT 1`).rejects.toMatchObject({ code: 'CONNECTION_DESTROYED' });
  const nobody = connect({ url: `postgres://nobody@${hosts.slice(0, 1).join()},127.0.0.1:${port}/none`, most: 1 });
  onTestFinished(() => nobody.end());
  await expect(nobody`SELECT 1`).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test.each([1, 2, 4])(
  'a replica that gets only %i connections at startup fails with store_unreachable',
  async (most) => {
    const door = await inFront(await teamDatabase(), most);
    await expect(startReplica(door.url, { servers: {} })).rejects.toMatchObject({ code: 'store_unreachable' });
  },
);

/** A proxy in front of a server that accepts a limited number of connections, and can be made silent. */
async function inFront(url: string, most = Infinity): Promise<{ readonly url: string; readonly beQuiet: () => void }> {
  const { hostname, port } = new URL(url);
  const pairs: [Socket, Socket][] = [];
  const door = createServer((front) => {
    if (pairs.length >= most) return void front.on('error', () => undefined).end();
    const behind = dial(Number(port), hostname);
    for (const [one, other] of [[front, behind] as const, [behind, front] as const])
      one.on('error', () => undefined).on('close', () => other.destroy());
    front.pipe(behind).pipe(front);
    pairs.push([front, behind]);
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    door.close();
    for (const [front] of pairs) front.destroy();
  });
  const at = new URL(url);
  at.port = String((door.address() as AddressInfo).port);
  const beQuiet = (): void => {
    for (const [front, behind] of pairs.splice(0)) {
      front.unpipe();
      behind.unpipe();
      front.resume();
    }
  };
  return { url: at.href, beQuiet };
}

test('ends a query to a silent server after its statement timeout, but not an idle connection', async () => {
  const url = await teamDatabase();
  const quiet = await inFront(url);
  const [sql, other] = [connect({ url: quiet.url, most: 1 }, { statement_timeout: 600 }), connect({ url, most: 1 })];
  onTestFinished(async () => void (await Promise.all([sql.end({ timeout: 0 }), other.end()])));
  const pid = async (): Promise<unknown> => (await sql`SELECT pg_backend_pid() AS pid`)[0]?.['pid'];
  const first = await pid();
  // The limit is enforced by the server while it responds; the client's is far larger.
  await sql`SET statement_timeout = 100`;
  await expect(sql`SELECT pg_sleep(600)`).rejects.toMatchObject({ code: '57014' });
  await sql`SET statement_timeout = 600`;
  // It idles for longer than the response timeout.
  await other`SELECT pg_sleep(0.9)`;
  expect(await pid()).toBe(first);
  quiet.beQuiet();
  await expect(sql`SELECT 1`).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  expect(await pid()).not.toBe(first);
});
