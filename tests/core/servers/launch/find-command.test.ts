/** Executable extensions on Windows. */
import { expect, test } from 'vitest';
import { pathExtensions } from '../../../../src-main/core/servers/launch/find-command.ts';

test.each([
  ['.COM;.EXE;.PY', ['.COM', '.EXE', '.PY']],
  ['.exe;', ['.exe']],
  [undefined, ['.COM', '.EXE', '.BAT', '.CMD']],
  ['', ['.COM', '.EXE', '.BAT', '.CMD']],
  ['.CPL', ['.COM', '.EXE', '.BAT', '.CMD']],
])('reads PATHEXT %s as the extensions %j', (given, expected) => {
  expect(pathExtensions(given)).toEqual(expected);
});
