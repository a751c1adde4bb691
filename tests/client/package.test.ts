/** Tests `tooltray/client` from the packed package, in its own project, over a real transport. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'tooltray-client-'));
const modules = join(project, 'node_modules');
let core: TestCore;

const program = `
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ProxyClient } from 'tooltray/client';

const sdk = new Client({ name: 'user', version: '1.0.0' });
await sdk.connect(new StreamableHTTPClientTransport(new URL(process.argv[2] ?? '')));
const proxy = new ProxyClient(sdk);
const { tools } = await proxy.listTools();
const called = await proxy.callTool({ name: 'm_add', arguments: { a: 5, b: 3 } });
const read = await proxy.readResource({ uri: 'data://cfg' });
const got = await proxy.getPrompt({ name: 'm_greet', arguments: { name: 'Bo' } });
console.log(JSON.stringify({ tools: tools.map(({ name }) => name), called, read, got }));
await sdk.close();
`;

beforeAll(async () => {
  core = await startCore({ servers: { m: fixture('capabilities'), e: fixture('compat', 'E') } });
  const npm = ['pack', '--ignore-scripts', '--json', '--pack-destination', project];
  const { stdout } = await run('npm', npm, { cwd: root, shell: process.platform === 'win32' });
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  mkdirSync(join(modules, 'tooltray'), { recursive: true });
  await run(
    'tar',
    ['-xzf', packed?.filename ?? '', '-C', join('node_modules', 'tooltray'), '--strip-components', '1'],
    {
      cwd: project,
    },
  );
  symlinkSync(join(root, 'node_modules', '@modelcontextprotocol'), join(modules, '@modelcontextprotocol'), 'junction');
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  writeFileSync(join(project, 'user.ts'), program);
}, 60_000);
afterAll(async () => {
  await core[Symbol.asyncDispose]();
  rmSync(project, { recursive: true, force: true });
});

test('a program lists, calls, reads and gets through the proxy tool', async () => {
  const { stdout } = await run(process.execPath, ['user.ts', `${core.url}/mode/universal`], { cwd: project });
  expect(JSON.parse(stdout)).toEqual({
    tools: expect.arrayContaining(['m_add', 'e_echo_tool']) as unknown,
    called: { content: [{ type: 'text', text: '8' }], structuredContent: { result: 8 } },
    read: { contents: [expect.objectContaining({ uri: 'data://cfg', mimeType: 'text/plain' })] },
    got: expect.objectContaining({
      messages: [{ role: 'user', content: { type: 'text', text: 'Hello Bo' } }],
    }) as unknown,
  });
});

test("the package has its types, which accept the SDK's client", async () => {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules', '@types')];
  const flags = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2022'];
  const check = run(process.execPath, [tsc, ...flags, ...types, '--skipLibCheck', 'user.ts'], { cwd: project });
  await expect(check.catch(({ stdout }: { stdout: string }) => stdout)).resolves.toMatchObject({ stdout: '' });
}, 60_000);

test('rejects imports of anything that the package does not export', async () => {
  const asked = run(process.execPath, ['--input-type=module', '-e', "import 'tooltray/dist/cli.js'"], { cwd: project });
  await expect(asked).rejects.toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED');
});
