/** The built-in server as a client sees it: its list, and what it says while no folder is allowed. */
import { tmpdir } from 'node:os';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { connectBuiltin } from '../../../../src-main/core/servers/builtin/utils-server.ts';
import { connectUtils } from './connect-utils.ts';

const names = ['current_time', 'convert_time', 'list_files', 'read_file', 'search_files', 'write_file'];

test('six tools are listed, each with a title, and only write_file may change anything', async () => {
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

test('the whole list costs a model less than 1,000 tokens', async () => {
  await using utils = await connectUtils({ folders: [tmpdir()] });
  const { tools } = await utils.client.listTools();
  expect(encode(JSON.stringify(tools)).length).toBeLessThan(1000);
});

test('while no folder is allowed it has no tools for files', async () => {
  await using utils = await connectUtils({ folders: [] });
  const { tools } = await utils.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['current_time', 'convert_time']);
});

test('the time is told without any folder', async () => {
  await using utils = await connectUtils({ folders: [] });
  expect((await utils.call('current_time', {})).isError).toBeUndefined();
});

test('wrong arguments are told as an error result', async () => {
  await using utils = await connectUtils({ folders: [tmpdir()] });
  expect(await utils.text('list_files', { depth: 'deep' })).toMatch(/^ERROR .*depth/s);
});

test('an unknown built-in server is refused and the known ones are named', async () => {
  expect(() => connectBuiltin('constructor', { folders: [] })).toThrow(
    expect.objectContaining({ code: 'server_not_found', fix: 'Known: utils.' }),
  );
});
