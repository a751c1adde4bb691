/** OpenAPI descriptions are parsed in a thread, because YAML of megabytes takes seconds. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDescription } from '../../../../src-main/core/servers/openapi/read-description.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tooltray-openapi-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Writes a description in YAML, and reads it. */
async function read(name: string, text: string, wanted?: readonly string[]) {
  const file = join(folder, name);
  await writeFile(file, text);
  return readDescription(file, wanted, () => Promise.reject(new Error('not used')));
}

const head = 'openapi: 3.1.0\ninfo:\n  title: Pets\n  version: "1"\npaths:\n';
const operation = (at: number): string =>
  `  /pets/${at}:\n    get:\n      operationId: pet_${at}\n      description: ${'Returns a pet. '.repeat(20)}\n`;

test('reads the operations of YAML', async () => {
  const { info, operations } = await read('pets.yaml', head + operation(1) + operation(2), ['pet_2']);
  expect(info).toEqual({ title: 'Pets', version: '1' });
  expect(operations.map(({ method, path, tool }) => [method, path, tool.name])).toEqual([['GET', '/pets/2', 'pet_2']]);
});

test('parses in another thread', async () => {
  const text = head + Array.from({ length: 4000 }, (_, at) => operation(at)).join('');
  const [own, all] = [process.threadCpuUsage(), process.cpuUsage()];
  const { operations } = await read('many.yaml', text, ['pet_7']);
  const [ownSpent, allSpent] = [process.threadCpuUsage(own), process.cpuUsage(all)];
  expect(operations).toHaveLength(1);
  expect((ownSpent.user + ownSpent.system) / (allSpent.user + allSpent.system)).toBeLessThan(0.5);
});

test.each([
  ['no YAML', '{"openapi": ', 'JSON or YAML'],
  ['another version', 'swagger: "2.0"\n', 'OpenAPI 3.0'],
  ['a reference to another file', `${head}  /a:\n    $ref: other.yaml\n`, 'Bundle it'],
  ['too many tools', head + Array.from({ length: 14_000 }, (_, at) => operation(at)).join(''), '"operations"'],
])('rejects %s', async (_what, text, fix) => {
  await expect(read('wrong.yaml', text)).rejects.toMatchObject({
    code: 'config_invalid',
    fix: expect.stringContaining(fix) as string,
  });
});
