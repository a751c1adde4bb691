/** Secrets go into what a server is started with, and what is missing is said with its name. */
import { expect, test } from 'vitest';
import type { HttpServerConfig, ServerConfig } from '../../../src-main/core/config/app-config.ts';
import { parseConfig } from '../../../src-main/core/config/read-config.ts';
import { resolveSecrets, secretNamesOf } from '../../../src-main/core/secrets/resolve-secrets.ts';

function server(entry: object): ServerConfig {
  const { config } = parseConfig(JSON.stringify({ servers: { a: entry } }), '/c/config.json', {});
  return config?.servers[0] as ServerConfig;
}

const values: Readonly<Record<string, string>> = { 'secret/K': 'v&1 /', 'secret/L': '${secret:K}', 'secret/N': 'a\nb' };
const read = (name: string): Promise<string | undefined> => Promise.resolve(values[name]);

test('in arguments and variables as it is, once, also under the name that MCPProxy has for it', async () => {
  const config = server({ command: 'x', args: ['--key=${secret:K}', '${keyring:L}'], env: { A: 'a ${secret:K}' } });
  expect(secretNamesOf(config)).toEqual(['K', 'L']);
  expect(await resolveSecrets(config, read)).toMatchObject({
    args: ['--key=v&1 /', '${secret:K}'],
    env: { A: 'a v&1 /' },
  });
});

test('in a header as it is, in an address so that it leads nowhere else', async () => {
  const config = server({ url: 'https://h/mcp?key=${secret:K}', headers: { Authorization: 'Bearer ${secret:K}' } });
  const { url, headers } = (await resolveSecrets(config, read)) as HttpServerConfig;
  expect({ url, headers }).toEqual({
    url: 'https://h/mcp?key=v%261%20%2F',
    headers: { Authorization: 'Bearer v&1 /' },
  });
});

test('one that is not set is told with what sets it; a default stands in for it', async () => {
  const missing = server({ command: 'x', env: { A: '${secret:M}' } });
  await expect(resolveSecrets(missing, read)).rejects.toMatchObject({
    code: 'secret_missing',
    text: 'a needs the secret M, which is not set. Set it: tooltray secret set M',
  });
  const withDefault = server({ command: 'x', env: { A: '${secret:M:-none}' } });
  expect(await resolveSecrets(withDefault, read)).toMatchObject({ env: { A: 'none' } });
});

test('what no header takes is refused without being quoted', async () => {
  const config = server({ url: 'https://h/mcp', headers: { A: '${secret:N}' } });
  await expect(resolveSecrets(config, read)).rejects.toThrow('The secret N of a has characters that cannot be sent.');
});
