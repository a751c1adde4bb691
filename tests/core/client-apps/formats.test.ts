/** Edits config files as other programs write them: only the Tooltray entry changes, and ambiguous files are rejected. */
import { describe, expect, test } from 'vitest';
import { jsoncFormat } from '../../../src-main/core/client-apps/formats/jsonc.ts';
import { tomlFormat } from '../../../src-main/core/client-apps/formats/toml.ts';
import { yamlFormat } from '../../../src-main/core/client-apps/formats/yaml.ts';

const entry = { command: '/x', args: ['a'] };
const refusal = expect.objectContaining({ code: 'config_invalid' }) as Error;

describe('TOML', () => {
  const path = ['mcp_servers', 'tooltray'];
  const block = '[mcp_servers.tooltray]\ncommand = "/x"\nargs = [ "a" ]\n';

  test.each([
    [
      'tables far apart',
      '[mcp_servers.tooltray]\ncommand = "o"\n\n[z]\na = 1\n\n[mcp_servers.tooltray.env]\nK = "1"\n',
      `${block}\n[z]\na = 1\n`,
    ],
    ['a quoted name', '["mcp_servers"."tooltray"] # ours\ncommand = "o"\n', block],
    ['a name with an escape', '[mcp_servers."\\u0074ooltray"]\ncommand = "o"\n', block],
    ['spaces in the header', '  [ mcp_servers . tooltray ]\n  command = "o"\n', block],
    [
      'an inline table among others',
      '[mcp_servers]\ntooltray = { command = "o" }\no = { command = "p" }\n',
      `[mcp_servers]\no = { command = "p" }\n\n${block}`,
    ],
    [
      'dotted keys',
      'mcp_servers.tooltray.command = "o"\nmcp_servers.o.command = "p"\n',
      `mcp_servers.o.command = "p"\n\n${block}`,
    ],
    [
      'a header inside of a long string',
      'a = """\n[mcp_servers.tooltray]\n\\"""\n"""\nb = \'\'\'\n[mcp_servers.tooltray]\'\'\'\n',
      `a = """\n[mcp_servers.tooltray]\n\\"""\n"""\nb = '''\n[mcp_servers.tooltray]'''\n\n${block}`,
    ],
    [
      'signs in strings and comments',
      'a = [ "]", \'#\', # ]\n  "\\"", ]\n[mcp_servers.tooltray]\nargs = [\n  "[z]", # [y]\n]\n[y]\n',
      `a = [ "]", '#', # ]\n  "\\"", ]\n${block}\n[y]\n`,
    ],
    [
      'a list of tables beside',
      '[[rules]]\na = 1\n[[rules]]\na = 2\n',
      `[[rules]]\na = 1\n[[rules]]\na = 2\n\n${block}`,
    ],
    ['no line break at the end', '[mcp_servers.tooltray]\ncommand = "o"', block],
  ])('sets the entry with %s', (_, before, after) => {
    expect(tomlFormat.set(before, path, entry)).toBe(after);
  });

  test.each([
    ['in the middle', `a = 1\n\n${block}\n[z]\n`, 'a = 1\n\n[z]\n'],
    ['at the end', `a = 1\n\n${block}`, 'a = 1\n'],
    ['alone', block, ''],
    ['of two', `[mcp_servers.o]\ncommand = "p"\n${block}`, '[mcp_servers.o]\ncommand = "p"\n'],
    ['not there', 'a = 1', 'a = 1'],
  ])('removes the entry %s', (_, before, after) => {
    expect(tomlFormat.remove(before, path)).toBe(after);
  });

  test.each([
    ['an inline container', 'mcp_servers = { tooltray = { command = "o" } }\n'],
    ['a list', '[[mcp_servers]]\na = 1\n'],
    ['a key twice', 'a = 1\na = 2\n'],
  ])('rejects %s', (_, text) => {
    expect(() => tomlFormat.set(text, path, entry)).toThrow(refusal);
  });

  test('keeps texts with quotes, backslashes and other alphabets', () => {
    const odd = { command: 'C:\\Program Files\\"x"\\ü.exe', args: ['\t', '日本', "'"] };
    expect(tomlFormat.read(tomlFormat.set('', path, odd))).toEqual({ mcp_servers: { tooltray: odd } });
  });
});

describe('YAML', () => {
  const path = ['extensions', 'tooltray'];
  const block = (indent: string): string =>
    `${indent}tooltray:\n${indent}  command: /x\n${indent}  args:\n${indent}    - a\n`;

  test.each([
    [
      'no value yet, with comments',
      'extensions: # here\n  # more\nz: 1\n',
      `extensions: # here\n${block('  ')}  # more\nz: 1\n`,
    ],
    ['null', 'extensions: null # none\nz: 1\n', `extensions: # none\n${block('  ')}z: 1\n`],
    ['an empty flow map', 'extensions: {} # none\n', `extensions: # none\n${block('  ')}`],
    [
      'deeper indentation',
      'extensions:\n    o:\n        cmd: x\n',
      `extensions:\n    o:\n        cmd: x\n${block('    ')}`,
    ],
    ['no line break at the end', 'extensions:\n  o:\n    cmd: x', `extensions:\n  o:\n    cmd: x\n${block('  ')}`],
    [
      'a long text last',
      'extensions:\n  o:\n    cmd: |\n      a\n      b\n# c\nz: 1\n',
      `extensions:\n  o:\n    cmd: |\n      a\n      b\n${block('  ')}# c\nz: 1\n`,
    ],
    [
      'ours in the middle',
      'extensions:\n  tooltray:\n    cmd: o # c\n  # about o\n  o: 1\n',
      `extensions:\n${block('  ')}  # about o\n  o: 1\n`,
    ],
    [
      'anchors elsewhere',
      'a: &a {x: 1}\nb: *a\nextensions:\n  o: *a\n',
      `a: &a {x: 1}\nb: *a\nextensions:\n  o: *a\n${block('  ')}`,
    ],
    ['a document with its marks', '---\na: 1\n...\n', `---\na: 1\nextensions:\n${block('  ')}...\n`],
  ])('sets the entry with %s', (_, before, after) => {
    expect(yamlFormat.set(before, path, entry)).toBe(after);
  });

  test.each([
    ['alone', `extensions:\n${block('  ')}z: 1\n`, 'extensions: {}\nz: 1\n'],
    ['first of two', `extensions:\n${block('  ')}  o: 1\n`, 'extensions:\n  o: 1\n'],
    ['last of two', `extensions:\n  o: 1\n${block('  ')}`, 'extensions:\n  o: 1\n'],
    ['of a flow map, first', 'extensions: {tooltray: {cmd: x}, o: 1}\n', 'extensions: {o: 1}\n'],
    ['of a flow map, last', 'extensions: {o: 1, tooltray: {cmd: x}}\n', 'extensions: {o: 1}\n'],
    ['not there', 'extensions:\n  o: 1', 'extensions:\n  o: 1'],
  ])('removes the entry %s', (_, before, after) => {
    expect(yamlFormat.remove(before, path)).toBe(after);
  });

  test.each([
    ['an anchor of ours that others use', 'extensions:\n  tooltray: &t\n    cmd: o\n  o: *t\n'],
    ['a key twice', 'extensions:\n  a: 1\n  a: 2\n'],
    ['a value in its place', 'extensions: 5\n'],
  ])('rejects %s', (_, text) => {
    expect(() => yamlFormat.set(text, path, entry)).toThrow(refusal);
  });

  test('keeps texts that look like other YAML values', () => {
    const odd = { cmd: 'C:\\x: y # z', args: ['yes', '1', '- a', 'null', '{', 'a\nb', `${'word '.repeat(60)}`] };
    expect(yamlFormat.read(yamlFormat.set('', path, odd))).toEqual({ extensions: { tooltray: odd } });
  });
});

describe('JSON', () => {
  test('creates a nested entry with its parents', () => {
    expect(
      jsoncFormat.set('{"projects":{"/p":{"a":1}}}', ['projects', '/p', 'mcpServers', 'tooltray'], { command: 'x' }),
    ).toBe('{"projects":{"/p":{"a":1, "mcpServers": { "tooltray": { "command": "x" } }}}}');
  });

  test('treats a dot in a key as part of the key', () => {
    expect(jsoncFormat.read(jsoncFormat.set('', ['amp.mcpServers', 'tooltray'], entry))).toEqual({
      'amp.mcpServers': { tooltray: entry },
    });
  });

  test.each([
    ['our name twice', '{"mcpServers":{"tooltray":{},"tooltray":{}}}'],
    ['text behind the end', '{} x'],
    ['a list as a whole', '[]'],
  ])('rejects %s', (_, text) => {
    expect(() => jsoncFormat.set(text, ['mcpServers', 'tooltray'], entry)).toThrow(refusal);
  });
});
