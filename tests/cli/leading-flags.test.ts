/** Flags before the command, and ToolMux's flags in place of commands. */
import { describe, expect, test } from 'vitest';
import { readLeadingFlags } from '../../src-main/cli/run-command.ts';

describe("ToolMux's flags become commands", () => {
  test.each([
    ['--list-servers', 'list-servers'],
    ['--config F --list-servers', 'list-servers --config F'],
    ['--build-cache', 'build-cache'],
    ['--manage', 'list'],
    ['--manage list --json', 'list --json'],
    ['--manage validate', 'config validate'],
    ['--manage test --server-name x', 'test x'],
    ['--manage=remove --server-name=x', 'remove x'],
    [
      '--manage add --server-name x --server-command npx --server-args -y foo --config G',
      'add --config G x -- npx -y foo',
    ],
    ['--manage add --server-description D --server-name x --server-command c', 'add --description D x -- c'],
    ['--manage add --server-name x', 'add x'],
    ['--mode search --config F', 'stdio --config F --mode search'],
    ['--version', '--version'],
  ])('%s', (given, wanted) => {
    expect(readLeadingFlags(given.split(' ')).join(' ')).toBe(wanted);
  });
});

test('applies flags before a command to that command', () => {
  expect(readLeadingFlags(['--config', 'F', '--json', 'call', 'a:b', '{}'])).toEqual([
    'call',
    '--config',
    'F',
    '--json',
    'a:b',
    '{}',
  ]);
});

test.each(['--frob', '--config', '--manage frob', '--manage add', '--manage add --server-name x --server-args -y'])(
  'rejects %s as wrong use',
  (given) => {
    expect(() => readLeadingFlags(given.split(' '))).toThrow(expect.objectContaining({ code: 'bad_request' }) as Error);
  },
);
