/** Groups client apps by the extensions they declare, and merges the declarations of servers. */
import { expect, test } from 'vitest';
import {
  extensionSetOf,
  mergedExtensions,
  supportsViews,
  viewExtension,
} from '../../../src-main/core/servers/extension-set.ts';

const html = { mimeTypes: ['text/html;profile=mcp-app'] };

test('returns the same key for the same extensions in any order, ignoring other capabilities', () => {
  const one = extensionSetOf({ roots: {}, extensions: { a: { x: 1, y: 2 }, b: {} } });
  const other = extensionSetOf({ extensions: { b: {}, a: { y: 2, x: 1 } } });
  expect(one?.key).toBe(other?.key);
  expect(one?.extensions).toEqual({ a: { x: 1, y: 2 }, b: {} });
  expect(extensionSetOf({ extensions: { a: { x: 2 } } })?.key).not.toBe(one?.key);
});

test.each([[{}], [{ extensions: {} }], [{ extensions: [] }], [{ extensions: { a: 1, b: null } }]])(
  'returns undefined for a client app that declares %o',
  (capabilities) => expect(extensionSetOf(capabilities)).toBeUndefined(),
);

test('leaves out ignored extensions', () => {
  expect(extensionSetOf({ extensions: { [viewExtension]: html } }, [viewExtension])).toBeUndefined();
  expect(extensionSetOf({ extensions: { [viewExtension]: html, a: {} } }, [viewExtension])?.extensions).toEqual({
    a: {},
  });
});

test.each([
  [html, true],
  [{}, true],
  [{ mimeTypes: ['text/uri-list'] }, false],
])('returns whether a client app with settings %o supports views: %s', (settings, shows) => {
  expect(supportsViews({ extensions: { [viewExtension]: settings } })).toBe(shows);
});

test('merges declarations: joins lists, merges objects and keeps the first plain value', () => {
  const merged = mergedExtensions([
    { extensions: { a: { list: [1, { x: 1 }], by: 'first', deep: { one: true } } } },
    {},
    { extensions: { a: { list: [{ x: 1 }, 2], by: 'second', deep: { two: true } }, b: {} } },
  ]);
  expect(merged).toEqual({ a: { list: [1, { x: 1 }, 2], by: 'first', deep: { one: true, two: true } }, b: {} });
});

test('treats __proto__ as an ordinary name', () => {
  const declared = JSON.parse('{ "extensions": { "__proto__": { "a": 1 } } }') as Record<string, unknown>;
  const merged = mergedExtensions([declared, declared]);
  expect(Object.keys(merged)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
});
