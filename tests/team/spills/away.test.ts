/** Spills while the database or the object store is down: nothing is lost, no call waits for long, and both recover. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startObjects } from '../../../scripts/team/engines/s3.ts';
import { S3BlobStore } from '../../../src-main/team/spills/s3-blob-store.ts';
import { parseS3Config } from '../../../src-main/team/spills/s3-config.ts';
import { codeOf, keepText, originOf, textOf } from '../../core/spills/spill-store-contract.ts';
import { textResult } from '../../core/spills/spill-fixture.ts';
import { objectsEnv, teamObjects } from '../../support/team-objects.ts';
import { tcpDoor } from '../../support/tcp-door.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { filesOf, memberOf, openReplica, type Replica } from './team-fixture.ts';

const ann = memberOf('ann');
const origin = originOf(ann);

/** Number of unreadable spills: orphaned or in progress. */
async function unreadable({ database }: Replica): Promise<number> {
  const [row] = await database.sql`SELECT count(*)::int AS count FROM tooltray.answers WHERE state <> 'kept'`;
  return (row as { count: number }).count;
}

test('while its object store is down, rejects new spills, reads local ones, and then recovers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-s3-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const engine = await startObjects({ folder });
  onTestFinished(() => engine.stop());
  const url = await teamDatabase();
  const objects = new S3BlobStore(parseS3Config(engine.address, engine.env));
  const [a, b] = [await openReplica(url, { objects, pauseMs: 0 }), await openReplica(url, { objects, pauseMs: 0 })];
  await objects.probe();
  const { id } = await keepText(a.store, 'kept before', origin);
  const files = filesOf(a);
  await engine.stop();
  const failed = await a.store.spill(textResult('kept never'), origin).catch((error: unknown) => error);
  expect(failed).toMatchObject({
    code: 'spill_failed',
    message: expect.stringContaining('object store') as string,
  });
  expect(JSON.stringify(failed)).not.toContain(folder);
  expect(filesOf(a)).toEqual(files);
  await expect(objects.probe()).rejects.toMatchObject({ code: 'store_unreachable' });
  expect([await codeOf(b.store.open(id, ann)), await textOf(a.store, id, ann)]).toEqual([
    'store_unreachable',
    'kept before',
  ]);
  expect((await a.store.list({}, ann)).map((spill) => spill.id)).toEqual([id]);
  await engine.start();
  expect([await textOf(b.store, id, ann), (await keepText(a.store, 'kept again', origin)).bytes]).toEqual([
    'kept before',
    10,
  ]);
  // What could not be undone is found by the next retention pass.
  await a.database.sql`UPDATE tooltray.answers SET changed_at = now() - interval '2 hours' WHERE state <> 'kept'`;
  await b.store.prune();
  expect(await unreadable(a)).toBe(0);
});

test('an object store that accepts connections but never responds delays only one call', async () => {
  const address = await teamObjects();
  const engine = new URL(address.endpoint);
  const door = await tcpDoor(engine.hostname, Number(engine.port));
  engine.port = String(door.port);
  const asked: string[] = [];
  const ask: typeof fetch = (input, init) => {
    asked.push(init?.method ?? 'GET');
    return fetch(input, init);
  };
  const objects = new S3BlobStore({ ...address, endpoint: engine.href }, { fetch: ask, requestMs: 60_000 });
  const { store } = await openReplica(await teamDatabase(), { objects, keepMs: 200, pauseMs: 60_000 });
  door.hold();
  asked.length = 0;
  for (let call = 0; call < 6; call++)
    expect(await codeOf(store.spill(textResult(`call ${call}`), origin))).toBe('spill_failed');
  // Undoing the first one sends requests as well, later.
  expect(asked.filter((method) => method === 'PUT')).toHaveLength(1);
  await door.reopen();
});

test('while its database is down, neither spills nor reads, and then recovers', async () => {
  const url = new URL(await teamDatabase());
  const door = await tcpDoor(url.hostname, Number(url.port));
  const own = new URL(url);
  own.port = String(door.port);
  const { store } = await openReplica(own.href, { objects: new S3BlobStore(await teamObjects()), pauseMs: 0 });
  const { id } = await keepText(store, 'kept before', origin);
  await door.shut();
  expect(await codeOf(store.spill(textResult('kept never'), origin))).toBe('spill_failed');
  expect([await codeOf(store.open(id, ann)), await codeOf(Promise.resolve(store.list({}, ann)))]).toEqual([
    'store_unreachable',
    'store_unreachable',
  ]);
  store.noteRead({ id });
  await door.reopen();
  await expect.poll(() => codeOf(textOf(store, id, ann))).toBe('none');
  await expect.poll(() => codeOf(store.spill(textResult('kept again'), origin))).toBe('none');
  expect((await store.list({}, ann)).length).toBe(2);
});

test('distinguishes a missing bucket and a wrong key from an unreachable store', async () => {
  const { origin: engine } = new URL((await teamObjects()).endpoint);
  const bucket = new S3BlobStore(parseS3Config(`s3://no-such-bucket?endpoint=${engine}`, objectsEnv));
  const { store } = await openReplica(await teamDatabase(), { objects: bucket });
  expect(await codeOf(store.spill(textResult('kept never'), origin))).toBe('spill_failed');
  const forged = { ...(await teamObjects()), accessKeyId: 'NOBODY' };
  await expect(new S3BlobStore(forged).probe()).rejects.toThrow('403');
});

test('parses addresses of object stores, and rejects credentials in them', () => {
  const own = { TOOLTRAY_OBJECTS_KEY_ID: 'S3RVER', TOOLTRAY_OBJECTS_KEY: 'S3RVER' };
  expect(parseS3Config('s3://b/team/x/?endpoint=http://s3:9000/&region=eu', own)).toEqual({
    endpoint: 'http://s3:9000/b',
    region: 'eu',
    prefix: 'team/x/',
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
  });
  const aws = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
  expect(parseS3Config('s3://b', aws)).toMatchObject({
    endpoint: 'https://s3.us-east-1.amazonaws.com/b',
    accessKeyId: 'id',
  });
  const wrong: [string, Record<string, string>][] = [
    ['https://b', aws],
    ['s3://id:secret@b', aws],
    ['s3://b?endpoint=ftp://x', aws],
    ['s3://b?secret=x', aws],
    ['s3://b', {}],
    ['s3://b', { ...aws, AWS_SESSION_TOKEN: 'x' }],
  ];
  for (const [text, env] of wrong) {
    let said: unknown;
    try {
      said = parseS3Config(text, env);
    } catch (error) {
      said = error;
    }
    expect(said).toMatchObject({ code: 'bad_request', message: expect.not.stringContaining('secret@') as string });
  }
});
