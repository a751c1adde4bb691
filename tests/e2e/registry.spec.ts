/** A server of a registry, from the search to its first call, with a real registry over HTTP and a real server. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, type Page, test } from '@playwright/test';
import { registryFile, startRegistry } from '../fixtures/registry/registry-server.ts';
import { expectNoBarrier } from './no-barrier.ts';
import { ServedCore } from './serve-core.ts';

const secret = 'only-for-the-far-server-1';

/** An HTTP server that requires the secret. */
async function farServer(): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    void json(request).then((body) => {
      const { id, method, params } = body as { id?: number; method: string; params?: Record<string, unknown> };
      if (request.headers['x-api-key'] !== secret) return void response.writeHead(403).end('no key');
      if (id === undefined) return void response.writeHead(202).end();
      const results: Readonly<Record<string, object>> = {
        initialize: {
          protocolVersion: params?.['protocolVersion'],
          capabilities: { tools: {} },
          serverInfo: { name: 'far', version: '1.0.0' },
        },
        'tools/list': { tools: [{ name: 'greet', description: 'Greets.', inputSchema: { type: 'object' } }] },
        'tools/call': { content: [{ type: 'text', text: 'Hello from far.' }] },
      };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function search(page: Page, core: ServedCore, words: string): Promise<void> {
  await page.goto(core.at('servers?add=registry'));
  await page.getByRole('searchbox', { name: /Server name contains/ }).fill(words);
  await page.getByRole('dialog').getByRole('button', { name: 'Search', exact: true }).click();
}

test('adds a server from the search to its first call, with a secret in the vault', async ({ page }) => {
  test.slow();
  await using far = await farServer();
  const headers = [{ name: 'X-API-Key', description: 'Your key.', isRequired: true, isSecret: true }];
  const entry = {
    name: 'com.example/far',
    description: 'Greets from afar.',
    version: '1.2.3',
    remotes: [{ type: 'streamable-http', url: far.url, headers }],
  };
  const registries = [{ name: 'here', url: '~/servers.json' }];
  await using core = await ServedCore.start({
    config: { mode: 'proxy', servers: {}, registries },
    files: { 'servers.json': { servers: [{ server: entry }] } },
  });
  await page.goto(core.link);
  await page.goto(core.at('servers?add=registry&registry=here'));
  await page.getByRole('searchbox', { name: /Server name contains/ }).fill('far');
  await page.getByRole('dialog').getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('button', { name: /com\.example\/far/ }).click();
  const drawer = page.getByRole('dialog');
  await expect(drawer).toContainText('1.2.3');
  await expect(drawer).toContainText(far.url);
  await expectNoBarrier(page, 'a server of a registry');
  await drawer.getByLabel(/X-API-Key/).fill(secret);
  await drawer.getByRole('button', { name: 'Test and add' }).click();
  await expect(drawer.getByText(/Added\./)).toBeVisible();
  expect(await core.read('own/config.json')).not.toContain(secret);
  await expect(drawer.getByLabel(/X-API-Key/)).toHaveValue('');
  await expect(drawer.getByText('required', { exact: true })).toHaveCount(1);
  await expect(drawer.locator('[aria-invalid]')).toHaveCount(0);
  await expect(page.locator('body')).not.toContainText(secret);
  const app = await core.connect();
  await expect.poll(() => app.call('far_greet')).toContain('Hello from far.');
});

test('shows matches, why a server cannot be added, and a registry that fails', async ({ page }) => {
  await using registry = await startRegistry();
  const registries = [
    { name: 'official', url: registry.url },
    { name: 'down', url: 'http://127.0.0.1:9' },
    { name: 'file', url: registryFile },
  ];
  await using core = await ServedCore.start({ config: { mode: 'proxy', servers: {}, registries } });
  await page.goto(core.link);
  await search(page, core, 'tool-');
  await expect(page.getByRole('button', { name: /io\.github\.many\/tool-00/ })).toBeVisible();
  await expectNoBarrier(page, 'what a registry found');
  await search(page, core, 'no such server');
  await expect(page.getByText('No matching servers')).toBeVisible();
  await search(page, core, 'text-editor');
  await page.getByRole('button', { name: /text-editor/ }).click();
  await expect(page.getByText(/Cannot be added/)).toBeVisible();
  await page.goto(core.at('servers?add=registry&registry=down&q=x'));
  await expect(page.getByText('Registry search failed')).toBeVisible();
  await expect(page.getByText('No matching servers')).toHaveCount(0);
});
