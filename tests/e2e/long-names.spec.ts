/** Long names never hide the tool: the server's name is truncated first, and the title contains both. */
import { expect } from '@playwright/test';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { ServedCore, test } from './serve-core.ts';

const server = `an-account-of-somebody-with-a-very-long-name-${'and-more-'.repeat(6)}of-it`;

for (const width of [1280, 600]) {
  test(
    `shows the whole tool name beside a long server name at ${width} pixels`,
    { tag: width === 600 ? [] : '@long' },
    async ({ page }) => {
      await using core = await ServedCore.start({
        config: { mode: 'proxy', results: { threshold: 200 }, servers: { [server]: fixtureCommand('echo') } },
      });
      await page.setViewportSize({ width, height: 800 });
      await page.goto(core.link);
      const app = await core.connect();
      await app.call('echo', { message: 'x '.repeat(2_000) });
      for (const view of ['overview', 'activity', 'spills']) {
        await page.goto(core.at(view));
        const name = page.getByTitle(`${server} › echo`);
        await expect(name, view).toBeVisible();
        const cut = await name.evaluate((whole) =>
          [...whole.children].map((part) => part.scrollWidth > part.clientWidth && part.className.includes('server')),
        );
        const tool = await name.locator('.tool').evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth);
        expect({ view, tool, server: cut[0] }).toEqual({ view, tool: true, server: true });
        const [row, part] = [
          await name.locator('xpath=ancestor::*[self::th or self::a][1]').boundingBox(),
          await name.locator('.tool').boundingBox(),
        ];
        expect((part?.x ?? 0) + (part?.width ?? 0)).toBeLessThanOrEqual((row?.x ?? 0) + (row?.width ?? 0) + 1);
      }
    },
  );
}
