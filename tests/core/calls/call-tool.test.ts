import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src-main/core/base/errors.ts';
import {
  type CallerContext,
  type CallStages,
  callTool,
  type FinishedCall,
} from '../../../src-main/core/calls/call-tool.ts';
import type { CatalogEntry } from '../../../src-main/core/catalog/catalog.ts';
import { RpcError } from '../../../src-main/core/wire/message.ts';
import { RawJson } from '../../../src-main/core/wire/raw-json.ts';
import { callerOf } from '../../support/caller-of.ts';

const context: CallerContext = {
  principal: callerOf('test-app'),
  sessionId: 's1',
  app: 'Cursor',
  mode: 'proxy',
  clientInfo: {},
  clientCapabilities: {},
  signal: new AbortController().signal,
  onLog: () => undefined,
  askClient: () => Promise.reject(new Error('nobody to ask')),
  acceptsInputRequired: false,
};

const tool: CatalogEntry = {
  id: 'git:status',
  server: 'git',
  name: 'status',
  listedName: 'git_status',
  definition: {},
};

/** A pipeline that records its stages; single stages can be replaced. */
function pipeline(replaced: Partial<CallStages> = {}) {
  const steps: string[] = [];
  const records: FinishedCall[] = [];
  const usual: CallStages = {
    resolve: () => tool,
    allow: () => undefined,
    check: async (_tool, request) => request.arguments,
    release: (_tool, args) => ({ args }),
    call: async () => ({ content: [] }),
    shape: (result) => ({ result, limit: undefined }),
    record: (call) => void records.push(call),
    ...replaced,
  };
  const noted = Object.fromEntries(
    Object.entries(usual).map(([name, step]) => [
      name,
      (...args: unknown[]) => {
        steps.push(name);
        return (step as (...input: unknown[]) => unknown)(...args);
      },
    ]),
  ) as unknown as CallStages;
  return { steps, records, noted };
}

function fail(error: Error): () => never {
  return () => {
    throw error;
  };
}

test('runs each stage once, in order', async () => {
  const { steps, noted } = pipeline();
  await callTool({ tool: 'git_status', arguments: {} }, context, noted);
  expect(steps).toEqual(['resolve', 'allow', 'release', 'call', 'shape', 'record']);
});

test('checks the arguments a model wrote into a helper tool, and sends the checked ones', async () => {
  const sent: unknown[] = [];
  const { steps, noted } = pipeline({
    check: async () => ({ hoisted: true }),
    call: async (_tool, params) => {
      sent.push(params);
      return {};
    },
  });
  await callTool({ tool: 'git_status', arguments: { a: 1 }, via: 'call_tool' }, context, noted);
  expect(steps).toEqual(['resolve', 'allow', 'check', 'release', 'call', 'shape', 'record']);
  expect(sent).toEqual([{ name: 'status', arguments: { hoisted: true } }]);
});

test('sends the server its own tool name, the arguments, and every other member unchanged', async () => {
  const sent: unknown[] = [];
  const { noted } = pipeline({
    call: async (_tool, params) => {
      sent.push(params);
      return {};
    },
  });
  const rest = { _meta: { vendor: [1] }, task: { ttl: 5 }, unknown: null, name: 'not this' };
  await callTool({ tool: 'c1:status', arguments: { a: 1 }, rest }, context, noted);
  await callTool({ tool: 'c1:status', arguments: undefined }, context, noted);
  expect(sent).toEqual([
    { _meta: { vendor: [1] }, task: { ttl: 5 }, unknown: null, name: 'status', arguments: { a: 1 } },
    { name: 'status' },
  ]);
});

test('returns the shaped result to the model, and records both', async () => {
  const [answer, shaped] = [{ content: ['much'] }, { content: ['little'] }];
  const limit = { toFile: false, bytes: 100, ofApp: true };
  const { noted, records } = pipeline({ call: async () => answer, shape: () => ({ result: shaped, limit }) });
  expect(await callTool({ tool: 'x', arguments: {} }, context, noted)).toBe(shaped);
  expect(records).toMatchObject([{ result: answer, given: shaped, limit, outcome: 'ok', failure: undefined, tool }]);
});

describe('failures that are thrown and recorded', () => {
  const blocked = new AppError('not_allowed', 'No.');
  const unknown = new AppError('tool_not_found', 'No such tool.');
  const gone = new AppError('cancelled', 'Cancelled.');
  const refused = new RpcError(-32602, 'bad params', { why: 1 });

  test.each<[string, Partial<CallStages>, Error, string[], string]>([
    ['an unknown tool', { resolve: fail(unknown) }, unknown, ['resolve', 'record'], 'failed'],
    ['a call that is not allowed', { allow: fail(blocked) }, blocked, ['resolve', 'allow', 'record'], 'blocked'],
    [
      'an error of the server',
      { call: fail(refused) },
      refused,
      ['resolve', 'allow', 'release', 'call', 'record'],
      'failed',
    ],
    ['a cancelled call', { call: fail(gone) }, gone, ['resolve', 'allow', 'release', 'call', 'record'], 'cancelled'],
    [
      'a defect of Tooltray',
      { shape: fail(new TypeError('x')) },
      new TypeError('x'),
      ['resolve', 'allow', 'release', 'call', 'shape', 'record'],
      'failed',
    ],
  ])('%s', async (_what, replaced, error, passed, outcome) => {
    const { steps, records, noted } = pipeline(replaced);
    await expect(callTool({ tool: 'x', arguments: {} }, context, noted)).rejects.toEqual(error);
    expect(steps).toEqual(passed);
    expect(records).toMatchObject([{ outcome, failure: error, given: undefined }]);
  });

  test('records isError as tool_error, parsed or as bytes', async () => {
    const answers = [
      { content: [], isError: true },
      new RawJson([Buffer.from('{"isError":true}')], { isError: true }),
      { isError: 'true' },
    ];
    const { records, noted } = pipeline({ call: async () => answers[records.length] as never });
    for (const _ of answers) await callTool({ tool: 'x', arguments: {} }, context, noted);
    expect(records.map((record) => record.outcome)).toEqual(['tool_error', 'tool_error', 'ok']);
  });
});

test('measures the time of each stage', async () => {
  const { records, noted } = pipeline({
    call: async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return {};
    },
  });
  await callTool({ tool: 'x', arguments: {} }, context, noted);
  const { stages, total } = records[0]?.times ?? { stages: { resolve: 0, allow: 0, call: 0, shape: 0 }, total: 0 };
  // A timer fires late, never early; the other stages take no time unless the processor is busy.
  expect(stages.call).toBeGreaterThan(19);
  expect(total).toBeGreaterThanOrEqual(stages.call);
});

test('measures the time of a failed stage', async () => {
  const { records, noted } = pipeline({
    call: async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new RpcError(-32000, 'late');
    },
  });
  await callTool({ tool: 'x', arguments: {} }, context, noted).catch(() => undefined);
  expect(records[0]?.times.stages.call).toBeGreaterThan(0);
  expect(records[0]?.times.stages.shape).toBe(0);
});
