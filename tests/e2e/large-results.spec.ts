/** Results of megabytes in the dashboard: opened, queried by SQL, compared, and shaded where the model has read. */
import { expect, type Locator, type Page, test as plain } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { tabTo } from './keyboard.ts';
import { expectNoBarrier } from './no-barrier.ts';
import { ServedCore } from './serve-core.ts';

interface Exports {
  readonly core: ServedCore;
  /** Calls a tool as the client app; resolves to the ID of the spilled result. */
  readonly keep: (tool: string, args: object) => Promise<string>;
  /** Reads a part of a spilled result as the model. */
  readonly read: (id: string, question: object) => Promise<void>;
}

const test = plain.extend<object, { exports: Exports }>({
  exports: [
    async ({ browserName: _ }, use) => {
      const servers = { exports: fixtureCommand('exports') };
      await using core = await ServedCore.start({ config: { mode: 'proxy', servers } });
      const app = await core.connect();
      await use({
        core,
        keep: async (tool, args) => {
          const answer = await app.call(`exports_${tool}`, args);
          const [, id] = /tooltray:\/\/spill\/([a-z0-9]+)/.exec(answer) ?? [];
          if (id === undefined) throw new Error(`Nothing was spilled: ${answer.slice(0, 200)}`);
          return id;
        },
        read: async (id, question) => void (await app.call('read_result', { resultFile: id, ...question })),
      });
    },
    { scope: 'worker' },
  ],
});

async function open(page: Page, core: ServedCore, id: string): Promise<void> {
  // A page with the key would be reloaded by the link.
  if (page.url() === 'about:blank') await page.goto(core.link);
  await page.goto(core.at(`spills/${id}`));
  await expect(page.getByRole('region', { name: 'Full result' }).getByRole('tab').first()).toBeVisible();
}

/** Rows of the answer to a statement. */
async function select(page: Page, statement: string): Promise<Locator> {
  await page.getByRole('tab', { name: 'Query' }).click();
  await page.getByRole('textbox', { name: 'SQL' }).fill(statement);
  await page.keyboard.press('Control+Enter');
  return page.getByRole('region', { name: /^Rows of the result, Query result/ });
}

/** Compares the open result with another one; resolves to the differences. */
async function compare(page: Page, core: ServedCore, id: string, other: string): Promise<Locator> {
  await open(page, core, id);
  await page.getByRole('button', { name: 'Compare' }).click();
  await open(page, core, other);
  await page.getByRole('button', { name: /^Compare with exports › / }).click();
  return page.getByRole('region', { name: 'Full result' });
}

function shadedRow(page: Page, number: number): Locator {
  return page.getByRole('button', { name: `${number}, read by the model`, exact: true });
}

test('5 MB of JSON: rows in tree and table, a sum by SQL, a comparison by key', async ({ page, exports }) => {
  test.slow();
  const { core, keep, read } = exports;
  const id = await keep('list_orders', { count: 32_000 });
  await read(id, { op: 'slice', fromLine: 1, toLine: 30 });
  await read(id, { op: 'sql', query: 'SELECT * FROM rows WHERE id = 7' });
  await read(id, { op: 'sql', query: 'SELECT region, count(*) FROM rows GROUP BY region' });
  await open(page, core, id);
  await expect(page.getByText(/^result 5\.\d+ MB/)).toBeVisible();
  await expect(page.getByRole('treeitem', { name: /^0:/ })).toHaveClass(/\ball\b/);
  await expect(page.getByRole('treeitem', { name: /^9:/ })).toHaveClass(/\bnone\b/);
  await page.getByRole('tab', { name: 'Table 32,000' }).click();
  await expect(shadedRow(page, 1)).toBeVisible();
  await expect(shadedRow(page, 7)).toBeVisible();
  await expect(shadedRow(page, 9)).toHaveCount(0);
  // An aggregate is listed, and shades nothing.
  await expect(page.getByRole('button', { name: /^SQL.*GROUP BY region/s })).toBeVisible();
  const sums = await select(page, 'SELECT region, sum(amount) AS total FROM rows GROUP BY region ORDER BY region');
  await expect(sums.getByRole('row')).toHaveCount(5);
  await expect(sums.getByRole('row').nth(1)).toContainText('east');
  const changes = await compare(page, core, await keep('list_orders', { count: 31_999, changed: [5] }), id);
  await expect(changes.getByRole('status')).toHaveText('2 rows differ, by id');
  await expectNoBarrier(page, 'a comparison by row');
});

test('4 MB of CSV: a table shaded by line, a count by SQL, a comparison by key', async ({ page, exports }) => {
  test.slow();
  const { core, keep, read } = exports;
  const id = await keep('export_orders', { count: 88_000 });
  await read(id, { op: 'slice', fromLine: 1, toLine: 4 });
  await open(page, core, id);
  await expect(page.getByText(/^result (?:3\.9|4\.\d+|4) MB/)).toBeVisible();
  await page.getByRole('tab', { name: 'Table 88,000' }).click();
  for (const row of [1, 2, 3]) await expect(shadedRow(page, row)).toBeVisible();
  await expect(shadedRow(page, 4)).toHaveCount(0);
  const counts = await select(page, "SELECT count(*) AS n FROM rows WHERE region = 'north'");
  await expect(counts.getByRole('row').nth(1)).toContainText('22000');
  const changes = await compare(page, core, await keep('export_orders', { count: 88_000, changed: [1, 88_000] }), id);
  await expect(changes.getByRole('status')).toHaveText('2 rows differ, by id');
});

test('a log of 5 MB: errors alone, lines that a search of the model found, another log beside it', async ({
  page,
  exports,
}) => {
  test.slow();
  const { core, keep, read } = exports;
  const id = await keep('read_log', { lines: 100_000 });
  await read(id, { op: 'grep', pattern: 'request 50 ' });
  await open(page, core, id);
  await expect(page.getByRole('button', { name: 'Error 2,000' })).toBeVisible();
  await expectNoBarrier(page, 'a log');
  await page.getByRole('button', { name: 'Error 2,000' }).click();
  const lines = page.getByRole('table', { name: 'Text of the result' });
  await expect(lines.getByRole('row').first()).toContainText('request 50 served');
  await expect(lines.locator('.read')).toHaveCount(1);
  await expect(lines.locator('.read')).toContainText('request 50 served');
  const changes = await compare(page, core, await keep('read_log', { lines: 100_000, changed: [70_000] }), id);
  await expect(changes.getByRole('status')).toHaveText('1 different line');
});

test('a page of 2 MB: its picture, its table by SQL, another page beside it', async ({ page, exports }) => {
  test.slow();
  const { core, keep } = exports;
  const id = await keep('get_report', { count: 24_000 });
  await open(page, core, id);
  await page.getByRole('tab', { name: 'Preview' }).click();
  await expect(page.frameLocator('iframe').getByRole('heading', { name: 'Orders of the week' })).toBeVisible();
  const counts = await select(page, "SELECT count(*) AS n FROM rows WHERE region = 'west'");
  await expect(counts.getByRole('row').nth(1)).toContainText('6000');
  const changes = await compare(page, core, await keep('get_report', { count: 24_000, changed: [300] }), id);
  await expect(changes.getByRole('status')).toHaveText('1 different line');
});

test('a large result by keyboard alone: opened, its parts read, queried, closed', async ({ page, exports }) => {
  test.slow();
  const { core, keep, read } = exports;
  const id = await keep('list_orders', { count: 32_000 });
  await read(id, { op: 'slice', fromLine: 4000, toLine: 4010 });
  await page.goto(core.link);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await tabTo(page, page.getByRole('link', { name: /list_orders/ }).first());
  await page.keyboard.press('Enter');
  await expect(page.getByRole('tab', { name: 'Tree' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('button', { name: /lines 4,000–4,010/ })).toBeVisible();
  await page.keyboard.press('m');
  await expect(page.getByRole('tab', { name: 'Text' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('table', { name: 'Text of the result' }).locator('.read').first()).toBeInViewport();
  await expect(page.getByRole('tab', { name: 'Table 32,000' })).toBeVisible();
  await page.keyboard.press('b');
  await expect(page.getByRole('tab', { name: /^Table/ })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('q');
  await tabTo(page, page.getByRole('textbox', { name: 'SQL' }));
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('SELECT max(id) AS last FROM rows');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('region', { name: /^Rows of the result, Query result/ })).toContainText('32000');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('region', { name: 'Full result' })).toBeHidden();
  await expect(page.getByRole('link', { name: /list_orders/ }).first()).toBeFocused();
});
