/** Finds values that look like secrets in an entry, and replaces them with references. */
import { expect, test } from 'vitest';
import { findPlaintextSecrets, withReferences } from '../../../src-main/core/secrets/find-plaintext-secrets.ts';

const github = 'ghp_0123456789abcdefABCDEF0123456789abcd';

test.for([
  ['a variable by its name', { env: { API_KEY: 'abcdefgh' } }, { env: { API_KEY: '${secret:API_KEY}' } }],
  ['a variable by its shape', { env: { SETTING: github } }, { env: { SETTING: '${secret:SETTING}' } }],
  ['as other products call them', { env_vars: { TOKEN: 'abcdefgh' } }, { env_vars: { TOKEN: '${secret:TOKEN}' } }],
  [
    'a header, its scheme left readable',
    { headers: { Authorization: 'Bearer abcdefgh' } },
    { headers: { Authorization: 'Bearer ${secret:MY_SERVER_AUTHORIZATION}' } },
  ],
  [
    'behind a flag',
    { args: ['--api-key', 'abcdefgh', '-y'] },
    { args: ['--api-key', '${secret:MY_SERVER_API_KEY}', '-y'] },
  ],
  ['with its flag', { args: ['--token=abcdefgh'] }, { args: ['--token=${secret:MY_SERVER_TOKEN}'] }],
  [
    'a header among arguments',
    { args: ['--header', 'Authorization: Bearer abcdefgh'] },
    { args: ['--header', 'Authorization: Bearer ${secret:MY_SERVER_AUTHORIZATION}'] },
  ],
  [
    'a variable among arguments',
    { args: ['-e', 'TOKEN=abcdefgh'] },
    { args: ['-e', 'TOKEN=${secret:MY_SERVER_TOKEN}'] },
  ],
  ['a key inside an argument', { args: [`x:${github}:y`] }, { args: ['x:${secret:MY_SERVER_KEY}:y'] }],
  [
    'an address with a password',
    { args: ['postgres://me:abcdefgh@h/db'] },
    { args: ['postgres://me:${secret:MY_SERVER_KEY}@h/db'] },
  ],
  [
    'a parameter of the address',
    { url: 'https://h/mcp?a=b&api_key=ab%26cdefg' },
    { url: 'https://h/mcp?a=b&api_key=${secret:MY_SERVER_API_KEY}' },
  ],
  [
    'headers of Magg',
    { transport: { headers: { 'X-Api-Key': 'abcdefgh' } } },
    { transport: { headers: { 'X-Api-Key': '${secret:MY_SERVER_X_API_KEY}' } } },
  ],
] as const)('%s', ([, entry, wanted]) => {
  expect(withReferences('my server', entry, ({ names: [best] }) => best)).toEqual(wanted);
});

test('stores the decoded value of a URL parameter', () => {
  expect(findPlaintextSecrets('s', { url: 'https://h/?token=ab%26cdefg' }).map(({ value }) => value)).toEqual([
    'ab&cdefg',
  ]);
});

test.for([
  { env: { NODE_ENV: 'production', MAX_TOKENS: '4096000', TOKEN_FILE: '/run/token-file', USE_AUTH: 'true' } },
  { env: { API_KEY: '${env:API_KEY}', TOKEN: '${secret:T}', PASSWORD: '', PIN_KEY: '1234' } },
  {
    args: ['-y', '@scope/server-of-things', '--log-level', 'debug', '--author=some body'],
    url: 'https://host/mcp?page=2',
  },
  { headers: { Accept: 'application/json' }, description: `token=${github}` },
])('leaves %j unchanged', (entry) => {
  expect(withReferences('s', entry, () => 'X')).toEqual(entry);
});
