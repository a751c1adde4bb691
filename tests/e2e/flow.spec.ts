/**
 * Data flow on the overview: what would have been asked this week, the calls behind the number, and the offer to ask.
 */
import { expect, test as plain } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { ServedCore } from './serve-core.ts';

const dayMs = 86_400_000;
const sentence = (to: string): string => `mail:send was called with ${to}, which only an answer of web:read had named.`;

/** The data of a core after a week. */
function week(days: number): object {
  const now = Date.now();
  const event = (to: string): object => {
    return { at: now - dayMs, app: 'claude-desktop', tool: 'mail:send', sentence: sentence(to), outcome: 'recorded' };
  };
  const day = new Date(now - dayMs).toISOString().slice(0, 10);
  return { since: now - days * dayMs, days: { [day]: { recorded: 2 } }, last: [event('a@x.test'), event('b@x.test')] };
}

const config = { mode: 'proxy', servers: { echo: fixtureCommand('echo') } };

plain('what would have been asked leads to its calls, and after a week to asking', async ({ page }) => {
  await using core = await ServedCore.start({ config, files: { 'own/data/data-flow-events.json': week(8) } });
  await page.goto(core.link);
  await page.goto(core.at('overview'));
  const card = page.getByRole('region', { name: 'Data flow' });
  await expect(card).toContainText('2 calls in the last 7 days');
  await card.getByRole('button', { name: 'Show calls' }).click();
  const rows = card.getByRole('listitem');
  await expect(rows).toHaveText([/b@x\.test.*Claude Desktop · mail:send/s, /a@x\.test/]);
  await card.getByRole('button', { name: 'Require approval' }).click();
  await expect(card).toBeHidden();
  expect(JSON.parse(await core.read('own/config.json'))).toMatchObject({ dataFlow: { mode: 'ask' } });
});

plain('before a week is over nothing is offered; who wants to go on counting is not asked again', async ({ page }) => {
  await using young = await ServedCore.start({ config, files: { 'own/data/data-flow-events.json': week(3) } });
  await page.goto(young.link);
  await page.goto(young.at('overview'));
  const card = page.getByRole('region', { name: 'Data flow' });
  await expect(card).toContainText('2 calls');
  await expect(card.getByRole('button', { name: 'Require approval' })).toHaveCount(0);

  await using old = await ServedCore.start({ config, files: { 'own/data/data-flow-events.json': week(8) } });
  await page.goto(old.link);
  await page.goto(old.at('overview'));
  await card.getByRole('button', { name: 'Keep recording only' }).click();
  await expect(card.getByRole('button', { name: 'Require approval' })).toHaveCount(0);
  await expect(card).toContainText('2 calls');
});

plain('what becomes of such calls is a setting, in plain words', async ({ page }) => {
  await using core = await ServedCore.start({ config });
  await page.goto(core.link);
  await page.goto(core.at('settings'));
  const section = page.getByRole('region', { name: 'Data flow' });
  await expect(section.getByRole('button', { name: 'Record' })).toHaveAttribute('aria-pressed', 'true');
  await section.getByRole('button', { name: 'Require approval' }).click();
  await expect(section).toContainText('Calls wait in the Inbox for your approval');
  await expect(section.getByRole('button', { name: 'Require approval' })).toHaveAttribute('aria-pressed', 'true');
  expect(JSON.parse(await core.read('own/config.json'))).toMatchObject({ dataFlow: { mode: 'ask' } });
  await section.getByRole('button', { name: 'Allow' }).click();
  await expect(section).toContainText('Destinations are not checked.');
  await section.getByRole('link', { name: 'History' }).click();
  await expect(page.getByText('No decisions yet')).toBeVisible();
});
