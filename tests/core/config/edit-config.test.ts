/** Edits preserve every byte of the file that they do not concern. */
import { expect, test } from 'vitest';
import { addServer, removeServer, setServerField, setTopLevel } from '../../../src-main/core/config/edit-config.ts';
import { initialConfigText } from '../../../src-main/core/config/config-store.ts';
import { parseConfig } from '../../../src-main/core/config/read-config.ts';

const commented = `// top
{
  "mode": "proxy", // how
  /* the
     servers */
  "servers": {
    // about a
    "a": { "command": "x" }, // behind a
    // about b
    "b": {
      "command": "y" // behind y
    } // behind b
    // "c": { "command": "z" }
  }
  // end
}
// bottom
`;

test('adds a server behind the last one and keeps every comment in place', () => {
  expect(addServer(commented, 'n', { command: 'npx', args: ['-y', 'p'], env: { A: '1' } })).toBe(
    commented.replace(
      '    } // behind b\n',
      `    }, // behind b
    "n": {
      "command": "npx",
      "args": ["-y", "p"],
      "env": {
        "A": "1"
      }
    }
`,
    ),
  );
});

test('removes a server with the comment behind it, but not those above or below', () => {
  expect(removeServer(commented, 'a')).toBe(commented.replace('    "a": { "command": "x" }, // behind a\n', ''));
  expect(removeServer(commented, 'b')).toBe(
    commented.replace('}, // behind a', '} // behind a').replace(/ {4}"b": \{[^]*behind b\n/, ''),
  );
});

test('sets, adds and removes a field in place', () => {
  expect(setServerField(commented, 'b', 'command', 'new')).toBe(commented.replace('"y"', '"new"'));
  expect(setServerField(commented, 'a', 'enabled', false)).toBe(commented.replace('"x" }', '"x", "enabled": false }'));
  expect(setServerField(commented, 'b', 'lazy', true)).toBe(
    commented.replace('"y" // behind y\n', '"y", // behind y\n      "lazy": true\n'),
  );
  const lazy = setServerField(commented, 'a', 'lazy', true);
  expect(setServerField(lazy, 'a', 'lazy', undefined)).toBe(commented);
  expect(setServerField(commented, 'a', 'lazy', undefined)).toBe(commented);
});

test('sets, adds and removes a setting', () => {
  expect(setTopLevel(commented, 'mode', 'search')).toBe(commented.replace('"proxy"', '"search"'));
  expect(setTopLevel(commented, 'mode', undefined)).toBe(commented.replace('  "mode": "proxy", // how\n', ''));
  expect(setTopLevel(commented, 'port', 1)).toBe(commented.replace('  }\n  // end', '  },\n  "port": 1\n  // end'));
});

test.each([
  [
    'one line',
    '{"servers":{"a":{"command":"x"}}}',
    '{"servers":{"a":{"command":"x"}, "n": { "command": "y", "args": [1, 2] }}}',
  ],
  ['one line, no server', '{"servers": {}}', '{"servers": { "n": { "command": "y", "args": [1, 2] } }}'],
  [
    'tabs',
    '{\n\t"servers": {\n\t\t"a": {}\n\t}\n}',
    '{\n\t"servers": {\n\t\t"a": {},\n\t\t"n": {\n\t\t\t"command": "y",\n\t\t\t"args": [1, 2]\n\t\t}\n\t}\n}',
  ],
  [
    'Windows line ends and a byte order mark',
    '\uFEFF{\r\n    "servers": {\r\n        "a": {}\r\n    }\r\n}\r\n',
    '\uFEFF{\r\n    "servers": {\r\n        "a": {},\r\n        "n": {\r\n            "command": "y",\r\n            "args": [1, 2]\r\n        }\r\n    }\r\n}\r\n',
  ],
  [
    'trailing commas',
    '{\n  "servers": {\n    "a": {}, // a\n  },\n}',
    '{\n  "servers": {\n    "a": {}, // a\n    "n": {\n      "command": "y",\n      "args": [1, 2]\n    },\n  },\n}',
  ],
  [
    'an empty object',
    '{}',
    '{\n  "servers": {\n    "n": {\n      "command": "y",\n      "args": [1, 2]\n    }\n  }\n}',
  ],
  [
    'only comments',
    '// a\n/* b */',
    '// a\n/* b */\n{\n  "servers": {\n    "n": {\n      "command": "y",\n      "args": [1, 2]\n    }\n  }\n}\n',
  ],
  ['nothing', '', '{\n  "servers": {\n    "n": {\n      "command": "y",\n      "args": [1, 2]\n    }\n  }\n}\n'],
  [
    'comments in an empty container',
    '{\n  "servers": {\n    // none yet\n  }\n}',
    '{\n  "servers": {\n    // none yet\n    "n": {\n      "command": "y",\n      "args": [1, 2]\n    }\n  }\n}',
  ],
  [
    'another format',
    '{ "theme": 1,\n  "mcpServers": { } }',
    '{ "theme": 1,\n  "mcpServers": {\n    "n": {\n      "command": "y",\n      "args": [1, 2]\n    }\n  } }',
  ],
  [
    'a list',
    '{\n  "mcpServers": [\n    { "name": "a" }\n  ]\n}',
    '{\n  "mcpServers": [\n    { "name": "a" },\n    {\n      "name": "n",\n      "command": "y",\n      "args": [1, 2]\n    }\n  ]\n}',
  ],
])('keeps the layout of %s when a server is added', (_, before, after) => {
  expect(addServer(before, 'n', { command: 'y', args: [1, 2], cwd: undefined })).toBe(after);
});

test.each([
  ['{"servers":{"a":1, "b":2}}', 'a', '{"servers":{"b":2}}'],
  ['{"servers":{"a":1, "b":2}}', 'b', '{"servers":{"a":1}}'],
  ['{ "servers": { "a": 1, } }', 'a', '{ "servers": { } }'],
  ['{ "servers": { "a": 1 } }', 'a', '{ "servers": { } }'],
  ['{ "servers": { "a": 1, /* b */ "b": 2 } }', 'b', '{ "servers": { "a": 1 /* b */ } }'],
  ['{\n "servers": {\n  "b": 1,\n  "a": 2,\n },\n}', 'a', '{\n "servers": {\n  "b": 1,\n },\n}'],
  ['{\n "servers": {\n  "a": 1,\n  "b": 2,\n  "a": 3\n }\n}', 'a', '{\n "servers": {\n  "b": 2\n }\n}'],
  [
    '{ "servers": { "a": 1 }, "mcpServers": [{ "name": "a" }, { "name": "b" }] }',
    'a',
    '{ "servers": { }, "mcpServers": [{ "name": "b" }] }',
  ],
  ['{ "servers": { "__proto__": { "x": 1 }, "b": 2 } }', '__proto__', '{ "servers": { "b": 2 } }'],
])('in %j, removes %s completely', (before, name, after) => {
  expect(removeServer(before, name)).toBe(after);
});

test('writes a field under the key that the product of the file uses', () => {
  const cline = '{ "mcpServers": { "a": { "command": "x", "disabled": true } } }';
  expect(setServerField(cline, 'a', 'enabled', true)).toBe(cline.replace('true', 'false'));
  const mcpProxy = '{ "mcpServers": [ { "name": "a", "working_dir": "/w", "protocol": "http", "url": "u" } ] }';
  expect(setServerField(mcpProxy, 'a', 'cwd', '/v')).toBe(mcpProxy.replace('/w', '/v'));
  expect(setServerField(mcpProxy, 'a', 'type', 'sse')).toBe(mcpProxy.replace('"http"', '"sse"'));
  const toolMux = '{ "servers": { "a": { "transport": "http", "base_url": "http://h" } } }';
  expect(setServerField(toolMux, 'a', 'url', 'http://g')).toBe(toolMux.replace('http://h', 'http://g'));
});

test('keeps unknown keys in every edit', () => {
  const text = '{ "servers": { "a": { "command": "x", "mystery": { "deep": [1, null] } } }, "other": 1.50 }';
  const edited = setTopLevel(setServerField(addServer(text, 'b', { command: 'y' }), 'a', 'lazy', true), 'raw', true);
  expect(edited).toContain('"mystery": { "deep": [1, null] }');
  expect(edited).toContain('"other": 1.50');
});

test('rejects impossible edits with a code', () => {
  const codeOf = (edit: () => string): unknown => {
    try {
      return edit();
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  expect(codeOf(() => addServer(commented, 'a', {}))).toBe('config_conflict');
  expect(codeOf(() => removeServer(commented, 'zz'))).toBe('server_not_found');
  expect(codeOf(() => setServerField(commented, 'zz', 'lazy', true))).toBe('server_not_found');
  expect(codeOf(() => addServer('{ "servers": ', 'n', {}))).toBe('config_invalid');
  expect(codeOf(() => addServer('[]', 'n', {}))).toBe('config_invalid');
  expect(codeOf(() => addServer('{ "servers": 5 }', 'n', {}))).toBe('config_invalid');
});

test('edits a long file on one line without delay', () => {
  const many = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`s${index}`, { command: 'x', args: ['a'] }]),
  );
  const text = JSON.stringify({ servers: many });
  expect(removeServer(addServer(text, 'n', { command: 'y' }), 'n')).toBe(text);
});

/** A small generator with a fixed seed (mulberry32), so that a failure can be repeated. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function randomFile(random: (below: number) => number): string {
  const gaps = ['', ' ', '\n', '\n  ', '\t', ' // c1\n', '/* c2 */', '\r\n', ' /* c3\n */ ', '\n\n// c4\n'];
  const gap = (): string => gaps[random(gaps.length)] ?? '';
  const names = ['a', 'b', 'c', '__proto__', 'a'].slice(0, random(6));
  const entries = names.map(
    (name) => `${gap()}"${name}"${gap()}:${gap()}{${gap()}"command"${gap()}:"x"${gap()}}${gap()}`,
  );
  const trailing = entries.length > 0 && random(2) === 0 ? ',' : '';
  return `${gap()}{${gap()}"servers":${gap()}{${entries.join(',')}${trailing}${gap()}}${random(2) === 0 ? ',' : ''}${gap()}}${gap()}`;
}

test('edits hundreds of randomly formatted files correctly and keeps their comments', () => {
  const comments = (text: string): number => (text.match(/c\d/g) ?? []).length;
  let others = 0;
  for (let seed = 0; seed < 400; seed++) {
    const before = randomFile(randomFrom(seed));
    const added = addServer(before, 'n', { command: 'y' });
    const names = (text: string): string[] =>
      (parseConfig(text, '/c', {}).config?.servers ?? []).map(({ name }) => name);
    const known = names(before);
    others += known.length;
    expect(names(added), before).toEqual([...known, 'n']);
    expect(comments(added), before).toBe(comments(before));
    expect(names(removeServer(added, 'n')), before).toEqual(known);
    for (const name of known)
      expect(names(removeServer(added, name)), before).toEqual(names(added).filter((other) => other !== name));
    for (const name of known) expect(names(setServerField(before, name, 'lazy', true)), before).toEqual(known);
  }
  expect(others).toBeGreaterThan(400);
});

test('edits the initial config', () => {
  const added = addServer(initialConfigText, 'n', { command: 'y' });
  expect(removeServer(added, 'n')).toBe(initialConfigText);
  expect(parseConfig(added, '/c', {})).toMatchObject({
    problems: [],
    config: { servers: [{ name: 'utils' }, { name: 'n' }] },
  });
});
