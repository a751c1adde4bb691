/** Detects the `mcp.json` of ToolMux's Quick Start in any folder, but not files of that name from other apps. */
import { expect, test } from 'vitest';
import { parseConfig } from '../../../src-main/core/config/read-config.ts';

const servers = {
  git: { command: 'uvx', args: ['mcp-server-git', '--repository', '/path'], env: { KEY: 'v' }, cwd: '/' },
};

const productOf = (file: object, path: string): unknown => {
  const { config } = parseConfig(JSON.stringify(file), path, {});
  return [config?.product, config?.mode];
};

test.each([
  ['with a mode', { mode: 'meta', servers }, '/path/to/mcp.json', ['toolmux', 'meta']],
  ['without one', { servers }, '/path/to/mcp.json', ['toolmux', 'gateway']],
])('detects the Quick Start file %s as a ToolMux file', (_what, file, path, product) => {
  expect(productOf(file, path)).toEqual(product);
});

test.each([
  ['in the folder of VS Code', { servers }, '/project/.vscode/mcp.json'],
  [
    'whose servers say their type, as those of VS Code do',
    { servers: { git: { ...servers.git, type: 'stdio' } } },
    '/x/mcp.json',
  ],
  ['with inputs', { servers, inputs: [] }, '/x/mcp.json'],
  ['with settings of ours', { servers, port: 9000 }, '/x/mcp.json'],
  ['with mcpServers', { mcpServers: servers }, '/x/mcp.json'],
  ['under another name', { servers }, '/x/config.json'],
])('does not take an mcp.json %s for a ToolMux file', (_what, file, path) => {
  expect(productOf(file, path)).toEqual(['tooltray', 'auto']);
});
