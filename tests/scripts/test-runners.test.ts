/** `npm test -- FILE` starts the runner that the file belongs to. */
import { expect, test } from 'vitest';
import { runnersOf } from '../../scripts/test/runners.mjs';

test('without arguments runs everything but the long tests', () => {
  expect(runnersOf([])).toEqual([
    ['vitest', 'run', '--project', 'shared', '--project', 'alone'],
    ['playwright', 'test', '--project', 'usual'],
    ['playwright', 'test', '--config', 'tests/desktop'],
  ]);
});

test.each([
  ['tests/core/base/json.test.ts', ['vitest', 'run']],
  ['./tests/desktop/tray-menu.test.ts', ['vitest', 'run']],
  ['tests\\e2e\\setup.spec.ts', ['playwright', 'test']],
  ['/root/tests/desktop/tray.spec.ts', ['playwright', 'test', '--config', 'tests/desktop']],
  ['tests/package/linux.test.ts', ['vitest', 'run', '--config', 'tests/package/vitest.config.ts']],
])('%s has its runner', (file, runner) => {
  const path = file.replace('/root/', '').replace('./', '').replaceAll('\\', '/');
  expect(runnersOf([file], '/root')).toEqual([[...runner, path]]);
});

test('runs files of several runners one after the other, with the flags', () => {
  expect(runnersOf(['tests/e2e/setup.spec.ts', 'tests/cli/help.test.ts', 'tests/core/', '-t', 'a word'])).toEqual([
    ['playwright', 'test', 'tests/e2e/setup.spec.ts', '-t', 'a word'],
    ['vitest', 'run', 'tests/cli/help.test.ts', 'tests/core/', '-t', 'a word'],
  ]);
});

test('passes a word that is no file to vitest, which searches names for it', () => {
  expect(runnersOf(['architecture'])).toEqual([['vitest', 'run', 'architecture']]);
});
