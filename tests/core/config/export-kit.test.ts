import { expect, test } from 'vitest';
import { exportKit } from '../../../src-main/core/config/kits.ts';

const config = `{
  // Mine.
  "servers": {
    "gh": { "command": "npx", "args": ["-y", "gh", "--token", "ghp_0123456789abcdefghij0123456789abcdef"], "kits": ["work"],
            "env": { "GH_TOKEN": "s3cret-value", "HOST": "x.test", "OTHER_KEY": "\${env:MINE}" } },
    "web": { "url": "https://x.test/mcp", "headers": { "Authorization": "Bearer abcdefghijklmnop", "X-A": "1" } },
    "plain": { "command": "node", "args": ["a.js"] }
  }
}`;

test('entries are written as they are, without comments, tags and secrets', () => {
  const { kit, secrets } = exportKit(config, ['gh', 'web', 'plain'], { name: 'work', version: '1' });
  expect(kit).toEqual({
    name: 'work',
    version: '1',
    servers: {
      gh: {
        command: 'npx',
        args: ['-y', 'gh', '--token', '***'],
        env: { GH_TOKEN: '${env:GH_TOKEN}', HOST: 'x.test', OTHER_KEY: '${env:MINE}' },
      },
      web: {
        url: 'https://x.test/mcp',
        headers: { Authorization: expect.stringContaining('***') as string, 'X-A': '1' },
      },
      plain: { command: 'node', args: ['a.js'] },
    },
  });
  expect(secrets).toEqual({ gh: ['GH_TOKEN', '***'], web: ['***'] });
});

test('only the named servers are written, also from a list of servers', () => {
  const list = '{ "mcpServers": [{ "name": "a", "command": "x" }, { "name": "b", "url": "https://x.test" }] }';
  expect(exportKit(list, ['b', 'gone'], {})).toEqual({
    kit: { servers: { b: { url: 'https://x.test' } } },
    secrets: {},
  });
});
