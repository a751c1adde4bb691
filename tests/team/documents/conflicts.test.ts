/** Conflicts in a team's database: two admins on two replicas, key changes, and moved rows. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { ServerReviews } from '../../../src-main/core/admin/server-reviews.ts';
import type { AppError } from '../../../src-main/core/base/errors.ts';
import type { ServerConfig } from '../../../src-main/core/config/server-config.ts';
import { ConfigStore } from '../../../src-main/core/config/config-store.ts';
import type { ServerManager } from '../../../src-main/core/servers/server-manager.ts';
import { PinRegistry } from '../../../src-main/core/trust/pins/pin-registry.ts';
import type { ServerPins } from '../../../src-main/core/trust/pins/server-pins.ts';
import { connect } from '../../../src-main/team/database/database.ts';
import { AppAccessStore } from '../../../src-main/core/security/app-access.ts';
import type { TeamDocuments } from '../../../src-main/team/documents/team-documents.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { openReplica, someKey } from './replicas.ts';

const offer = (description: string) => ({ tools: [{ name: 'read', description }], prompts: [], resourceTemplates: [] });

async function pinsOf(records: TeamDocuments, onHeld: () => void = () => undefined): Promise<ServerPins> {
  const ignore = (): void => undefined;
  const rules = { onPassed: ignore, onHeld, onDecided: ignore, onWarning: ignore };
  const book = new PinRegistry(records.pins(), { ...rules, onChange: () => 'hold', now: () => 5 });
  const config = { kind: 'http', name: 'notes', url: 'https://notes.example/mcp', headers: {} };
  const pins = book.of(config as unknown as ServerConfig);
  if (pins === undefined) throw new Error('no pins');
  await pins.evaluate(offer('Reads.'), undefined);
  await pins.evaluate(offer('Reads, and tells everyone.'), undefined);
  return pins;
}

test('of two admins on two replicas one decides about a server, and the other gets an error', async () => {
  const url = await teamDatabase();
  const both = await Promise.all([openReplica(url), openReplica(url)]);
  let noted = 0;
  const opened = both.map(({ records }) => pinsOf(records, () => noted++));
  const [here, there] = (await Promise.all(opened)) as [ServerPins, ServerPins];
  const id = here.pendingReview?.id ?? '';
  expect([there.pendingReview?.id, noted]).toEqual([id, 1]);
  const decided = await Promise.allSettled([
    here.decide('accept', 'dashboard', id),
    there.decide('keep', 'dashboard', id),
  ]);
  const refused = decided.flatMap((one) => (one.status === 'rejected' ? [one.reason as AppError] : []));
  expect(refused.map(({ code, message }) => [code, message])).toEqual([
    ['not_allowed', 'The definitions of notes changed during the review.'],
  ]);
  // A decision on one replica applies on the other, too.
  const standing = ({ decisions, heldChanges }: ServerPins): unknown => [decisions, heldChanges.length];
  await expect
    .poll(() => [here.decisions.length, isDeepStrictEqual(standing(here), standing(there))])
    .toEqual([1, true]);
});

test('shares the tools listed by an admin’s inspection with every replica', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-looks-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'config.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { notes: { command: 'notes', quarantined: true } } }));
  const url = await teamDatabase();
  const look = {
    at: 5,
    isDone: true,
    sentence: 'It lists 1 tool.',
    tools: 1,
    rules: [],
    isGrave: false,
    parts: [],
    moreParts: 0,
  };
  const reviewsOf = async (): Promise<ServerReviews> => {
    const { records } = await openReplica(url);
    return new ServerReviews({
      config: await ConfigStore.open(file, {}),
      servers: {} as ServerManager,
      history: { add: () => Promise.resolve('d') },
      looks: { preview: () => Promise.resolve(look) },
      note: () => undefined,
      document: await records.document('looks'),
    });
  };
  const [here, there] = [await reviewsOf(), await reviewsOf()];
  let told = 0;
  there.previewed.on(() => told++);
  const before = await there.find('notes');
  const { id } = await here.preview('notes', before.id);
  await expect.poll(() => told).toBe(1);
  expect(await there.find('notes')).toMatchObject({ id, look, status: 'in-review' });
  expect(id).not.toBe(before.id);
});

test('isolates users, and rejects a row moved to another place', async () => {
  const a = await openReplica(await teamDatabase());
  const accessOf = async ({ records }: typeof a, user: string): Promise<AppAccessStore> =>
    new AppAccessStore((await records.records('app-access', user)).open);
  const { token = '' } = await (await accessOf(a, 'ada')).grant('cursor', true);
  expect((await accessOf(a, 'bob')).accepts('cursor', token)).toBe(false);
  const [row] = await a.database.sql<{ value: string }[]>`SELECT value FROM tooltray.documents`;
  expect(row?.value).not.toContain('cursor');
  await a.database.sql`
    INSERT INTO tooltray.documents (owner, name, value)
    SELECT 'eve', name, value FROM tooltray.documents`;
  await expect(accessOf(a, 'eve')).rejects.toMatchObject({ code: 'secret_locked' });
});

test('opens documents of an older key after a key is added, and none without a key', async () => {
  const url = await teamDatabase();
  const key = Buffer.alloc(32, 9);
  const before = await openReplica(url);
  await (await before.records.document('proposals')).change(() => [['one'], undefined]);
  const after = await openReplica(url, [key, someKey]);
  const document = await after.records.document('proposals');
  expect(await document.read()).toEqual(['one']);
  await document.change(() => [['two'], undefined]);
  const later = await openReplica(url, [key]);
  expect(await (await later.records.document('proposals')).read()).toEqual(['two']);
  await expect(before.rows.read({ owner: '', name: 'proposals' })).rejects.toMatchObject({
    code: 'secret_locked',
  });
});

test('rotates documents to the first key, and keeps their versions', async () => {
  const url = await teamDatabase();
  const key = Buffer.alloc(32, 9);
  const before = await openReplica(url);
  await (await before.records.document('proposals')).change(() => [['one'], undefined]);
  const both = await openReplica(url, [key, someKey]);
  const document = await both.records.document('proposals');
  expect(await both.rows.rotate()).toBe(1);
  const after = await openReplica(url, [key]);
  expect(await (await after.records.document('proposals')).read()).toEqual(['one']);
  // A change of a document that was read before the rotation applies.
  await document.change((value) => [[...(value as string[]), 'two'], undefined]);
  await expect.poll(async () => (await after.records.document('proposals')).read()).toEqual(['one', 'two']);
});

test('serves known data during a lost connection, and then receives the changes', async () => {
  const url = await teamDatabase();
  const [one, other] = [await openReplica(url), await openReplica(url)];
  const [here, there] = [await one.records.document('proposals'), await other.records.document('proposals')];
  await here.change(() => [['one'], undefined]);
  await expect.poll(() => there.read()).toEqual(['one']);
  const owner = connect({ url, most: 1 });
  onTestFinished(() => owner.end());
  await owner`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  expect(await there.read()).toEqual(['one']);
  await expect
    .poll(() =>
      here
        .change(() => [['two'], undefined])
        .then(
          () => true,
          () => false,
        ),
    )
    .toBe(true);
  await expect.poll(() => there.read()).toEqual(['two']);
});
