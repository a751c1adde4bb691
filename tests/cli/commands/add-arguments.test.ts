/** How `add` reads its arguments. */
import { describe, expect, test } from 'vitest';
import { readArguments } from '../../../src-main/cli/command.ts';
import { add, entryOf } from '../../../src-main/cli/commands/add.ts';

function read(...args: string[]) {
  const { flags, words } = readArguments(add, args);
  return entryOf(flags as Parameters<typeof entryOf>[0], words.slice(1));
}

describe('the entry read from the arguments', () => {
  test.each([
    [['x', 'npx', '-y', 'pkg'], { command: 'npx', args: ['-y', 'pkg'] }],
    [
      ['x', 'npx', '-y', 'pkg', '--env', 'A=b=c', '--cwd', '/tmp', '--lazy'],
      { command: 'npx', args: ['-y', 'pkg'], env: { A: 'b=c' }, cwd: '/tmp', lazy: true },
    ],
    [
      ['--env=TOKEN', 'x', '--', 'run', '--env', 'B=c', '--json'],
      { command: 'run', args: ['--env', 'B=c', '--json'], env: { TOKEN: '${env:TOKEN}' } },
    ],
    [['x', 'https://example.com/mcp'], { url: 'https://example.com/mcp' }],
    [
      ['x', '--url', 'http://h/sse', '--transport', 'sse', '--header', 'Authorization: Bearer a', '--header', 'X=1'],
      { url: 'http://h/sse', type: 'sse', headers: { Authorization: 'Bearer a', X: '1' } },
    ],
    [['x', 'npx', '--yes', 'pkg'], { command: 'npx', args: ['--yes', 'pkg'] }],
    [['x', '--yes', '--lazy'], { lazy: true }],
    [['x', 'c', '--description', 'what it is'], { command: 'c', description: 'what it is' }],
  ])('%j', (args, entry) => {
    expect(read(...args)).toEqual(entry);
  });
});

test.each([
  [[]],
  [['x', '--env', 'A=b']],
  [['x', '--frob', 'c']],
  [['x', 'c', '--url', 'https://h']],
  [['x', '--url', 'ftp://h']],
  [['x', '--url', 'https://h', '--env', 'A=b']],
  [['x', 'c', '--header', 'A=b']],
  [['x', 'c', '--env']],
  [['x', 'c', '--env', '=b']],
  [['x', '--url', 'https://h', '--transport', 'pigeon']],
])('rejects %j as wrong use', (args) => {
  expect(() => read(...args)).toThrow(expect.objectContaining({ code: 'bad_request' }) as Error);
});
