/** Reads OAuth settings of other products. */
import { expect, test } from 'vitest';
import type { HttpServerConfig } from '../../../src-main/core/config/server-config.ts';
import { parseConfig } from '../../../src-main/core/config/read-config.ts';

function read(entry: object) {
  const text = JSON.stringify({ mcpServers: { a: { url: 'https://h/mcp', ...entry } } });
  const { config, problems } = parseConfig(text, '/c/config.json', { SECRET: 's3cret' });
  return { oauth: (config?.servers[0] as HttpServerConfig | undefined)?.oauth, problems };
}

test.each([
  [
    'MCPProxy',
    { oauth: { client_id: 'c', client_secret: 's', redirect_uri: 'http://127.0.0.1:7/x', scopes: ['a', 'b'] } },
    { clientId: 'c', clientSecret: 's', redirectUri: 'http://127.0.0.1:7/x', scopes: ['a', 'b'] },
  ],
  [
    'MCPProxy',
    { oauth: { extra_params: { audience: 'x', tenant: 7 } } },
    { extraParams: { audience: 'x', tenant: '7' } },
  ],
  [
    'Cursor',
    { auth: { CLIENT_ID: 'c', CLIENT_SECRET: '${env:SECRET}', scopes: ['a'] } },
    { clientId: 'c', clientSecret: 's3cret', scopes: ['a'] },
  ],
  ['VS Code', { oauth: { clientId: 'c' } }, { clientId: 'c', clientSecret: undefined, scopes: [] }],
  [
    'Claude Code',
    { oauth: { clientId: 'c', callbackPort: 8080, scopes: 'a b', authServerMetadataUrl: 'https://l/.well-known/x' } },
    {
      clientId: 'c',
      redirectUri: 'http://localhost:8080/callback',
      scopes: ['a', 'b'],
      authServerMetadataUrl: 'https://l/.well-known/x',
    },
  ],
  ['opencode', { oauth: { clientId: 'c', clientSecret: 's', scope: 'a b' } }, { clientId: 'c', scopes: ['a', 'b'] }],
  ['Gemini', { oauth: { enabled: true, clientId: 'c', redirectUri: 'http://localhost:7777/cb' } }, { clientId: 'c' }],
  [
    'Codex',
    { oauth: { client_id: 'c', callback_url: 'http://127.0.0.1/callback' } },
    { clientId: 'c', redirectUri: 'http://127.0.0.1/callback' },
  ],
  [
    'Tooltray',
    { oauth: { clientMetadataUrl: 'https://e/x.json', issuer: 'https://l', account: 'ana' } },
    { clientMetadataUrl: 'https://e/x.json', issuer: 'https://l', account: 'ana' },
  ],
])('%s: %j', (_product, entry, oauth) => {
  expect(read(entry)).toEqual({ problems: [], oauth: expect.objectContaining(oauth) as unknown });
});

test('warns about keys without an effect, with their place', () => {
  expect(read({ oauth: { tokenUrl: 'https://l/token', clientId: '' } })).toMatchObject({
    oauth: { clientId: undefined },
    problems: [{ severity: 'warning', path: 'mcpServers.a.oauth.tokenUrl' }],
  });
  // Sign-in is automatic.
  expect(read({ auth: 'oauth' }).problems).toEqual([]);
});
