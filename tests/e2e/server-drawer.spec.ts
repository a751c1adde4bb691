/** Details of a server: its log by level with collapsed stack traces, and duplicates of it. */
import process from 'node:process';
import { expect, test as plain } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { expectNoBarrier } from './no-barrier.ts';
import { ServedCore } from './serve-core.ts';

/** Prints a warning and a stack trace as Node.js does, then ends. */
const failing = "console.error('WARN low disk');\nthrow new TypeError('no such port')";
const echo = fixtureCommand('echo');
const servers = {
  failing: { command: process.execPath, args: ['-e', failing] },
  first: echo,
  second: echo,
  other: { ...echo, env: { ACCOUNT: 'work' } },
};

const test = plain.extend<object, { core: ServedCore }>({
  core: [
    async ({ browserName: _ }, use) => {
      await using core = await ServedCore.start({ config: { mode: 'search', servers } });
      await use(core);
    },
    { scope: 'worker' },
  ],
});

test.beforeEach(async ({ page, core }) => {
  await page.goto(core.link);
});

test('filters a log by level, and folds the frames of a stack trace below its first line', async ({ page, core }) => {
  await page.goto(core.at('servers/failing/log'));
  const log = page.getByRole('region', { name: 'failing log' });
  const trace = log.locator('details', { hasText: 'TypeError: no such port' }).first();
  await expect(trace).toBeVisible();
  await expect(trace.locator('div').first()).toBeHidden();
  await expectNoBarrier(page, 'a log with a folded stack trace');
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await trace.locator('summary').focus();
  await page.keyboard.press('Enter');
  await expect(trace.locator('div').first()).toHaveText(/^\s+at /);
  await page.getByRole('button', { name: 'Warnings' }).click();
  await expect(log).toContainText('low disk');
  await expect(log).not.toContainText('no such port');
  await page.getByRole('button', { name: 'Errors' }).click();
  await expect(log).toContainText('low disk');
  await expect(log).toContainText('no such port');
  await page.getByRole('button', { name: 'Warnings' }).click();
  await expect(log).not.toContainText('low disk');
});

test('flags servers that differ in nothing but their names', async ({ page, core }) => {
  await page.goto(core.at('servers'));
  const row = (name: string) =>
    page
      .getByRole('table', { name: 'Servers' })
      .getByRole('row')
      .filter({ has: page.getByRole('link', { name, exact: true }) });
  await expect(row('first')).toContainText('Duplicate of second');
  await expect(row('second')).toContainText('Duplicate of first');
  await expect(row('other')).not.toContainText('Duplicate');
  await expectNoBarrier(page, 'servers, one twice');
  await page.goto(core.at('servers/first'));
  await page.getByRole('dialog', { name: 'first' }).getByRole('link', { name: 'second' }).click();
  await expect(page.getByRole('dialog', { name: 'second' })).toBeVisible();
});
