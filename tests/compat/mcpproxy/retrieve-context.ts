/** A few servers whose tools declare different effects, for tests of mode `retrieve`. */
import type { ServerSummary } from '../../../src-main/core/admin/server-summary.ts';
import type { ConfiguredServer } from '../../../src-main/core/catalog/tool-finder.ts';
import { emptyListing } from '../../../src-main/core/servers/listing.ts';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import { allModes } from '../../../src-main/compat/all-modes.ts';
import type { HelperContext } from '../../../src-main/core/modes/mode.ts';
import { serverWith } from '../../core/catalog/catalog-of.ts';
import { helperContext, type TestContext } from '../../core/modes/helper-context.ts';

const path = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };

export const files = [
  {
    name: 'read_file',
    description: 'Read a file from the disk. It is whole.',
    inputSchema: path,
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'write_file',
    description: 'Write a file to the disk.',
    inputSchema: path,
    annotations: { destructiveHint: false },
  },
  {
    name: 'delete_file',
    description: 'Delete a file from the disk.',
    inputSchema: path,
    annotations: { destructiveHint: true },
  },
  { name: 'stat_file', description: 'Tell the size of a file.', inputSchema: path },
];

export function retrieveContext(more: JsonObject[] = [], facts: Partial<ServerSummary>[] = []): TestContext {
  const others = facts.flatMap(({ name = '', enabled = true }) => (name === 'fs' ? [] : [otherServer(name, enabled)]));
  const context = helperContext([serverWith('fs', { tools: [...files, ...more] })], false, others);
  return Object.defineProperty(context, 'admin', { value: { list: () => facts } });
}

function otherServer(name: string, enabled: boolean): ConfiguredServer {
  const state = enabled ? ({ kind: 'ready', since: 0 } as const) : ({ kind: 'disabled' } as const);
  return { config: { name, enabled }, state, listing: emptyListing, listedAt: enabled ? 0 : undefined };
}

/** The result of a helper tool, parsed as JSON. */
export async function ask(
  tool: string,
  input: JsonObject,
  context: HelperContext = retrieveContext(),
): Promise<JsonObject> {
  const result = (await allModes.helpers.get(tool)?.run(input, context)) as { content: [{ text: string }] };
  return JSON.parse(result.content[0].text) as JsonObject;
}
