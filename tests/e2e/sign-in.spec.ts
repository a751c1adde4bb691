/** The sign-in to a server in the dashboard: its account, and the sign-out. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@playwright/test';
import { cliFile } from '../cli/cli-home.ts';
import { goThrough } from '../core/servers/oauth/browser.ts';
import { startOAuthFixture } from '../fixtures/servers/oauth-http.ts';
import { ServedCore } from './serve-core.ts';

/** Like the command, with a scripted browser. */
async function signIn(home: ServedCore, server: string): Promise<void> {
  const child = spawn(process.execPath, [cliFile, 'login', server, '--no-open'], { env: home.env });
  const ended = once(child, 'close');
  let said = '';
  for await (const chunk of child.stderr as AsyncIterable<Buffer>) {
    said += chunk.toString();
    const address = /https?:\S+/.exec(said)?.[0];
    if (address === undefined) continue;
    await goThrough(address);
    break;
  }
  await ended;
}

test('shows the sign-in of a server, and revokes it with one press', async ({ page }) => {
  await using fixture = await startOAuthFixture();
  fixture.authorization.metadata = { revocation_endpoint: `${fixture.origin}/revoke` };
  await using home = await ServedCore.start({ config: { servers: { far: { url: fixture.url } } } });
  await page.goto(home.link);
  await page.goto(home.at('servers/far'));
  const drawer = page.getByRole('dialog');
  await expect(drawer).toContainText('Needs sign-in');
  await signIn(home, 'far');
  await expect(drawer).toContainText('Ready');
  await expect(drawer).toContainText(`via ${new URL(fixture.origin).host}`);
  await drawer.getByRole('button', { name: 'Sign out of far' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Signed out of far' })).toBeVisible();
  await expect(drawer).toContainText('Needs sign-in');
  await expect(drawer.getByRole('button', { name: 'Sign out of far' })).toBeHidden();
  expect(fixture.authorization.revoked).toHaveLength(2);
});
