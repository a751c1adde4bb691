/** The frame does not scroll: the wheel moves only the parts that overflow. */
import { expect, type Page } from '@playwright/test';
import { test } from './lived-in-core.ts';

/** Places that are longer than a window, or have scrollable parts. */
const places = (spill: string): readonly string[] => [
  'overview',
  'servers',
  'servers/tracker/tools',
  'servers/tracker/log',
  'servers/tracker/config',
  'servers?add=form',
  'servers?add=registry',
  'servers?add=paste',
  'inbox',
  'activity',
  'activity/1',
  'activity/sessions/all',
  'spills',
  `spills/${spill}`,
  'setup/apps',
  'setup/apps/cursor',
  'setup/servers',
  'setup/first-call',
  'settings',
];

/**
 * The last one is what 1280 × 800 leaves at 200 %, where most content overflows. Each turns the wheel at a dozen
 * points of twenty places.
 */
for (const [width, height] of [
  [1680, 1050],
  [1280, 800],
  [900, 600],
  [600, 480],
  [640, 400],
] as const) {
  test(
    `at ${width} × ${height} the wheel scrolls only overflowing parts`,
    { tag: '@long' },
    async ({ page, livedIn: { core, spill } }) => {
      test.slow();
      await page.setViewportSize({ width, height });
      await page.goto(core.link);
      const moved: string[] = [];
      for (const route of places(spill)) {
        await page.goto(core.at(route));
        await expect(page.locator('.view > *').first()).toBeVisible();
        moved.push(...(await turnEverywhere(page, route)));
      }
      // A step next to the others, whose ID is not known before.
      await page.goto(core.at('activity/sessions/all'));
      await page.getByRole('table', { name: 'Steps' }).getByRole('link').first().click();
      await expect(page.getByRole('region', { name: 'Step', exact: true })).toBeVisible();
      moved.push(...(await turnEverywhere(page, 'a step')));
      expect(moved).toEqual([]);
    },
  );
}

/**
 * Scrolls over the sidebar, the header, and every scrollable part at the points of a grid over the view: down, and on
 * when a part has reached its end. Returns the points at which the frame moved.
 */
async function turnEverywhere(page: Page, route: string): Promise<readonly string[]> {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  const inView = [0.25, 0.5, 0.75, 0.96].flatMap((x) => [0.3, 0.6, 0.92].map((y) => [x * width, y * height] as const));
  const moved: string[] = [];
  const turnedOver = new Set<string>();
  for (const [x, y] of [[20, height / 2] as const, [width / 2, 20] as const, ...inView]) {
    const parts = await scrollersAt(page, x, y);
    if (turnedOver.has(parts)) continue;
    turnedOver.add(parts);
    await page.mouse.move(x, y);
    for (let turn = 0; turn < 3; turn++) await page.mouse.wheel(0, 3000);
    if (!(await isInPlace(page))) moved.push(`${route} at ${Math.round(x)},${Math.round(y)}`);
  }
  return moved;
}

test('reaches the last setting and the last view by wheel in a small window', async ({ page, livedIn: { core } }) => {
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

/**
 * The scrollable elements at that point, innermost first, by their position in the document. The wheel's effect
 * depends only on these, unless the page handles it.
 */
function scrollersAt(page: Page, x: number, y: number): Promise<string> {
  return page.evaluate(
    ([left, top]) => {
      const placeOf = (element: Element): string => {
        const { parentElement: outer, tagName } = element;
        return outer === null ? tagName : `${placeOf(outer)}/${[...outer.children].indexOf(element)}`;
      };
      const places: string[] = [];
      for (let part = document.elementFromPoint(left, top); part !== null; part = part.parentElement) {
        const { overflowX, overflowY, position } = getComputedStyle(part);
        const scrolls =
          /auto|scroll/.test(`${overflowX} ${overflowY}`) || /^(?:IFRAME|SELECT|TEXTAREA)$/.test(part.tagName);
        if (scrolls || position === 'fixed') places.push(placeOf(part));
      }
      return places.join(' ');
    },
    [x, y] as const,
  );
}

/** The document is not longer than the window and at its top, and the frame fills it. */
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

test('keeps a row’s name and button visible in a narrow window', async ({ page, livedIn: { core } }) => {
  await page.setViewportSize({ width: 600, height: 800 });
  await page.goto(core.link);
  for (const route of ['servers', 'activity', 'spills']) {
    await page.goto(core.at(route));
    const rows = page.locator('tbody tr').filter({ has: page.locator('[data-row]') });
    await expect(rows.first()).toBeVisible();
    for (const row of await rows.all()) {
      // Names may have any length; the beginning distinguishes most.
      const name = row.locator('th, td').filter({ has: page.locator('[data-row]') });
      expect((await name.boundingBox())?.width).toBeGreaterThan(140);
      for (const button of await row.getByRole('button').all()) await expect(button).toBeInViewport({ ratio: 1 });
    }
  }
});
