/** Minimal config files of each product: inputs for the tests of the reader. */

export interface Writer {
  /** ID of its dialect, or a variant of it. */
  readonly id: string;
  readonly file: string;
  /** This product's file with the entries, by name. */
  readonly text: (entries: Readonly<Record<string, object>>) => string;
  readonly command: (command: string, args: readonly string[], env: Readonly<Record<string, string>>) => object;
  readonly address: (url: string, headers: Readonly<Record<string, string>>) => object;
  /** What disables a server; absent if the product has no such field. */
  readonly off?: object;
  /** Reference to an environment variable; absent if the product does not support them. */
  readonly variable?: (name: string) => string;
  /** A tool filter that allows `a` and names that start with `b_`; absent if not supported. */
  readonly onlyTools?: object;
  /** Call and start timeouts of 90 seconds; absent if not supported. */
  readonly call90?: object;
  readonly start90?: object;
}

const json = (value: object): string => JSON.stringify(value, null, 2);
const plain = (command: string, args: readonly string[], env: object): object => ({ command, args, env });
const url = (address: string, headers: object): object => ({ url: address, headers });
const common = { text: (mcpServers: object) => json({ mcpServers }), command: plain, address: url } as const;
const braces = (name: string): string => `\${${name}}`;
const prefixed = (name: string): string => `\${env:${name}}`;

/** YAML is a superset of JSON. */
const yaml = (key: string, value: object): string => `# mine\n${key}: ${JSON.stringify(value)}\n`;

function toml(table: string, entries: Readonly<Record<string, object>>): string {
  const value = (one: unknown): string =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? `{ ${Object.entries(one)
          .map(([key, item]) => `${JSON.stringify(key)} = ${value(item)}`)
          .join(', ')} }`
      : JSON.stringify(one);
  return Object.entries(entries)
    .map(([name, entry]) => {
      const lines = Object.entries(entry).map(([key, item]) => `${key} = ${value(item)}`);
      return `[${table}.${JSON.stringify(name)}]\n${lines.join('\n')}\n`;
    })
    .join('\n');
}

export const writers: readonly Writer[] = [
  {
    id: 'tooltray',
    file: 'config.json',
    text: (servers) => json({ servers }),
    command: plain,
    address: url,
    off: { enabled: false },
    variable: prefixed,
    onlyTools: { enabledTools: ['a', 'b_*'] },
    call90: { callTimeoutSeconds: 90 },
    start90: { initTimeoutSeconds: 90 },
  },
  { id: 'claude-code', file: '.claude.json', ...common, variable: braces, call90: { timeout: 90_000 } },
  { id: 'claude-desktop', file: 'claude_desktop_config.json', ...common, variable: braces },
  { id: 'cursor', file: 'mcp.json', ...common, variable: prefixed },
  {
    id: 'cline',
    file: 'cline_mcp_settings.json',
    ...common,
    address: (address, headers) => ({ type: 'streamableHttp', url: address, headers }),
    off: { disabled: true },
    call90: { timeout: 90 },
  },
  {
    id: 'roo',
    file: '.roo/mcp.json',
    ...common,
    address: (address, headers) => ({ type: 'streamable-http', url: address, headers }),
    off: { disabled: true },
    variable: prefixed,
    call90: { timeout: 90 },
  },
  {
    id: 'windsurf',
    file: 'mcp_config.json',
    ...common,
    address: (serverUrl, headers) => ({ serverUrl, headers }),
    off: { disabled: true },
    variable: prefixed,
  },
  {
    id: 'gemini',
    file: '.gemini/settings.json',
    ...common,
    address: (httpUrl, headers) => ({ httpUrl, headers }),
    variable: (name) => `$${name}`,
    onlyTools: { includeTools: ['a', 'b_*'] },
    call90: { timeout: 90_000 },
  },
  {
    id: 'copilot-cli',
    file: '.copilot/mcp-config.json',
    ...common,
    command: (command, args, env) => ({ type: 'local', command, args, env, tools: ['*'] }),
    address: (address, headers) => ({ type: 'http', url: address, headers, tools: ['*'] }),
    variable: (name) => `$${name}`,
    onlyTools: { tools: ['a', 'b_*'] },
  },
  {
    id: 'vscode',
    file: 'mcp.json',
    text: (servers) => json({ inputs: [], servers }),
    command: (command, args, env) => ({ type: 'stdio', command, args, env }),
    address: (address, headers) => ({ type: 'http', url: address, headers }),
    variable: prefixed,
  },
  {
    id: 'vscode settings',
    file: 'settings.json',
    text: (servers) => json({ 'editor.fontSize': 13, mcp: { servers } }),
    command: plain,
    address: url,
    variable: prefixed,
  },
  {
    id: 'devcontainer',
    file: 'devcontainer.json',
    text: (servers) => json({ image: 'x', customizations: { vscode: { mcp: { servers } } } }),
    command: plain,
    address: url,
    variable: prefixed,
  },
  {
    id: 'flat settings',
    file: 'settings.json',
    text: (servers) => json({ 'mcp.servers': servers }),
    command: plain,
    address: url,
  },
  {
    id: 'amp',
    file: 'settings.json',
    text: (servers) => json({ 'amp.mcpServers': servers }),
    command: plain,
    address: url,
    variable: braces,
    onlyTools: { includeTools: ['a', 'b_*'] },
  },
  {
    id: 'augment',
    file: 'settings.json',
    text: (entries) =>
      json({ 'augment.advanced': { mcpServers: Object.entries(entries).map(([name, one]) => ({ name, ...one })) } }),
    command: plain,
    address: url,
  },
  {
    id: 'kiro powers',
    file: 'mcp.json',
    text: (servers) => json({ powers: { mcpServers: servers } }),
    command: plain,
    address: url,
    off: { disabled: true },
    variable: braces,
  },
  {
    id: 'zed',
    file: 'settings.json',
    text: (servers) => json({ theme: 'x', context_servers: servers }),
    command: (command, args, env) => ({ source: 'custom', command, args, env }),
    address: url,
    off: { enabled: false },
  },
  {
    id: 'zed, old',
    file: 'settings.json',
    text: (servers) => json({ context_servers: servers }),
    command: (path, args, env) => ({ command: { path, args, env }, settings: {} }),
    address: url,
  },
  {
    id: 'codex',
    file: '.codex/config.toml',
    text: (entries) => `model = "x"\n\n${toml('mcp_servers', entries)}`,
    command: plain,
    address: (address, headers) => ({ url: address, http_headers: headers }),
    off: { enabled: false },
    onlyTools: { enabled_tools: ['a', 'b_*'] },
    call90: { tool_timeout_sec: 90 },
    start90: { startup_timeout_sec: 90 },
  },
  {
    id: 'opencode',
    file: 'opencode.json',
    text: (servers) => json({ $schema: 'x', mcp: servers }),
    command: (command, args, environment) => ({ type: 'local', command: [command, ...args], environment }),
    address: (address, headers) => ({ type: 'remote', url: address, headers }),
    off: { enabled: false },
    variable: (name) => `{env:${name}}`,
    start90: { timeout: 90_000 },
  },
  {
    id: 'crush',
    file: 'crush.json',
    text: (servers) => json({ mcp: servers }),
    command: (command, args, env) => ({ type: 'stdio', command, args, env }),
    address: (address, headers) => ({ type: 'http', url: address, headers }),
    off: { disabled: true },
    variable: (name) => `$${name}`,
    start90: { timeout: 90 },
  },
  {
    id: 'goose',
    file: 'config.yaml',
    text: (entries) => yaml('extensions', entries),
    command: (cmd, args, envs) => ({ type: 'stdio', cmd, args, envs }),
    address: (uri, headers) => ({ type: 'streamable_http', uri, headers }),
    off: { enabled: false },
    variable: braces,
    onlyTools: { available_tools: ['a', 'b_*'] },
    call90: { timeout: 90 },
  },
  {
    id: 'continue',
    file: '.continue/config.yaml',
    text: (entries) =>
      yaml(
        'mcpServers',
        Object.entries(entries).map(([name, one]) => ({ name, ...one })),
      ),
    command: plain,
    address: (address, headers) => ({ type: 'streamable-http', url: address, requestOptions: { headers } }),
    variable: (name) => `\${{ secrets.${name} }}`,
    start90: { connectionTimeout: 90_000 },
  },
  {
    id: 'continue, old',
    file: '.continue/config.json',
    text: (entries) =>
      json({
        experimental: {
          modelContextProtocolServers: Object.entries(entries).map(([name, transport]) => ({ name, transport })),
        },
      }),
    command: (command, args, env) => ({ type: 'stdio', command, args, env }),
    address: (address, headers) => ({ type: 'http', url: address, headers }),
  },
  {
    id: 'mcphub',
    file: 'mcp_settings.json',
    text: (mcpServers) => json({ mcpServers, groups: [] }),
    command: plain,
    address: url,
    off: { enabled: false },
    variable: braces,
    call90: { options: { timeout: 90_000 } },
  },
  {
    id: 'mcpproxy',
    file: '.mcpproxy/mcp_config.json',
    text: (entries) => json({ mcpServers: Object.entries(entries).map(([name, one]) => ({ name, ...one })) }),
    command: (command, args, env) => ({ protocol: 'stdio', command, args, env }),
    address: (address, headers) => ({ protocol: 'streamable-http', url: address, headers }),
    off: { enabled: false },
    variable: prefixed,
    onlyTools: { enabled_tools: ['a', 'b_*'] },
    start90: { init_timeout: '1m30s' },
  },
  {
    id: 'toolmux',
    file: 'toolmux/mcp.json',
    text: (servers) => json({ servers, cache_model: 'x' }),
    command: plain,
    address: (base_url, headers) => ({ transport: 'http', base_url, headers }),
    start90: { timeout: 90_000 },
  },
  {
    id: 'magg',
    file: '.magg/config.json',
    text: (servers) => json({ servers }),
    command: (command, args, env) => ({ source: 'https://s.example', command, args, env }),
    address: (uri, headers) => ({ source: 'https://s.example', uri, transport: { headers } }),
    off: { enabled: false },
  },
  {
    id: 'cherry-studio',
    file: 'x.json',
    ...common,
    address: (baseUrl, headers) => ({ type: 'streamableHttp', baseUrl, headers }),
    off: { isActive: false },
  },
  {
    id: 'librechat',
    file: 'librechat.yaml',
    text: (entries) => yaml('mcpServers', entries),
    command: plain,
    address: url,
    variable: braces,
    call90: { timeout: 90_000 },
    start90: { initTimeout: 90_000 },
  },
  {
    id: 'fast-agent',
    file: 'fastagent.config.yaml',
    text: (servers) => yaml('mcp', { servers }),
    command: plain,
    address: url,
    variable: braces,
    call90: { read_timeout_seconds: 90 },
  },
  { id: 'amazon-q', file: '.aws/amazonq/mcp.json', ...common, off: { disabled: true }, call90: { timeout: 90_000 } },
  {
    id: '1mcp',
    file: '1mcp/mcp.json',
    ...common,
    off: { disabled: true },
    variable: braces,
    call90: { requestTimeout: 90_000 },
    start90: { connectionTimeout: 90_000 },
  },
  {
    id: 'mcphub-nvim',
    file: 'mcphub/servers.json',
    ...common,
    off: { disabled: true },
    variable: braces,
  },
  {
    id: 'trae',
    file: 'Trae/User/mcp.json',
    ...common,
    off: { disabled: true },
    start90: { start_mcp_timeout: 90_000 },
  },
  {
    id: 'warp',
    file: '.warp/mcp.json',
    text: (entries) => json(entries),
    command: (command, args, env) => ({ command, args, env, working_directory: null, start_on_launch: true }),
    address: url,
  },
  {
    id: 'plugin',
    file: 'plugin/.mcp.json',
    text: (entries) => json(entries),
    command: plain,
    address: url,
    variable: braces,
  },
];
