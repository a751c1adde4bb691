/** `doctor` reports problems of a home's files instead of failing, and exits with 1. */
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixtureCommand } from '../../fixtures/spawn-fixture.ts';
import { isProcessRunning } from '../../../src-main/core/base/file-lock.ts';
import { until } from '../../support/until.ts';
import { CliHome } from '../cli-home.ts';

const config = { trustEdits: true, servers: { echo: fixtureCommand('echo') } };

interface Finding {
  readonly id: string;
  readonly level: string;
  readonly summary: string;
  readonly text: string;
}

/** A used home whose core has ended. */
let template: CliHome;

beforeAll(async () => {
  template = new CliHome();
  template.writeConfig(config);
  const { pid } = await template.serve();
  await template.run('call', 'echo:echo', '{"message":"x"}');
  process.kill(Number(pid), 'SIGTERM');
  await until(() => !isProcessRunning(Number(pid)));
});

afterAll(() => template[Symbol.asyncDispose]());

function usedHome(): CliHome {
  const home = new CliHome();
  cpSync(template.path, home.path, { recursive: true });
  // Copies of folders have default permissions.
  chmodSync(join(home.path, 'run'), 0o700);
  return home;
}

async function problems(home: CliHome): Promise<readonly Finding[]> {
  const { code, data } = await home.json('doctor');
  const found = (data['findings'] as Finding[]).filter(({ level }) => level === 'problem');
  expect(code).toBe(found.length > 0 ? 1 : 0);
  return found;
}

const damages: readonly [what: string, damage: (home: string) => void, id: RegExp][] = [
  ['a database that was set aside', (home) => writeFileSync(join(home, 'data/activity.db.corrupt'), 'x'), /activity/],
  ['a database of a newer version', (home) => newer(join(home, 'data/activity.db')), /activity/],
  ['a damaged audit log', (home) => damageAudit(join(home, 'data/audit')), /^file-.*audit/],
  ['a damaged record of accepted definitions', (home) => damageFirst(join(home, 'data/pins')), /^file-.*pins/],
  [
    'a damaged record of what was agreed to',
    (home) => writeFileSync(join(home, 'data/accepted-config.json'), '{"ser'),
    /accepted-config/,
  ],
  ['damaged proposals', (home) => writeFileSync(join(home, 'data/proposals.json'), '[{'), /^file-.*proposals/],
  [
    'a damaged record of decisions',
    (home) => writeFileSync(join(home, 'data/decisions.json'), ''),
    /^file-.*decisions/,
  ],
  ['a damaged list of access', (home) => writeFileSync(join(home, 'data/app-access.json'), '{'), /^file-.*app-access/],
  ['a config that cannot be read', (home) => makeFolder(join(home, 'config.json')), /^failed-config$/],
  ['a config that is gone', (home) => rmSync(join(home, 'config.json')), /^config$/],
  ['a folder that is a file', (home) => makeFile(join(home, 'cache')), /^folder-.*cache/],
  ['a run folder that others can reach', (home) => chmodSync(join(home, 'run'), 0o755), /^file-.*run$/],
  ['data that leads nowhere', (home) => makeDeadLink(join(home, 'data')), /^folder-.*data$/],
  ['proposals that wait', (home) => writeFileSync(join(home, 'data/proposals.json'), '[{}]'), /^inbox-proposals$/],
];

test('reports no problem in a healthy home', async () => {
  await using home = usedHome();
  expect(await problems(home)).toEqual([]);
});

test.each(damages)('finds %s', async (_what, damage, id) => {
  await using home = usedHome();
  damage(home.path);
  expect((await problems(home)).map((finding) => finding.id)).toContainEqual(expect.stringMatching(id));
});

test('finds a server in review and one that lacks a secret while no core runs', async () => {
  await using home = new CliHome();
  const lacking = { command: 'node', args: ['x.js'], env: { KEY: '${secret:NOT_SET}' } };
  home.writeConfig({ servers: { q: { command: 'node', args: ['x.js'], quarantined: true }, lacking } });
  const { data } = await home.json('doctor');
  const found = data['findings'] as Finding[];
  expect(found).toContainEqual(expect.objectContaining({ id: 'inbox-review-q', level: 'problem' }));
  expect(JSON.stringify(found.filter(({ id }) => id === 'server-lacking'))).toContain('Needs setup');
});

test('names the command that sets a missing secret once, while a core runs and while none does', async () => {
  await using home = new CliHome();
  const lacking = { command: 'node', args: ['x.js'], env: { KEY: '${secret:NOT_SET}' } };
  home.writeConfig({ servers: { lacking } });
  const times = async (): Promise<number[]> => {
    const lines = (await home.run('doctor')).stdout.split('\n').filter((line) => line.includes('lacking: Needs setup'));
    return lines.map((line) => line.split('tooltray secret set NOT_SET').length - 1);
  };
  expect(await times()).toEqual([1]);
  await home.serve();
  expect(await times()).toEqual([1]);
});

test('restores a missing config with --fix', async () => {
  await using home = usedHome();
  rmSync(home.configFile);
  const { data } = await home.json('doctor', '--fix');
  expect(data['findings']).not.toContainEqual(expect.objectContaining({ level: 'problem' }));
  expect(home.configText()).toContain('"echo"');
});

test('finds the same as the Overview while a core runs', async () => {
  await using home = usedHome();
  await home.serve();
  writeFileSync(join(home.path, 'data/activity.db.corrupt'), 'x');
  expect((await problems(home)).map(({ id }) => id)).toEqual([expect.stringMatching(/^file-.*activity\.db\.corrupt$/)]);
});

test('shows the names of secrets in its own sentences', async () => {
  await using home = new CliHome();
  const url = 'http://127.0.0.1:9/mcp';
  home.writeConfig({ trustEdits: true, servers: { web: { url, headers: { Authorization: '${env:MY_API_KEY}' } } } });
  const { stdout } = await home.run('doctor');
  expect(stdout).toContain('MY_API_KEY');
  expect(stdout).not.toContain('***');
});

function newer(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA user_version = 99');
  database.close();
  writeFileSync(file.replace('.db', '.v1.db'), '');
}

function damageAudit(folder: string): void {
  const [segment = ''] = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  writeFileSync(join(folder, segment), 'no record\n'.repeat(3));
}

function damageFirst(folder: string): void {
  const [first = ''] = readdirSync(folder);
  writeFileSync(join(folder, first), '{"version":1,');
}

function makeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path);
}

function makeFile(path: string): void {
  rmSync(path, { recursive: true, force: true });
  writeFileSync(path, '');
}

function makeDeadLink(path: string): void {
  rmSync(path, { recursive: true, force: true });
  symlinkSync(join(path, '../nowhere'), path);
}
