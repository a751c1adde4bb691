/** The built-in server as a client sees it: its tool list, and its results if no folder is allowed. */
import { tmpdir } from 'node:os';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { connectBuiltin } from '../../../../src-main/core/servers/builtin/utils-server.ts';
import { connectUtils } from './connect-utils.ts';

const names = ['current_time', 'convert_time', 'list_files', 'read_file', 'search_files', 'write_file'];

test('lists six tools with titles, of which only write_file may change anything', async () => {
  await using utils = await connectUtils({ folders: [tmpdir()] });
  const { tools } = await utils.client.listTools();
  expect(tools.map(({ name, title, annotations }) => [name, (title ?? '') !== '', annotations])).toEqual(
    names.map((name) => [
      name,
      true,
      name === 'write_file'
        ? { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false }
        : { readOnlyHint: true, openWorldHint: false },
    ]),
  );
});

test('keeps the tool list under 1,000 tokens', async () => {
  await using utils = await connectUtils({ folders: [tmpdir()] });
  const { tools } = await utils.client.listTools();
  expect(encode(JSON.stringify(tools)).length).toBeLessThan(1000);
});

test('offers no file tools if no folder is allowed', async () => {
  await using utils = await connectUtils({ folders: [] });
  const { tools } = await utils.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['current_time', 'convert_time']);
});

test('returns the time if no folder is allowed', async () => {
  await using utils = await connectUtils({ folders: [] });
  expect((await utils.call('current_time', {})).isError).toBeUndefined();
});

test('returns an error result for invalid arguments', async () => {
  await using utils = await connectUtils({ folders: [tmpdir()] });
  expect(await utils.text('list_files', { depth: 'deep' })).toMatch(/^ERROR .*depth/s);
});

test('rejects an unknown built-in server and names the known ones', async () => {
  expect(() => connectBuiltin('constructor', { folders: [] })).toThrow(
    expect.objectContaining({ code: 'server_not_found', fix: 'Known: utils.' }),
  );
});
