/** Text from servers on a terminal. */
import { expect, test } from 'vitest';
import { columns, jsonText, oneLine, plainText } from '../../src-main/cli/terminal.ts';
import { contentText } from '../../src-main/cli/commands/call.ts';

test('JSON output escapes invisible and bidirectional control characters', () => {
  const value = { text: 'a\u202eb\u200bc\u{e0041}d\u0085e' };
  expect(jsonText(value)).toBe('{"text":"a\\u202eb\\u200bc\\udb40\\udc41d\\u0085e"}');
  expect(JSON.parse(jsonText(value))).toEqual(value);
});

test('removes control sequences from server text', () => {
  expect(plainText('a\u001b]0;title\u0007b\u001b[2Jc\u009b31md\u202ee\r\nf\tg')).toBe('abcde\nf\tg');
  expect(oneLine('  one\r\n two\u2028three ')).toBe('one two three');
});

test('aligns columns, truncates the last one to the width, and truncates nothing in a pipe', () => {
  const rows = [
    ['NAME', 'N', 'WHERE'],
    ['longer', '12', 'npx -y a-very-long-package-name'],
  ];
  expect(columns(rows, 30)).toEqual(['NAME    N   WHERE', 'longer  12  npx -y a-very-lon…']);
  expect(columns(rows, Infinity)[1]).toBe('longer  12  npx -y a-very-long-package-name');
});

test('truncates the widest columns in a narrow terminal', () => {
  const rows = [
    ['NAME', 'STATUS', 'TOOLS', 'TRANSPORT', 'COMMAND OR URL'],
    ['a-very-long-server-name-indeed', '\u001b[32mReady\u001b[39m', '6', 'stdio', '/usr/bin/node server.js'],
  ];
  const lines = columns(rows, 40).map(plainText);
  expect(lines.every((line) => line.length <= 40)).toBe(true);
  expect(lines[1]).toMatch(/^a-\S*… {2}Ready {2,3}6 {6}stdio/);
});

test('describes content that is not text, and prints structured content where there is none', () => {
  const content = [
    { type: 'text', text: 'hello' },
    { type: 'image', mimeType: 'image/png', data: 'A'.repeat(4000) },
    { type: 'resource_link', name: 'readme', uri: 'file:///r.md' },
    { type: 'resource', resource: { uri: 'x:y', text: 'inside' } },
    { type: 'hologram' },
  ];
  expect(contentText({ content }, false)).toBe(
    'hello\n[image, image/png, 3 kB]\n[link, readme file:///r.md]\ninside\n[hologram]\n',
  );
  expect(contentText({ content: [], structuredContent: { a: 1 } }, false)).toBe('{\n  "a": 1\n}\n');
});
