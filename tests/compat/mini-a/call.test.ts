/** Tests the action `call` of `proxy-dispatch`: tool resolution, arguments, and the form of results and errors. */
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src-main/core/base/errors.ts';
import { isObject, type JsonObject } from '../../../src-main/core/base/json.ts';
import { RpcError } from '../../../src-main/core/wire/message.ts';
import { RawJson } from '../../../src-main/core/wire/raw-json.ts';
import { serverWith } from '../../core/catalog/catalog-of.ts';
import { type Answer, dispatch, dispatchContext, type DispatchParts } from './dispatch-context.ts';
import { MemoryFiles } from './memory-files.ts';

const echo = {
  name: 'echo',
  inputSchema: { type: 'object', properties: { message: {}, loud_voice: {} }, required: ['message'] },
};
const dotted = [{ name: 'read.it' }, { name: 'read_it' }];
const servers = [
  serverWith('a', { tools: [echo, { name: 'only' }] }),
  serverWith('b', { tools: [echo] }),
  serverWith('c', { tools: dotted }),
  serverWith('dead', {}),
];

const call = (input: JsonObject, context = dispatchContext(servers)): Promise<Answer> =>
  dispatch({ action: 'call', ...input }, context);

/** Runs a call whose tool returns this, or fails with it. */
function answering(
  answer: JsonObject | RawJson | Error,
  input: JsonObject = {},
  parts: DispatchParts = {},
): Promise<Answer> {
  const callTool = async (): Promise<JsonObject | RawJson> => {
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return call({ tool: 'a:echo', ...input }, dispatchContext(servers, { ...parts, callTool }));
}

const said = (text: string, more: object = {}): JsonObject => ({ content: [{ type: 'text', text }], ...more });
const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };

describe('the tool', () => {
  test.each([
    [{ tool: 'only' }, 'a:only'],
    [{ tool: ' only ' }, 'a:only'],
    [{ tool: 'echo', connection: 'c2' }, 'b:echo'],
    [{ tool: 'echo', connection: 'default' }, 'a:echo'],
    [{ tool: 'b:echo' }, 'b:echo'],
    [{ tool: 'a_echo' }, 'a:echo'],
    [{ name: 'echo', server: 'b' }, 'b:echo'],
    [{ tool_name: 'only' }, 'a:only'],
    [{ tool: 'read.it' }, 'c:read.it'],
    [{ tool: 'read_it' }, 'c:read_it'],
  ])('%j calls %s', async (input, id) => {
    const context = dispatchContext(servers);
    const { isError, text } = await call(input, context);
    expect([isError, text, context.calls.map(({ tool }) => tool)]).toEqual([false, expect.anything(), [id]]);
  });

  test.each([
    [{}, "requires a 'tool' name"],
    [{ tool: 5 }, "requires a 'tool' name"],
    [{ tool: 'zz' }, "Tool 'zz' is not available on any registered connection"],
    [{ tool: 'onyl' }, 'Did you mean a:only?'],
    [
      { tool: 'echo' },
      "Tool 'echo' is available on multiple connections: c1 (a), c2 (b). Please specify 'connection'.",
    ],
    [{ tool: 'echo', connection: 'zz' }, "Unknown connection identifier 'zz'. Connections: c1 (a), c2 (b)"],
    [{ tool: 'only', connection: 'c2' }, "Tool 'only' is not available on connection 'c2'"],
    [{ tool: 'only', connection: 'dead' }, 'not available or does not expose callable tools'],
  ])('%j is rejected: %s', async (input, fragment) => {
    const context = dispatchContext(servers);
    const { isError, text, facts } = await call({ arguments: {}, ...input }, context);
    expect([isError, text, context.calls]).toEqual([true, expect.stringContaining(fragment), []]);
    expect(facts).toMatchObject({ action: 'call', error: text.replace('Error: ', '') });
  });
});

describe('the arguments', () => {
  test.each([
    [{ arguments: { message: 'x' } }, { message: 'x' }],
    [{ arguments: '{"message":"x"}' }, { message: 'x' }],
    [{ args: { message: 'x' } }, { message: 'x' }],
    [{ args_json: '{"message":"x"}' }, { message: 'x' }],
    [{ params: { message: 'x' } }, { message: 'x' }],
    [{}, {}],
    [{ refresh: false, limit: 1, includeTools: true, includeInputSchema: false, includeAnnotations: true }, {}],
    [{ arguments: { message: 'x' }, stray: 1 }, { message: 'x' }],
  ])('%j are passed as %j and repeated', async (input, expected) => {
    const context = dispatchContext(servers);
    const { facts, isError, text } = await call({ tool: 'a:echo', ...input }, context);
    expect([isError, text]).toEqual([false, expect.anything()]);
    expect([context.calls[0]?.arguments, facts['arguments']]).toEqual([expected, expected]);
  });

  test.each([
    [{ arguments: 'x' }, "requires 'arguments' to be an object"],
    [{ arguments: [1] }, "requires 'arguments' to be an object"],
    [{ arguments: 5 }, "requires 'arguments' to be an object"],
    [{ arguments: { a: 1 }, args: { b: 2 } }, 'conflict.'],
    [{ message: 'x', path: '/tmp' }, 'received downstream input(s) at the proxy level: message, path'],
    [{ connection: 'a', server: 'x' }, 'received downstream input(s) at the proxy level: server'],
    [{ meta: 'x' }, "requires 'meta' to be an object"],
    [{ resultToFile: 'maybe' }, "'resultToFile' must be true or false"],
    [{ resultSizeThreshold: -1 }, "'resultSizeThreshold' must be an integer"],
  ])('%j are rejected before a call: %s', async (input, fragment) => {
    const context = dispatchContext(servers);
    const { isError, text } = await call({ tool: 'a:echo', ...input }, context);
    expect([isError, text, context.calls]).toEqual([true, expect.stringContaining(fragment), []]);
  });

  test('passes meta as the _meta of the call', async () => {
    const context = dispatchContext(servers);
    await call({ tool: 'only', meta: { trace: 1 } }, context);
    expect(context.calls[0]).toMatchObject({ rest: { _meta: { trace: 1 } }, via: 'proxy-dispatch' });
  });
});

describe('the result', () => {
  test('is the JSON of the first text, with connection, tool, arguments and an estimate beside it', async () => {
    const { text, facts, isError } = await answering(said('{ "n": 12345678901234567890 }'), {
      arguments: { message: 'x' },
    });
    expect([text, isError]).toEqual(['{"n":12345678901234567890}', false]);
    expect(facts).toEqual({
      action: 'call',
      connection: { id: 'a', alias: 'c1', serverInfo: null },
      tool: 'echo',
      arguments: { message: 'x' },
      resultFormat: 'json',
      estimatedTokens: 7,
    });
  });

  test.each([
    ['plain text stays in the whole result', said('hello'), said('hello'), []],
    ['a number is no payload', said('42'), said('42'), []],
    ['what only begins like JSON is text', said('[INFO] hello'), said('[INFO] hello'), []],
    [
      'a structure without a text is the payload',
      { content: [], structuredContent: { answer: 42 } },
      { answer: 42 },
      [],
    ],
    [
      'a structure beside a plain text stays with it',
      said('hello', { structuredContent: { a: 1 } }),
      said('hello', { structuredContent: { a: 1 } }),
      [],
    ],
    [
      'an image follows as it came',
      { content: [{ type: 'text', text: 'look' }, image] },
      { content: [{ type: 'text', text: 'look' }] },
      [image],
    ],
    [
      'what stands behind a payload follows as it came',
      { content: [{ type: 'text', text: '[1]' }, { type: 'text', text: 'and more' }, image] },
      [1],
      [{ type: 'text', text: 'and more' }, image],
    ],
    ['a result without content is told as it is', { toolResult: 1 }, { toolResult: 1 }, []],
  ])("has mini-a's form: %s", async (_, result, payload, blocks) => {
    const { json, content } = await answering(result, {}, { fullResults: true });
    expect([json, content.slice(1)]).toEqual([payload, blocks]);
  });

  test.each([
    ['a text is told as it is', said('hello'), 'hello', []],
    ['so is one that looks like JSON and is none', said('[INFO] hello'), '[INFO] hello', []],
    ['with what follows it', { content: [{ type: 'text', text: 'look' }, image] }, 'look', [image]],
    [
      'and without a structure of which it has every value',
      said("12 o'clock in Rome", { structuredContent: { at: { hour: 12, in: ['Rome'] } } }),
      "12 o'clock in Rome",
      [],
    ],
  ])('%s', async (_, result, text, blocks) => {
    const { text: told, facts, content } = await answering(result);
    expect([told, content.slice(1), facts['resultFormat']]).toEqual([text, blocks, 'text']);
  });

  test('keeps a text beside structuredContent that contains more', async () => {
    const result = said('hello', { structuredContent: { a: 1 } });
    expect((await answering(result)).json).toEqual(result);
  });

  test('of a megabyte, as bytes, has the same form', async () => {
    const { json } = await answering(new RawJson([Buffer.from(JSON.stringify(said('{"a":1}')))]));
    expect(json).toEqual({ a: 1 });
  });
});

describe('a failure', () => {
  const failed = (text: string): JsonObject => said(text, { isError: true });

  test('of the tool is an error, with its text and image', async () => {
    const { text, facts, isError, content } = await answering({
      ...failed('it failed'),
      content: [{ type: 'text', text: 'it failed' }, image],
    });
    expect([text, isError, content[1]]).toEqual(['Error: it failed', true, image]);
    expect(facts).toEqual({ action: 'call', connection: { id: 'a', alias: 'c1' }, tool: 'echo', error: 'it failed' });
  });

  test('of the protocol contains code and message', async () => {
    const { text, isError } = await answering(new RpcError(-32602, 'bad params'));
    expect([text, isError]).toEqual(['Error: bad params (code -32602)', true]);
  });

  test('because the server is down contains the reason without secrets', async () => {
    const { text } = await answering(new AppError('server_exited', 'a ended: TOKEN=abcdef123456'));
    expect(text).toMatch(/Connection 'c1' is not available or does not expose callable tools: a ended: TOKEN=\*\*\*/);
  });

  test('in a member of the result is an error beside its payload', async () => {
    const { json, facts, isError } = await answering({ error: 'no such thing' });
    expect([json, facts['error'], isError]).toEqual([{ error: 'no such thing' }, 'no such thing', true]);
  });

  test('after unknown parameters names them, missing ones and the known ones', async () => {
    const input = { arguments: { mesage: 1, LoudVoice: 1, zzz: 1 } };
    for (const failure of [failed('it failed'), new RpcError(-32602, 'it failed'), { error: 'it failed' }]) {
      const { facts } = await answering(failure, input);
      expect(facts['error']).toMatch(
        /^it failed.*\nUnrecognised parameters: 'mesage' \(did you mean 'message'\?\), 'LoudVoice' \(did you mean 'loud_voice'\?\), 'zzz' \(not in schema\)\. Still missing: message\. Valid parameters: message, loud_voice\.$/,
      );
    }
  });

  test('after correct parameters has no advice', async () => {
    const { text } = await answering(failed('it failed'), { arguments: { message: 1 } });
    expect(text).toBe('Error: it failed');
  });

  test('of arguments that do not fit contains the schema', async () => {
    const error = new AppError('arguments_invalid', 'They do not fit.', { fix: 'It takes message.' });
    const { text } = await answering(error, { arguments: { mesage: 1 } });
    expect(text).toMatch(
      /^Error: They do not fit\.\nUnrecognised.*\nSchema: \{"type":"object","properties":\{"message"/,
    );
  });

  test('lists only some of many wrong names', async () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`${i}`.repeat(2000), i]));
    const { text } = await answering(failed('no'), { arguments: many });
    expect([text.length < 3000, text]).toEqual([true, expect.stringContaining('4980 more')]);
  });

  test('because the caller cancelled is thrown', async () => {
    await expect(answering(new AppError('cancelled', 'Gone.'))).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('a file of arguments', () => {
  test('takes precedence over arguments, and only its name is repeated', async () => {
    const files = new MemoryFiles();
    files.texts.set('/kept/x.json', '{"message":"from the file"}');
    const context = dispatchContext(servers, { spillFiles: files });
    const { facts } = await call(
      { tool: 'a:echo', arguments: { message: 'x' }, argumentsFile: '/kept/x.json' },
      context,
    );
    expect(context.calls[0]?.arguments).toEqual({ message: 'from the file' });
    expect(facts['arguments']).toEqual({ _fromFile: '/kept/x.json' });
  });

  test('may be TOON', async () => {
    const files = new MemoryFiles();
    files.texts.set('/kept/x.toon', 'message: "a: b"\nrows[2]{id,ok}:\n  1,true\n  2,false');
    const context = dispatchContext(servers, { spillFiles: files });
    await call({ tool: 'a:echo', argumentsFile: '/kept/x.toon' }, context);
    const rows = [
      { id: 1, ok: true },
      { id: 2, ok: false },
    ];
    expect(context.calls[0]?.arguments).toEqual({ message: 'a: b', rows });
  });

  test.each([
    ['/kept/none', 'File for arguments does not exist'],
    ['/kept/', 'Path for arguments is not a file'],
    ['/kept/bad', 'Invalid JSON'],
    ['/kept/text', 'Invalid JSON'],
    ['/kept/digits.toon', 'Invalid JSON'],
    ['/kept/list', /must contain a JSON or TOON object/],
    ['/kept/list.toon', /must contain a JSON or TOON object/],
    [5, "requires 'argumentsFile' to be the path"],
  ])('%s is rejected: %s', async (argumentsFile, fragment) => {
    const files = new MemoryFiles();
    files.texts.set('/kept/bad', '{').set('/kept/list', '[1]').set('/kept/list.toon', '[2]: a,b');
    files.texts.set('/kept/text', 'Dear reader').set('/kept/digits.toon', 'id: 12345678901234567890');
    const context = dispatchContext(servers, { spillFiles: files });
    const { isError, text, facts } = await call({ tool: 'a:echo', argumentsFile }, context);
    expect([isError, text, context.calls]).toEqual([true, expect.stringMatching(fragment), []]);
    expect(isObject(facts) && facts['action']).toBe('call');
  });
});
