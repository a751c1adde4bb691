import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AppError } from '../../src-main/core/base/errors.ts';
import { modeWords } from '../../src-main/core/config/app-config.ts';
import { findMode, helperTools, modes } from '../../src-main/core/mode-list.ts';

test('every mode is found by its name and says in a line what it is', () => {
  for (const mode of modes) {
    expect(findMode(mode.name)).toBe(mode);
    expect(findMode(` ${mode.name.toUpperCase()}`)).toBe(mode);
    expect(mode.line).toMatch(/^.{5,80}$/);
  }
});

test('README has every mode in its table', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
  const [, table = ''] = readme.split('\n## Modes\n');
  const rows = [...table.matchAll(/^\| `([a-z]+)` +\|/gm)].map(([, name]) => name);
  expect(rows.toSorted()).toEqual([...modeWords].toSorted());
});

test('every helper tool of every mode can be found by its name, and no two different ones share one', () => {
  for (const helper of modes.flatMap((mode) => mode.helpers)) {
    expect(helperTools.get(helper.definition.name)).toBe(helper);
  }
  for (const { definition } of helperTools.values()) {
    expect(definition.name).toMatch(/^[a-z][a-z0-9_-]{1,59}$/);
    expect(definition['inputSchema']).toMatchObject({ type: 'object' });
    expect(String(definition['description']).length).toBeLessThanOrEqual(2048);
  }
});

test.each([
  ['', ''],
  ['constructor', ''],
  ['__proto__', 'Did you mean "proxy"? '],
])('there is no mode %j, and the answer names those there are', (name, meant) => {
  expect(() => findMode(name)).toThrow(
    expect.objectContaining({
      code: 'mode_unknown',
      fix: `${meant}Modes: auto, ${modes.map((mode) => mode.name).join(', ')}.`,
    }) as AppError,
  );
});
