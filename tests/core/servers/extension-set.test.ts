/** Which kind of app asks, by the extensions it declares, and what several servers declare as one. */
import { expect, test } from 'vitest';
import {
  extensionSetOf,
  mergedExtensions,
  supportsViews,
  viewExtension,
} from '../../../src-main/core/servers/extension-set.ts';

const html = { mimeTypes: ['text/html;profile=mcp-app'] };

test('apps are of one kind where they declare the same, in whatever order, and whatever else they can do', () => {
  const one = extensionSetOf({ roots: {}, extensions: { a: { x: 1, y: 2 }, b: {} } });
  const other = extensionSetOf({ extensions: { b: {}, a: { y: 2, x: 1 } } });
  expect(one?.key).toBe(other?.key);
  expect(one?.extensions).toEqual({ a: { x: 1, y: 2 }, b: {} });
  expect(extensionSetOf({ extensions: { a: { x: 2 } } })?.key).not.toBe(one?.key);
});

test.each([[{}], [{ extensions: {} }], [{ extensions: [] }], [{ extensions: { a: 1, b: null } }]])(
  'an app that declares %o is of no kind',
  (capabilities) => expect(extensionSetOf(capabilities)).toBeUndefined(),
);

test('what is not to count makes no kind', () => {
  expect(extensionSetOf({ extensions: { [viewExtension]: html } }, [viewExtension])).toBeUndefined();
  expect(extensionSetOf({ extensions: { [viewExtension]: html, a: {} } }, [viewExtension])?.extensions).toEqual({
    a: {},
  });
});

test.each([
  [html, true],
  [{}, true],
  [{ mimeTypes: ['text/uri-list'] }, false],
])('whether an app with settings %o shows interfaces: %s', (settings, shows) => {
  expect(supportsViews({ extensions: { [viewExtension]: settings } })).toBe(shows);
});

test('what servers declare is put together: lists have all items, groups all members, of plain values the first counts', () => {
  const merged = mergedExtensions([
    { extensions: { a: { list: [1, { x: 1 }], by: 'first', deep: { one: true } } } },
    {},
    { extensions: { a: { list: [{ x: 1 }, 2], by: 'second', deep: { two: true } }, b: {} } },
  ]);
  expect(merged).toEqual({ a: { list: [1, { x: 1 }, 2], by: 'first', deep: { one: true, two: true } }, b: {} });
});

test('a name that JavaScript gives a meaning is a name', () => {
  const declared = JSON.parse('{ "extensions": { "__proto__": { "a": 1 } } }') as Record<string, unknown>;
  const merged = mergedExtensions([declared, declared]);
  expect(Object.keys(merged)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
});
