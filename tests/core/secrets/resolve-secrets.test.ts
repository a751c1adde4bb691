/** Fills secrets into the launch of a server, and reports missing ones by name. */
import { expect, test } from 'vitest';
import type { HttpServerConfig, ServerConfig } from '../../../src-main/core/config/server-config.ts';
import { parseConfig } from '../../../src-main/core/config/read-config.ts';
import { resolveSecrets, secretNamesOf } from '../../../src-main/core/secrets/resolve-secrets.ts';

function server(entry: object): ServerConfig {
  const { config } = parseConfig(JSON.stringify({ servers: { a: entry } }), '/c/config.json', {});
  return config?.servers[0] as ServerConfig;
}

const values: Readonly<Record<string, string>> = { 'secret/K': 'v&1 /', 'secret/L': '${secret:K}', 'secret/N': 'a\nb' };
const read = (name: string): Promise<string | undefined> => Promise.resolve(values[name]);

test('fills in arguments and variables once, including MCPProxy keyring references', async () => {
  const config = server({ command: 'x', args: ['--key=${secret:K}', '${keyring:L}'], env: { A: 'a ${secret:K}' } });
  expect(secretNamesOf(config)).toEqual(['K', 'L']);
  expect(await resolveSecrets(config, read)).toMatchObject({
    args: ['--key=v&1 /', '${secret:K}'],
    env: { A: 'a v&1 /' },
  });
});

test('fills in headers as they are, and encodes values in URLs', async () => {
  const config = server({ url: 'https://h/mcp?key=${secret:K}', headers: { Authorization: 'Bearer ${secret:K}' } });
  const { url, headers } = (await resolveSecrets(config, read)) as HttpServerConfig;
  expect({ url, headers }).toEqual({
    url: 'https://h/mcp?key=v%261%20%2F',
    headers: { Authorization: 'Bearer v&1 /' },
  });
});

test('reports a missing secret with the command that sets it, unless it has a default', async () => {
  const missing = server({ command: 'x', env: { A: '${secret:M}' } });
  await expect(resolveSecrets(missing, read)).rejects.toMatchObject({
    code: 'secret_missing',
    text: 'a needs the secret M, which is not set. Set it: tooltray secret set M',
  });
  const withDefault = server({ command: 'x', env: { A: '${secret:M:-none}' } });
  expect(await resolveSecrets(withDefault, read)).toMatchObject({ env: { A: 'none' } });
});

test('rejects a value that no header can carry, without quoting it', async () => {
  const config = server({ url: 'https://h/mcp', headers: { A: '${secret:N}' } });
  await expect(resolveSecrets(config, read)).rejects.toThrow('The secret N of a has characters that are not allowed.');
});
