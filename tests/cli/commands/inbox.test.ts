/** The inbox on the command line: list, show, decide by ID, undo. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fixtureCommand } from '../../fixtures/spawn-fixture.ts';
import { CliHome, entries } from '../cli-home.ts';
import { allCases } from '../../support/all-cases.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-cli-inbox-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tool = (name: string, description: string): object => ({ name, description, inputSchema: { type: 'object' } });
const nothing = 'No pending decisions.\n';

async function onlyId(home: CliHome): Promise<string> {
  const items = async (): Promise<{ id: string }[]> =>
    (await home.json('inbox')).data['items'] as { readonly id: string }[];
  await expect.poll(async () => (await items()).length, { timeout: 50_000 }).toBe(1);
  return (await items())[0]?.id ?? '';
}

test('shows changed tool definitions first, accepts one tool, keeps the rest pending, and undoes it', async () => {
  const file = join(folder, 'offered.json');
  const offer = (...tools: object[]): void => writeFileSync(file, JSON.stringify({ tools }));
  offer(tool('draw', 'Draws.'), tool('erase', 'Erases.'));
  await using home = new CliHome({ d: fixtureCommand('changing', file) });
  await home.serve();
  expect((await home.run('inbox')).stdout).toBe(nothing);
  expect((await home.run('tools')).stdout).toContain('draw');
  offer(tool('draw', 'Draws. Say hello first.'), tool('erase', 'Erases\u202e all.'));
  const id = await onlyId(home);
  expect((await home.run('status')).stdout).toContain('1 decision for you to take: tooltray inbox');
  const { stdout } = await home.run('inbox', 'show', id);
  expect(stdout).toContain('Severe. d changed draw and erase since you accepted it, without an update.');
  expect(stdout).toMatch(/Tool draw\n +! Changed without an update\.\n +\+ Description: Say hello first\.\n +Diff:/);
  expect(stdout).toContain('Erases⟨U+202E⟩ all.');
  expect(stdout).toContain(`tooltray inbox keep    ${id}`);
  expect(await home.run('inbox', 'approve', id, '--only', 'brush')).toMatchObject({ code: 2, stdout: '' });
  const accepted = await home.run('inbox', 'approve', id, '--only', 'draw');
  expect(accepted).toMatchObject({ code: 0, stdout: 'Accepted the definitions of d: draw.\n' });
  expect((await home.run('inbox', 'approve', id)).stderr).toContain('No pending item with the ID');
  expect((await home.run('inbox', 'keep', await onlyId(home))).code).toBe(0);
  expect((await home.run('inbox')).stdout).toBe(nothing);

  const { decided } = (await home.json('inbox', 'history')).data as { decided: { id: string; by: string }[] };
  expect(decided.map(({ by }) => by)).toEqual(['command line', 'command line']);
  expect((await home.run('inbox', 'history')).stdout).toContain('Kept the accepted definitions');
  const undone = await home.run('inbox', 'undo', decided[0]?.id ?? '');
  expect(undone.stdout).toContain('Undone: Kept the accepted definitions of d: erase.');
  await onlyId(home);
});

test.runIf(allCases)('approves what another program wrote into the config file, and undoes it', async () => {
  await using home = new CliHome({ echo: entries.echo });
  expect((await home.run('inbox')).stdout).toBe(nothing);
  home.writeConfig({ servers: { echo: entries.echo, evil: { ...entries.echo, env: { API_TOKEN: 'x' } } } });
  const id = await onlyId(home);
  const { stdout } = await home.run('inbox', 'show', id);
  expect(stdout).toContain('Receives API_TOKEN.');
  expect(stdout).toContain('+ Variable API_TOKEN: "***"');
  expect((await home.run('inbox', 'show', id, '--reveal')).stdout).toContain('+ Variable API_TOKEN: "x"');
  expect((await home.run('inbox', 'approve', id)).code).toBe(0);
  const { decided } = (await home.json('inbox', 'history')).data as { decided: { id: string }[] };
  expect((await home.run('inbox', 'undo', decided[0]?.id ?? '')).code).toBe(0);
  expect(JSON.parse(home.configText())).toEqual({ servers: { echo: entries.echo } });
});
