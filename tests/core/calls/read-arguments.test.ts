import { describe, expect, test } from 'vitest';
import { parseJson } from '../../../src-main/core/base/json.ts';
import { readArguments, readServerName, readToolName } from '../../../src-main/core/calls/read-arguments.ts';

const refused = (text: RegExp): unknown =>
  expect.objectContaining({ code: 'bad_request', message: expect.stringMatching(text) as string });

function outcome(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

describe('arguments', () => {
  test.each(['arguments', 'args', 'args_json', 'params'])('are read from %s, as an object or its JSON text', (key) => {
    expect(readArguments({ [key]: { a: 1 } })).toEqual({ a: 1 });
    expect(readArguments({ [key]: ' {"a":{"b":[1]}} ' })).toEqual({ a: { b: [1] } });
  });

  test('are undefined if absent or null, and empty for an empty text', () => {
    expect([readArguments({}), readArguments({ arguments: null }), readArguments({ args: ' \n' })]).toEqual([
      undefined,
      undefined,
      {},
    ]);
  });

  test.each([
    ['a text that is not JSON', '{a:1}', /not valid JSON/],
    ['a list', [1], /must be an object/],
    ['the text of a list', '[{"a":1}]', /must be an object/],
    ['the text of a text', '"{\\"a\\":1}"', /must be an object/],
    ['the text null', 'null', /must be an object/],
    ['a number', 5, /must be an object/],
    ['a number with its spelling kept', parseJson('5.0'), /must be an object/],
    ['false', false, /must be an object/],
  ])('are rejected by name if they are %s', (_what, value, text) => {
    const error = outcome(() => readArguments({ args: value }));
    expect(error).toEqual(refused(text));
    expect(error).toEqual(refused(/"args"/));
  });

  test('are accepted twice if both are equal, in whatever order and form', () => {
    const input = {
      arguments: { a: 1, b: [2, { c: 3, d: 4 }] },
      args_json: '{"b":[2,{"d":4,"c":3}],"a":1}',
      params: null,
    };
    expect(readArguments(input)).toEqual({ a: 1, b: [2, { c: 3, d: 4 }] });
  });

  test('are rejected if two differ, and both are named', () => {
    expect(outcome(() => readArguments({ arguments: {}, params: { a: 1 } }))).toEqual(refused(/arguments and params/));
    expect(outcome(() => readArguments({ args: { a: [1, 2] }, params: { a: [2, 1] } }))).toEqual(
      refused(/args and params/),
    );
  });

  test('keep every digit of numbers in a JSON text', () => {
    const text = '{"big":12345678901234567890,"price":1.10}';
    expect(JSON.stringify(readArguments({ args: text }))).toBe(text);
  });

  test('may hold any key', () => {
    const read = readArguments({ args: '{"__proto__":{"x":1},"constructor":2}' });
    expect(Object.entries(read ?? {})).toEqual([
      ['__proto__', { x: 1 }],
      ['constructor', 2],
    ]);
  });
});

describe('tool name', () => {
  test.each(['name', 'tool', 'tool_name', 'path'])('is read from %s', (key) => {
    expect(readToolName({ [key]: 'git:status' })).toBe('git:status');
  });

  test.each([{}, { name: '' }, { name: '  ' }, { name: 7 }, { name: null }])(
    'is rejected as missing in %j',
    (input) => {
      expect(outcome(() => readToolName(input))).toEqual(refused(/The tool name is missing\./));
    },
  );

  test('is accepted twice if both are equal, and rejected otherwise', () => {
    expect(readToolName({ name: 'x', tool: 'x', path: '' })).toBe('x');
    expect(outcome(() => readToolName({ name: 'x', tool: 'y' }))).toEqual(refused(/name and tool conflict/));
  });
});

describe('server name', () => {
  test('is read from server or connection, and may be absent', () => {
    expect([{ server: 'a' }, { connection: 'c2' }, {}, { server: '' }].map(readServerName)).toEqual([
      'a',
      'c2',
      undefined,
      undefined,
    ]);
  });

  test('is rejected if two differ', () => {
    expect(outcome(() => readServerName({ server: 'a', connection: 'b' }))).toEqual(refused(/server and connection/));
  });
});
