/** The frame stays where it is, wherever the wheel turns: only the parts that hold too much scroll. */
import { expect, type Page } from '@playwright/test';
import { test } from './lived-in-core.ts';

/** Places that are longer than a window, or hold parts that scroll by themselves. */
const places = (spill: string): readonly string[] => [
  'overview',
  'servers',
  'servers/tracker/tools',
  'servers/tracker/config',
  'servers?add=form',
  'activity',
  'spills',
  `spills/${spill}`,
  'setup/apps',
  'setup/apps/cursor',
  'setup/servers',
  'setup/first-call',
  'settings',
];

for (const [width, height] of [
  [1280, 800],
  [900, 600],
  [600, 480],
] as const) {
  test(`at ${width} × ${height} the wheel moves no more than what holds too much`, async ({
    page,
    livedIn: { core, spill },
  }) => {
    test.slow();
    await page.setViewportSize({ width, height });
    await page.goto(core.link);
    const moved: string[] = [];
    for (const route of places(spill)) {
      await page.goto(core.at(route));
      await expect(page.locator('.view > *').first()).toBeVisible();
      // Over the sidebar, the headline, the view and a drawer's place; down, and on where the part below has its end.
      for (const [x, y] of [
        [20, height / 2],
        [width / 2, 20],
        [width / 2, height / 2],
        [width - 40, height - 60],
      ] as const) {
        await page.mouse.move(x, y);
        for (let turn = 0; turn < 4; turn++) await page.mouse.wheel(0, 2000);
        if (!(await isInPlace(page))) moved.push(`${route} at ${x},${y}`);
      }
    }
    expect(moved).toEqual([]);
  });
}

test('the last of the settings and the last view are reached by the wheel in a small window', async ({
  page,
  livedIn: { core },
}) => {
  await page.setViewportSize({ width: 600, height: 300 });
  await page.goto(core.link);
  await page.goto(core.at('settings'));
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
  await page.mouse.move(400, 200);
  for (let turn = 0; turn < 20; turn++) await page.mouse.wheel(0, 1000);
  await expect(page.locator('.view section').last()).toBeInViewport();
  await page.mouse.move(20, 150);
  for (let turn = 0; turn < 4; turn++) await page.mouse.wheel(0, 400);
  await expect(page.getByRole('link', { name: 'Settings' })).toBeInViewport({ ratio: 1 });
});

/** The document is no longer than the window and stands at its top, and the frame fills it. */
function isInPlace(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const root = document.documentElement;
    const frame = document.querySelector('main')?.getBoundingClientRect();
    return (
      root.scrollTop === 0 &&
      root.scrollHeight <= window.innerHeight &&
      root.scrollWidth <= window.innerWidth &&
      frame?.top === 0 &&
      Math.round(frame.bottom) === window.innerHeight
    );
  });
}

test('in a narrow window a row still says what it is about, and its button is in sight', async ({
  page,
  livedIn: { core },
}) => {
  await page.setViewportSize({ width: 600, height: 800 });
  await page.goto(core.link);
  for (const route of ['servers', 'activity', 'spills']) {
    await page.goto(core.at(route));
    const rows = page.locator('tbody tr').filter({ has: page.locator('[data-row]') });
    await expect(rows.first()).toBeVisible();
    for (const row of await rows.all()) {
      // Names may be of any length; the start of one tells most apart.
      const name = row.locator('th, td').filter({ has: page.locator('[data-row]') });
      expect((await name.boundingBox())?.width).toBeGreaterThan(140);
      for (const button of await row.getByRole('button').all()) await expect(button).toBeInViewport({ ratio: 1 });
    }
  }
});
