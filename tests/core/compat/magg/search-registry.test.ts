import { onTestFinished, expect, test } from 'vitest';
import { searchRegistry } from '../../../../src-main/core/compat/magg/search-registry.ts';
import { Registries } from '../../../../src-main/core/registry/registries.ts';
import { HttpFetch } from '../../../../src-main/core/servers/network/http-fetch.ts';
import { startRegistry } from '../../../fixtures/registry/registry-server.ts';

const { signal } = new AbortController();

function registries(url: string): Registries {
  const http = new HttpFetch({ env: {} });
  onTestFinished(() => http.close());
  return new Registries({ http, places: () => [{ name: 'official', url }], now: Date.now });
}

test('servers are found with their page and the command that starts them', async () => {
  await using source = await startRegistry();
  const { servers } = await searchRegistry('example/', 5, registries(source.url), signal);
  const found = servers.map(({ name, url, install_command }) => [name, url, install_command]);
  const weather = 'uvx --python=3.12 weather-mcp-server@0.5.0 --port 8080 --stdio';
  const image = 'docker run -i --rm --network=host docker.io/example/database-manager-mcp:3.1.0 --host localhost';
  expect(found).toEqual([
    ['io.github.example/weather-mcp', 'https://weather.example.com', weather],
    ['io.github.example/database-manager', 'https://github.com/example/database-manager-mcp', image],
    ['com.example/tickets', 'https://{team}.tickets.example.com/mcp', undefined],
    ['io.github.example/old-weather', undefined, 'npx -y @legacy/old-weather-server@0.9.5'],
    ['io.github.example/rusty', undefined, undefined],
  ]);
  expect(source.asked).toEqual(['/v0.1/servers?search=example%2F&version=latest&limit=5']);
});

test('a registry that fails has no servers, and that is told', async () => {
  await using source = await startRegistry({
    answer: (_, response) => void response.writeHead(500).end('{"servers":[]}'),
  });
  expect(await searchRegistry('a', 5, registries(source.url), signal)).toEqual({
    servers: [],
    failure: 'The registry "official" could not be asked: it answered HTTP 500.',
  });
});
