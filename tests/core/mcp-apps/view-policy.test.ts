/** What a view may access: nothing by default, what it declared and the user allowed, and never the local computer. */
import { expect, test } from 'vitest';
import {
  createViewPolicy,
  parseViewRequirements,
  type ViewRequirements,
} from '../../../src-main/core/mcp-apps/view-policy.ts';

const nothing = { network: false, permissions: false };

function directives(wishes: ViewRequirements, granted = nothing): Record<string, string> {
  const csp = createViewPolicy(wishes, granted).headers['content-security-policy'] ?? '';
  return Object.fromEntries(csp.split('; ').map((one) => one.split(/ (.*)/, 2) as [string, string]));
}

const declared = parseViewRequirements({
  csp: {
    connectDomains: ['https://api.example.com', 'wss://live.example.com:8443/'],
    resourceDomains: ['https://*.cdn.example.com'],
    frameDomains: ['https://player.example.com'],
    baseUriDomains: ['https://base.example.com'],
  },
  permissions: { camera: {}, clipboardWrite: {}, bluetooth: {} },
});

test('grants a view no network, no storage and no own origin by default', () => {
  const found = directives(declared);
  expect(found).toMatchObject({
    sandbox: 'allow-scripts allow-forms',
    'default-src': "'none'",
    'script-src': "'unsafe-inline'",
    'connect-src': "'none'",
    'frame-src': "'none'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'object-src': "'none'",
    'img-src': 'data: blob:',
  });
  const { 'frame-ancestors': ancestors, ...others } = found;
  expect(ancestors).toBe("'self'");
  expect(Object.values(others).join(' ')).not.toMatch(/'self'|http|unsafe-eval/);
  expect(createViewPolicy(declared, nothing)).toMatchObject({
    allow: '',
    headers: {
      'connection-allowlist': '()',
      'permissions-policy': 'camera=(), microphone=(), geolocation=(), clipboard-write=()',
    },
  });
});

test('grants a view what it declared and the user allowed, each kind in its directive', () => {
  const found = directives(declared, { network: true, permissions: true });
  expect(found).toMatchObject({
    'connect-src': 'https://api.example.com wss://live.example.com:8443',
    'script-src': "'unsafe-inline' https://*.cdn.example.com",
    'frame-src': 'https://player.example.com',
    'base-uri': 'https://base.example.com',
  });
  const { allow, headers } = createViewPolicy(declared, { network: true, permissions: true });
  expect(allow).toBe('camera *; clipboard-write *');
  expect(headers['permissions-policy']).toBe('camera=*, microphone=(), geolocation=(), clipboard-write=*');
  expect(headers['connection-allowlist']).toContain('"https://api.example.com"');
});

const never = [
  ...[
    '*',
    'https:',
    'https://*',
    'https://*.com; script-src *',
    "'self'",
    "'unsafe-eval'",
    'data:',
    'https://a.com/path',
  ],
  ...['https://localhost', 'http://127.0.0.1:3000', 'http://[::1]', 'http://printer.local', 'http://app.localhost:80'],
  ...['http://192.168.0.1', 'http://0.0.0.0', 'http://2130706433', 'https://a.com https://b.com', 'javascript://a.com'],
];

test.for(never)('rejects %s as a domain of a view, and lists it as refused', (one) => {
  const wishes = parseViewRequirements({ csp: { connectDomains: [one], resourceDomains: [one], frameDomains: [one] } });
  expect(wishes).toMatchObject({ connect: [], resources: [], frames: [], refused: [one] });
});

test('ignores malformed domains, and limits their number', () => {
  expect(
    parseViewRequirements({ csp: { connectDomains: 'https://a.example', frameDomains: [7, null] } }),
  ).toMatchObject({
    connect: [],
    frames: [],
    refused: ['7', 'null'],
  });
  const many = Array.from({ length: 500 }, (_, index) => `https://a${index}.example.com`);
  expect(parseViewRequirements({ csp: { connectDomains: many } }).connect).toHaveLength(40);
});
