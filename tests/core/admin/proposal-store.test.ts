/** Proposals shared by several processes: none is lost or restored, and no app crowds out others. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { FileJsonDocument } from '../../../src-main/core/base/json-document.ts';
import { ProposalStore, type ServerChange } from '../../../src-main/core/admin/server-change.ts';
import { until } from '../../support/until.ts';

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function newFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tooltray-proposals-'));
  folders.push(folder);
  return join(folder, 'data', 'proposals.json');
}

function asked(server: string, app = 'claude'): Parameters<ProposalStore['add']>[0] {
  const changes: ServerChange[] = [{ kind: 'add', server, entry: { command: server } }];
  return { author: { app, sessionId: 's', tool: 'manage_servers' }, changes, bases: { [server]: null } };
}

const sentences = async (store: ProposalStore): Promise<string[]> =>
  (await store.all()).map(({ sentence }) => sentence);

test('keeps what another process added, and does not restore what it decided', async () => {
  const file = await newFile();
  const [core, standalone] = [
    new ProposalStore(new FileJsonDocument(file)),
    new ProposalStore(new FileJsonDocument(file)),
  ];
  const first = await standalone.add(asked('one'));
  expect(await sentences(core)).toEqual(['Add the server "one".']);
  await core.take(first.id);
  await core.add(asked('two'));
  await standalone.add(asked('three'));
  expect(await sentences(core)).toEqual(['Add the server "two".', 'Add the server "three".']);
  await expect(standalone.take(first.id)).rejects.toMatchObject({ code: 'not_found' });
});

test('creates a missing file for watching, and leaves an existing one unchanged', async () => {
  for (const text of [undefined, '[{"id":']) {
    const file = await newFile();
    if (text !== undefined) await mkdir(dirname(file)).then(() => writeFile(file, text));
    const store = new ProposalStore(new FileJsonDocument(file));
    await store.start();
    await store.stop();
    expect(await readFile(file, 'utf8')).toBe(text ?? '[]');
  }
});

test('keeps proposals added at once, and lets only one process decide each', async () => {
  const file = await newFile();
  const stores = [
    new ProposalStore(new FileJsonDocument(file)),
    new ProposalStore(new FileJsonDocument(file)),
    new ProposalStore(new FileJsonDocument(file)),
  ];
  const added = await Promise.all(
    stores.flatMap((store, which) => [1, 2, 3, 4].map((each) => store.add(asked(`s${which}-${each}`)))),
  );
  expect(await stores[0]?.all()).toHaveLength(12);
  const takes = added.flatMap(({ id }) => stores.map((store) => store.take(id)));
  const taken = await Promise.allSettled(takes);
  expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(12);
  expect(await stores[2]?.all()).toEqual([]);
});

test('notifies when another process adds or decides a proposal', async () => {
  const file = await newFile();
  const [core, standalone] = [
    new ProposalStore(new FileJsonDocument(file)),
    new ProposalStore(new FileJsonDocument(file)),
  ];
  let told = 0;
  core.changed.on(() => told++);
  await core.start();
  try {
    const { id } = await standalone.add(asked('one'));
    await until(() => told > 0);
    await standalone.take(id);
    await until(() => told > 1);
  } finally {
    await core.stop();
  }
});

test('rejects further proposals of one app beyond its limit, and accepts those of others', async () => {
  const store = new ProposalStore(new FileJsonDocument(await newFile()));
  for (let each = 0; each < 20; each++) await store.add(asked(`s${each}`));
  await expect(store.add(asked('more'))).rejects.toMatchObject({
    code: 'session_limit',
    text: '20 proposals of this app are already pending. The limit is reached. Ask the user to decide on them: tooltray inbox.',
  });
  expect(await store.add(asked('s3'))).toMatchObject({ sentence: 'Add the server "s3".' });
  expect(await store.add(asked('theirs', 'codex'))).toMatchObject({ sentence: 'Add the server "theirs".' });
});

test('rejects a proposal that is longer than the limit', async () => {
  const store = new ProposalStore(new FileJsonDocument(await newFile()));
  const long: ServerChange = { kind: 'add', server: 'x', entry: { command: 'x', args: ['y'.repeat(200_000)] } };
  await expect(store.add({ ...asked('x'), changes: [long] })).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringMatching(/^This proposal is 200\d+ bytes long; the limit is 65536\.$/) as string,
  });
  expect(await store.all()).toEqual([]);
});

test('stores changes that belong together as one proposal, and returns it when proposed again', async () => {
  const store = new ProposalStore(new FileJsonDocument(await newFile()));
  const kit = { ...asked('a'), changes: [...asked('a').changes, ...asked('b').changes], sentence: 'Load the kit "k".' };
  const first = await store.add(kit);
  expect(await store.add(kit)).toEqual(first);
  expect(await sentences(store)).toEqual(['Load the kit "k".']);
});
