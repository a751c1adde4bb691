/**
 * What the public pages of the four systems name, and what must therefore be supported: tools, parameters, operations,
 * flags, and words of results, spelled as on the page.
 */
import { describe, expect, test } from 'vitest';
import { allModes } from '../../src-main/compat/all-modes.ts';
import type { JsonObject } from '../../src-main/core/base/json.ts';
import { objectOrEmpty } from '../../src-main/core/base/json.ts';

/** By page, then tool: the parameters that its page names. */
const pages: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  ToolMux: {
    list_all_tools: ['server'],
    get_tool_schema: ['name'],
    get_tool_count: [],
    catalog_tools: [],
    invoke: ['name', 'args'],
    search_tools: ['query'],
    call_tool: ['name', 'arguments'],
    search: ['query', 'detail'],
    get_schema: ['tools'],
    execute: ['code'],
    manage_servers: ['action', 'name', 'command'],
    optimize_descriptions: ['action', 'server', 'descriptions'],
  },
  'mini-a': {
    'proxy-dispatch': [
      ...['action', 'connection', 'query', 'limit', 'includeTools', 'includeInputSchema', 'includeAnnotations'],
      ...['tool', 'arguments', 'argumentsFile', 'resultToFile', 'resultSizeThreshold'],
      ...['resultFile', 'op', 'lines', 'fromLine', 'toLine', 'pattern', 'context', 'maxBytes'],
    ],
  },
  Magg: { proxy: ['action', 'type', 'path', 'args'] },
  MCPProxy: {
    retrieve_tools: ['query', 'limit'],
    call_tool_read: ['name', 'args_json', 'intent'],
    call_tool_write: ['name', 'args_json', 'intent'],
    call_tool_destructive: ['name', 'args_json', 'intent'],
    upstream_servers: [
      'operation',
      'name',
      'command',
      'args_json',
      'isolation_json',
      'enabled',
      'env_json',
      'oauth_json',
    ],
    code_execution: ['code'],
  },
};

/** Values of a parameter that its page names. */
const values: readonly (readonly [tool: string, parameter: string, words: readonly string[]])[] = [
  ['manage_servers', 'action', ['list', 'add', 'remove', 'validate', 'test']],
  ['optimize_descriptions', 'action', ['generate', 'save', 'status']],
  ['upstream_servers', 'operation', ['list', 'add', 'remove', 'update', 'patch', 'tail_log']],
  ['proxy', 'action', ['list', 'info', 'call']],
  ['proxy', 'type', ['tool', 'resource', 'prompt']],
  ['proxy-dispatch', 'op', ['stat', 'head', 'tail', 'slice', 'grep', 'read']],
];

const modes: readonly string[] = [
  ...['gateway', 'meta', 'proxy', 'search', 'code'],
  ...['dispatch', 'universal', 'retrieve'],
];

function propertiesOf(tool: string): JsonObject {
  return objectOrEmpty(objectOrEmpty(allModes.helpers.get(tool)?.definition['inputSchema'])['properties']);
}

describe.each(Object.entries(pages))("%s's page", (_page, tools) => {
  test.each(Object.entries(tools))('%s can be called, with the parameters that the page names', (tool, parameters) => {
    expect(allModes.helpers.has(tool)).toBe(true);
    expect(Object.keys(propertiesOf(tool))).toEqual(expect.arrayContaining([...parameters]));
  });
});

test.each(values)('%s accepts the values of %s that its page names', (tool, parameter, words) => {
  const { enum: known } = objectOrEmpty(propertiesOf(tool)[parameter]);
  expect(known).toEqual(expect.arrayContaining([...words]));
});

test('every mode of the four systems exists', () => {
  expect(allModes.modes.map(({ name }) => name)).toEqual(expect.arrayContaining([...modes]));
});
