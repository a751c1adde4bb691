/** No secret reaches users, logs or models, and ordinary text stays readable. */
import { execFileSync } from 'node:child_process';
import { describe, expect, test, vi } from 'vitest';
import {
  isSecretName,
  Masker,
  maskObject,
  maskText,
  opaqueSecrets,
  CachingMasker,
} from '../../../src-main/core/base/mask.ts';

// Built at run time, so that secret scanners do not report the examples.
const S = 'Zq7Lm2Xw9Rt4';
const long = `${S}${S}${S}`;

const secretTexts = [
  `GITHUB_TOKEN=${S}`,
  `export AWS_SECRET_ACCESS_KEY="${S}"`,
  `X-Api-Key: ${S}`,
  `x-api-key=${S};next`,
  `client_secret: '${S}'`,
  `{"apiKey":"${S}","user":"ann"}`,
  `{"password" : "a\\"${S}"}`,
  JSON.stringify({ text: JSON.stringify({ token: `q"${S}` }) }),
  JSON.stringify({ text: JSON.stringify({ text: JSON.stringify({ token: `q"${S}` }) }) }),
  `{"tokens":["${S}","]${S}"],"a":1}`,
  `{"credentials":{"user":"${S}"}}`,
  `{"token":"${S}`,
  `{ token: '${S}', user: 'ann' }`,
  `--token ${S}`,
  `--api-key=${S}`,
  `["--password","${S}"]`,
  `mysql --password '${S}'`,
  `<password>${S}</password>`,
  `config.servers.github.env.GITHUB_PERSONAL_ACCESS_TOKEN=${S}`,
  `PGPASSWORD=${S}`,
  `DB_PASS: ${S}`,
  `authToken => ${S}`,
  `Server=x;Password=${S};Database=y`,
  `password=a,b;c)${S}`,
  `Authorization: Bearer ${S}`,
  `Authorization: Basic ${S}==`,
  `authorization: Digest username="${S}", response="${S}"`,
  `curl -H "Authorization: token ${S}" https://x`,
  `Cookie: theme=dark; session=${S}`,
  `set-cookie: sid=${S}; HttpOnly`,
  `sent bearer ${S}`,
  `Basic ${Buffer.from(`ann:${S}`).toString('base64')}`,
  `https://ann:${S}@host/path`,
  `postgres://ann:p@${S}@host:5432/db`,
  `https://${S}@github.com/x.git`,
  `https://host/mcp?api_key=${S}&x=1`,
  `https://host/cb?x=1&access_token=${S}#top`,
  `https://host/?key=${S}`,
  `https://host/?X-Amz-Signature=${S}`,
  `sk-${long}`,
  `found sk-proj-${long}, sorry`,
  `sk_live_${long}`,
  `ghp_${long}`,
  `github_pat_${long}`,
  `glpat-${long}`,
  `xoxb-${long}`,
  `AIza${long}`,
  `npm_${long}`,
  `hf_${long}`,
  `sk-ant-api03-${long}`,
  `(eyJ${S}.eyJ${S}.${S})`,
  `-----BEGIN RSA PRIVATE KEY-----\n${S}\n${S}\n-----END RSA PRIVATE KEY-----`,
  `-----BEGIN PRIVATE KEY-----\\n${S}`,
];

test.each(secretTexts)('masks the secret in: %j', (text) => {
  const masked = maskText(text);
  expect(masked).not.toContain(S);
  expect(masked).not.toContain(Buffer.from(S).toString('base64').slice(2, 12));
  expect(masked).toContain('***');
  expect(maskText(masked)).toBe(masked);
});

test('masks an AWS access key id', () => {
  expect(maskText(`id AKIA${'ABCDEFGH'.repeat(2)} end`)).toBe('id *** end');
});

test('keeps the text around a secret', () => {
  expect(maskText(`https://ann:${S}@host/a?token=${S}&page=2`)).toBe('https://ann:***@host/a?token=***&page=2');
  expect(maskText(`{"apiKey":"${S}","user":"ann"}`)).toBe('{"apiKey":"***","user":"ann"}');
  expect(maskText(`curl -H "Authorization: Bearer ${S}" https://x`)).toBe('curl -H "Authorization: ***" https://x');
  expect(maskText(`run --token ${S} --verbose`)).toBe('run --token *** --verbose');
  expect(maskText('{"password":12345,"n":1}')).toBe('{"password":***,"n":1}');
});

const ordinary = [
  'Unexpected token } in JSON at position 4',
  'The key: Enter. It takes 3 tokens, and the author is unknown.',
  'max_tokens: 4096, tokens: 12, "inputTokens": 5, total_tokens=77',
  '{"_meta":{"progressToken":"abc-1"},"tokenType":"bearer"}',
  'GITHUB_TOKEN: ${env:GITHUB_TOKEN}',
  '"password": null, "secret": true}',
  'WWW-Authenticate: Bearer realm="mcp", error="invalid_token"',
  'Basic authentication is required; a bearer token was not sent.',
  'git clone ssh://git@github.com/a/b.git http://127.0.0.1:8080/mcp?x=a@b',
  'keyboard: qwerty, monkey=banana, tokenizer: o200k, keyFile=/etc/ssl/cert.pem',
  'task-force-one-hundred-and-twenty sk-short',
  'const a = b > c ? d : e; // 中文 🎉',
  // Names with the prefixes of keys.
  'npm_config_registry=https://registry.example, npm_package_devDependencies_typescript, npm_lifecycle_event_name_2',
  'npm-json-schema-validator-for-node-24 and npm-check-updates-with-groups',
  'sk-learn-contrib-imbalanced-learn, rk-3588-board-support-package, hf_hub_enable_hf_transfer_in_2026',
];

test.each(ordinary)('leaves unchanged: %s', (text) => {
  expect(maskText(text)).toBe(text);
});

test('recognizes secret names by the words in them', () => {
  const secret = ['token', 'API_KEYS', 'xapikey', 'GITHUB_TOKEN_2', 'clientSecret', 'proxy-authorization', 'db.pass'];
  const plain = ['tokenCount', 'keyId', 'public_key', 'monkey', 'author', 'passenger', 'cookieFile', 'tokensIn', ''];
  expect(secret.filter((name) => !isSecretName(name))).toEqual([]);
  expect(plain.filter((name) => isSecretName(name))).toEqual([]);
});

test('masks objects by key at any depth, and returns plain JSON', () => {
  const cause = Object.assign(new Error(`bad token=${S}`), { code: 'E1', headers: { 'X-Api-Key': S } });
  const value: Record<string, unknown> = {
    env: { GITHUB_TOKEN: S, HOME: '/home/ann' },
    args: ['--token', S, '--verbose', 'yes'],
    headers: [
      { name: 'X-Api-Key', value: S },
      { key: 'Accept', value: 'text/html' },
    ],
    auth: { user: S, list: [S, 5n, null] },
    url: new URL(`https://u:${S}@h/`),
    map: new Map([['password', S]]),
    bytes: Buffer.from(S),
    error: new Error('outer', { cause }),
    tokens: 12,
    [`ghp_${long}`]: 1,
    proto: JSON.parse(`{"__proto__": {"secret": "${S}"}}`) as unknown,
    get broken(): never {
      throw new Error('getter');
    },
  };
  value['self'] = value;
  const text = JSON.stringify(maskObject(value));
  expect(text).not.toContain(S);
  expect(JSON.parse(text)).toMatchObject({
    env: { GITHUB_TOKEN: '***', HOME: '/home/ann' },
    args: ['--token', '***', '--verbose', 'yes'],
    headers: [
      { name: 'X-Api-Key', value: '***' },
      { key: 'Accept', value: 'text/html' },
    ],
    auth: { user: '***', list: ['***', '***', null] },
    tokens: 12,
    self: '[circular]',
    broken: '[unreadable]',
    error: { message: 'outer', cause: { message: 'bad token=***', code: 'E1' } },
  });
});

test('masks known secret values anywhere, in every spelling', () => {
  const secret = 'pa"ss wörd/1';
  const masker = new Masker([secret, 'Bearer opaque-value', 'abc', 'opaque-value-longer']);
  const texts = [secret, JSON.stringify(secret), encodeURIComponent(secret), 'x opaque-value y', 'opaque-value-longer'];
  expect(texts.map((text) => masker.maskText(`at ${text}.`))).toEqual([
    'at ***.',
    'at "***".',
    'at ***.',
    'at x *** y.',
    'at ***.',
  ]);
  expect(masker.maskObject({ note: `it was ${secret}` })).toEqual({ note: 'it was ***' });
  expect(masker.maskText('abc')).toBe('abc');
  masker.setSecrets([]);
  expect(masker.maskText('opaque-value')).toBe('opaque-value');
});

// Each of these takes minutes with a backtracking expression; a linear one needs far less than the test's timeout.
const hostile: [string, string][] = [
  ['letters', 'a'],
  ['dashes', '-'],
  ['name and equals', 'token='],
  ['open quotes', 'token="'],
  ['escaped quotes', '\\"'],
  ['quoted backslashes', '"token":"\\\\'],
  ['open brackets', '"token":["'],
  ['brackets', '"token":['],
  ['web token starts', 'eyJ'],
  ['web token starts with dashes', '-eyJaaaaaaaaa'],
  ['schemes', 'http://'],
  ['schemes with users', '://a:'],
  ['at signs', 'http://a@:'],
  ['bearers', 'Bearer '],
  ['private keys', '-----BEGIN PRIVATE KEY-----'],
  ['spaces', ' '],
  ['key prefixes', 'sk-'],
  ['words after a key prefix', 'npm_abcdefghijklmnopqrst_'],
  ['cookies', 'cookie: '],
  ['flags', '--token --'],
];

test.each(hostile)('stays linear on millions of %s', (_name, piece) => {
  const text = piece.repeat(Math.ceil(3_000_000 / piece.length));
  expect(maskText(text).length).toBeGreaterThan(0);
});

test('masks a secret of several lines line by line, and keeps its frame and blank lines', () => {
  const key = [
    '-----BEGIN THING-----',
    'c2VjcmV0LWxpbmUtb25lLTAx',
    '  c2hvcnQ=',
    '{}',
    '=========',
    '-----END THING-----',
    '',
  ];
  const masker = new Masker([key.join('\r\n')]);
  expect(key.map((line) => masker.maskText(line))).toEqual([
    ...['-----BEGIN THING-----', '***', '  ***', '{}', '=========', '-----END THING-----', ''],
  ]);
  // A short line is masked only as a whole word.
  expect(masker.maskText('xc2hvcnQ=')).toBe('xc2hvcnQ=');
  // A file's value ends with a line break that no log has.
  expect(new Masker(['one-line-secret\n']).maskText('got one-line-secret.')).toBe('got ***.');
});

test('searches for a limited number of lines of a long secret', () => {
  const lines = Array.from({ length: 1000 }, (_, at) => `line-number-${at}-of-it`);
  const masker = new Masker([lines.join('\n')]);
  expect(masker.maskText(lines[0] ?? '')).toBe('***');
  expect(masker.maskText(lines[999] ?? '')).toBe(lines[999]);
  expect(masker.maskText(lines.join('\n'))).toBe('***');
});

test.each([
  ['a1b2', 'PIN a1b2, again (a1b2)', 'PIN ***, again (***)'],
  ['p@ss', 'p@ss=p@ss', '***=***'],
  ['x9.z', 'x9.z and x9az', '*** and x9az'],
  ['a1b2', 'xa1b2 a1b2_ a1b23', 'xa1b2 a1b2_ a1b23'],
  ['true', 'it is true', 'it is true'],
  ['1234', 'port 1234', 'port 1234'],
  ['test', 'a test', 'a test'],
  ['a1b', 'a1b', 'a1b'],
])('masks a short secret only as a whole word: %j in %j', (secret, text, masked) => {
  expect(new Masker([secret]).maskText(text)).toBe(masked);
});

test('masks a text of megabytes in a process that has compiled many patterns', () => {
  // V8 does this by itself once there is a megabyte of compiled patterns, which is hard to reproduce.
  const flags = ['--no-regexp-optimization', '--input-type=module'];
  const program = `
    import { maskText } from ${JSON.stringify(new URL('../../../src-main/core/base/mask.ts', import.meta.url).href)};
    const long = 'y1'.repeat(2_200_000);
    const texts = ['Bearer ' + long, 'eyJ' + long];
    console.log(JSON.stringify(texts.map((text) => maskText(text).replace(long, 'long'))));`;
  const told = execFileSync(process.execPath, [...flags, '--eval', program], { encoding: 'utf8' });
  expect(JSON.parse(told)).toEqual(['Bearer ***', 'eyJlong']);
});

const opaque = 'Zx9Qw3Er7Ty1Ui00kLmN8b';
const hexKey = '9f86d081884c7d659a2feaa0c55ad015';
const uuid = '3f2b8c1e-6a4d-4e9b-8f10-2c7d5e9a1b34';

test.each([
  [{ url: `https://a.example/u/${opaque}/sse` }, [opaque]],
  [{ url: `https://a.example/s/${hexKey}/mcp` }, [hexKey]],
  [{ url: `https://a.example/api/${uuid}/mcp?v=2` }, [uuid]],
  [{ url: `https://a.example/mcp?k=${opaque}&x=${hexKey}` }, [opaque, hexKey]],
  [{ args: ['-y', 'remote', `https://a.example/${opaque}/mcp`] }, [opaque]],
  [{ args: ['-y', 'some-mcp', opaque, '-k', hexKey] }, [opaque, hexKey]],
  [{ args: ['--url', `https://a.example/${opaque}`, `--ref=x`, `X=${opaque}`] }, [opaque, opaque]],
  [{ args: ['--header', `X-Custom: ${opaque}`] }, [opaque]],
])('finds the opaque keys of a launch: %j', (launch, secrets) => {
  expect(opaqueSecrets(launch)).toEqual(secrets);
});

test.each([
  { url: 'https://mcp.example.com/v1/mcp-server-2024-11-05/projects/context7/sse?transport=streamable-http2' },
  { url: `https://${opaque}.example.com/mcp` },
  {
    args: [
      '-y',
      '@scope/server-filesystem@2025.11.25',
      '/home/ann/projects/a1b2c3d4e5f6a7b8c9d0',
      'dist/index-4f3a9c.js',
    ],
  },
  { args: ['run', '-i', `img@sha256:${hexKey}${hexKey}`, '--project-ref', opaque] },
  { args: ['-m', 'mcp_server_time', '--local-timezone=Europe/Paris', 'getCurrentTimeInZone'] },
])('finds no opaque key in %j', (launch) => {
  expect(opaqueSecrets(launch)).toEqual([]);
});

test('finds no opaque key in the argument that names the package', () => {
  expect(opaqueSecrets({ args: ['-y', opaque, hexKey] }, 1)).toEqual([hexKey]);
});

describe('CachingMasker', () => {
  test('returns the same text until more secrets are known', () => {
    const masker = new Masker();
    const repeated = new CachingMasker(masker);
    const said = 'called with hunter2-hunter2';
    expect([repeated.maskText(said), repeated.maskText(said)]).toEqual([said, said]);
    masker.setSecrets(['hunter2-hunter2']);
    expect(repeated.maskText(said)).toBe('called with ***');
    expect(repeated.maskText('token=abcdef')).toBe('token=***');
  });

  test('masks a short text only once', () => {
    const masker = new Masker();
    const looks = vi.spyOn(masker, 'maskText');
    const repeated = new CachingMasker(masker);
    for (let n = 0; n < 3; n++) repeated.maskText('list_issues');
    expect(looks).toHaveBeenCalledTimes(1);
    for (let n = 0; n < 3; n++) repeated.maskText('x'.repeat(201));
    expect(looks).toHaveBeenCalledTimes(4);
  });
});
