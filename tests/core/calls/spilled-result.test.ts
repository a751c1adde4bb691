/** What the model receives in place of a spilled result: a way to read it that suits its kind. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import type { CallerContext } from '../../../src-main/core/calls/call-tool.ts';
import { spilledResult } from '../../../src-main/core/calls/shape-result.ts';
import { openStore, origin, type OpenStore } from '../spills/spill-fixture.ts';
import { callerOf } from '../../support/caller-of.ts';

const context: CallerContext = {
  app: 'test',
  mode: 'proxy',
  principal: callerOf('test'),
  sessionId: 's1',
  clientInfo: {},
  clientCapabilities: {},
  signal: new AbortController().signal,
  onLog: () => undefined,
  askClient: () => Promise.resolve({} satisfies JsonObject),
  acceptsInputRequired: false,
};
const picture = { type: 'image', mimeType: 'image/png', data: Buffer.alloc(5000, 'png').toString('base64') };
const words = { type: 'text', text: 'line after line\n'.repeat(500) };

let spills: OpenStore;
beforeEach(async () => void (spills = await openStore()));
afterEach(() => spills[Symbol.asyncDispose]());

async function told(content: readonly JsonObject[]): Promise<{ text: string; idOf: (kind: string) => string }> {
  const kept = await spills.store.spill({ content }, origin, 'text');
  const limit = { toFile: true, bytes: 0, ofApp: false };
  const result = spilledResult(kept, { media: [] }, limit, {
    server: 'a',
    tool: 'b',
    hint: (id) => [`Read on: ${id}`],
    context,
  });
  const [first] = result['content'] as { text: string }[];
  const idOf = (kind: string): string => kept.parts.find(({ spill }) => spill.kind === kind)?.spill.id ?? '';
  return { text: first?.text ?? '', idOf };
}

test('does not suggest grep for a picture alone', async () => {
  const { text, idOf } = await told([picture]);
  expect(text).toContain(`Read it in full with resources/read: tooltray://spill/${idOf('image')}`);
  expect(text).not.toContain('grep');
});

test('suggests reading the text when a result holds a text and a picture', async () => {
  const { text, idOf } = await told([picture, words]);
  expect(text).toContain(`Read on: ${idOf('text')}`);
});
