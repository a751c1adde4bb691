/** What the bundle says about itself, in the format of MCPB 0.3. */

/** `version`: ours. */
export function bundleManifest(version) {
  return {
    manifest_version: '0.3',
    name: 'tooltray',
    display_name: 'Tooltray',
    version,
    description: 'All of your MCP servers behind one connection, for a fraction of the tokens.',
    long_description:
      'Connects Claude Desktop to the Tooltray on this machine, and with it to every MCP server you have there. ' +
      'Install Tooltray first; the bundle finds it by itself.',
    author: { name: 'Tooltray contributors' },
    license: 'MIT',
    icon: 'icon.png',
    server: {
      type: 'node',
      entry_point: 'server/index.cjs',
      mcp_config: { command: 'node', args: ['${__dirname}/server/index.cjs', '--app', 'claude-desktop'], env: {} },
    },
    // Which tools there are is up to the servers.
    tools_generated: true,
    prompts_generated: true,
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: '>=20' } },
  };
}
