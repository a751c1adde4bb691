import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AppError } from '../../src-main/core/base/errors.ts';
import { modeValues } from '../../src-main/core/config/mode-names.ts';
import { allModes } from '../../src-main/compat/all-modes.ts';

test('finds every mode by its name, and describes it in one line', () => {
  for (const mode of allModes.modes) {
    expect(allModes.find(mode.name)).toBe(mode);
    expect(allModes.find(` ${mode.name.toUpperCase()}`)).toBe(mode);
    expect(mode.line).toMatch(/^.{5,80}$/);
  }
});

test('README lists every mode in its table', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
  const [, table = ''] = readme.split('\n## Modes\n');
  const rows = [...table.matchAll(/^\| `([a-z]+)` +\|/gm)].map(([, name]) => name);
  expect(rows.toSorted()).toEqual([...modeValues].toSorted());
});

test('finds every helper tool by its name, which no other one has', () => {
  for (const helper of allModes.modes.flatMap((mode) => mode.helpers)) {
    expect(allModes.helpers.get(helper.definition.name)).toBe(helper);
  }
  for (const { definition } of allModes.helpers.values()) {
    expect(definition.name).toMatch(/^[a-z][a-z0-9_-]{1,59}$/);
    expect(definition['inputSchema']).toMatchObject({ type: 'object' });
    expect(String(definition['description']).length).toBeLessThanOrEqual(2048);
  }
});

test.each([
  ['', ''],
  ['constructor', ''],
  ['__proto__', 'Did you mean "proxy"? '],
])('rejects the unknown mode %j and lists the modes', (name, meant) => {
  expect(() => allModes.find(name)).toThrow(
    expect.objectContaining({
      code: 'mode_unknown',
      fix: `${meant}Modes: ${modeValues.join(', ')}.`,
    }) as AppError,
  );
});
