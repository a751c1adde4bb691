import { expect, test } from 'vitest';
import { objectify } from '../../../src-main/compat/magg/proxy-tool.ts';

const uri = 'a://b';

test.each([
  [
    { text: '{ "k" : 1 }', mimeType: 'text/plain' },
    { text: '{"k":1}', contentType: 'text/plain' },
  ],
  [
    { text: ' [1, 2]\n', mimeType: 'text/x-log' },
    { text: '[1,2]', contentType: 'text/x-log' },
  ],
  [
    { text: '42', mimeType: 'text/plain' },
    { text: '42', contentType: 'text/plain' },
  ],
  [
    { text: 'null', mimeType: 'text/plain' },
    { text: 'null', contentType: 'text/plain' },
  ],
  [{ text: '{"n": 12345678901234567890}' }, { text: '{"n":12345678901234567890}' }],
])('%j becomes JSON', (resource, changed) => {
  expect(objectify({ uri, ...resource })).toEqual({ uri, mimeType: 'application/json', ...changed });
});

test.each([
  { text: 'words', mimeType: 'text/plain' },
  { text: '{ "k" : 1 }', mimeType: 'application/json' },
  { text: '{ "k" : 1 }', mimeType: 'application/json; charset=utf-8' },
  { text: '' },
  { blob: 'e30=', mimeType: 'text/plain' },
])('%j stays unchanged', (resource) => {
  const whole = { uri, ...resource };
  expect(objectify(whole)).toBe(whole);
});
