import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import { searchCode } from '../../../src-main/core/modes/code-mode.ts';
import { serverWith } from '../catalog/catalog-of.ts';
import { helperContext } from './helper-context.ts';

async function search(query: string): Promise<unknown> {
  const context = helperContext([serverWith('a', { tools: [{ name: 'rev-er-se' }, { name: 'other' }] })]);
  const { content } = (await searchCode.run({ query }, context)) as { content: JsonObject[] };
  return content[0]?.['text'];
}

test('suggests a similar name if a search finds nothing', async () => {
  expect(await search('revresse')).toBe('No tools matched the query. Did you mean rev-er-se?');
});

test('suggests nothing if no name is similar', async () => {
  expect(await search('zzzz')).toBe('No tools matched the query.');
});
