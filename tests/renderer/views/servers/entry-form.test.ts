/** Turns the fields of the form into a config entry. */
import { describe, expect, test } from 'vitest';
import {
  endpointOf,
  readEntry,
  splitCommand,
  toEntry,
  whatIsMissing,
} from '../../../../src-renderer/views/servers/entry-form.ts';

const empty = { kind: 'command', command: '', url: '', env: '', headers: '' } as const;

test('turns a command line into a program with arguments and environment', () => {
  const fields = { ...empty, command: 'npx -y "my server" ~/Docs', env: 'TOKEN = a=b\nnonsense\nEMPTY=' };
  expect(toEntry(fields)).toEqual({
    command: 'npx',
    args: ['-y', 'my server', '~/Docs'],
    env: { TOKEN: 'a=b', EMPTY: '' },
  });
});

test('turns an address into a URL with headers, and ignores the other fields', () => {
  const fields = { ...empty, kind: 'address', command: 'npx', url: ' https://a.example/mcp ' } as const;
  expect(toEntry({ ...fields, headers: 'Authorization: Bearer a:b' })).toEqual({
    url: 'https://a.example/mcp',
    headers: { Authorization: 'Bearer a:b' },
  });
});

describe('splits words as a shell does', () => {
  const cases: [string, string[]][] = [
    [`a  b`, ['a', 'b']],
    [`'a b' c`, ['a b', 'c']],
    [`--root="C:\\\\My Files" x`, ['--root=C:\\My Files', 'x']],
    [`a"b c"d`, ['ab cd']],
    [`"" x`, ['', 'x']],
    [String.raw`C:\tools\run.exe`, [String.raw`C:\tools\run.exe`]],
  ];
  test.each(cases)('%s', (text, words) => {
    expect(splitCommand(text)).toEqual(words);
  });
});

test('names one missing field at a time', () => {
  expect([
    whatIsMissing('', empty),
    whatIsMissing('a', empty),
    whatIsMissing('a', { ...empty, kind: 'address', url: 'ftp://a' }),
    whatIsMissing('a', { ...empty, command: 'npx' }),
  ]).toEqual(['Name is required.', expect.stringContaining('Command'), expect.stringContaining('https://'), '']);
});

test('shows an entry as its command line or address', () => {
  const entries = [{ command: 'uvx', args: ['mcp-server-time'] }, { url: 'https://a.example' }, {}];
  expect(entries.map(endpointOf)).toEqual(['uvx mcp-server-time', 'https://a.example', '']);
});

test('reads only an object as an entry, and otherwise reports why not', () => {
  expect(readEntry('{"command":"a"}')).toEqual({ entry: { command: 'a' } });
  expect([readEntry('[]'), readEntry('null'), readEntry('{')]).toEqual([
    { problem: expect.stringContaining('object') as string },
    { problem: expect.stringContaining('object') as string },
    { problem: expect.stringContaining('Invalid JSON') as string },
  ]);
});
