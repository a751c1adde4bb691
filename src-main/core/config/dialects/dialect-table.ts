/**
 * The products whose configuration is read, and how each writes it. As of 2026-11, from documentation and public
 * files.
 */
import type { Dialect } from './dialect.ts';

/** Our own files, and other files with the common `mcpServers` that do not name their product. */
export const commonDialect: Dialect = { id: 'common', product: 'Tooltray', timeout: 'unknown' };

/** The same under `servers`, which ToolMux and VS Code also use: only ToolMux has times there. */
export const serversDialect: Dialect = { ...commonDialect, timeout: 'toolmux' };

/** The first one that matches a file, a root or an entry is used. */
export const dialects: readonly Dialect[] = [
  {
    id: 'mcpproxy',
    product: 'MCPProxy',
    file: /\.mcpproxy\/mcp_config\.json$/,
    entryKeys: ['protocol', 'launcher_wait_timeout', 'quarantined', 'working_dir', 'init_timeout'],
    rootKeys: ['tools_limit', 'tool_response_limit', 'enable_socket', 'data_dir', 'routing_mode', 'docker_isolation'],
    hasSettings: true,
    timeout: 'unknown',
    // A duration of Go: a number counts nanoseconds.
    keys: { inittimeout: { field: 'initTimeoutSeconds', form: 'nanoseconds' } },
    startsCommands: true,
  },
  {
    id: 'toolmux',
    product: 'ToolMux',
    file: /\/toolmux\/mcp\.json$/,
    entryKeys: ['base_url', '_backend_tools', 'sse_endpoint'],
    rootKeys: ['cache_model'],
    hasSettings: true,
    timeout: 'toolmux',
  },
  {
    id: 'magg',
    product: 'Magg',
    file: /\.magg\/config\.json$/,
    entryKeys: ['kits', 'notes'],
    rootKeys: ['kits'],
    hasSettings: true,
    timeout: 'unknown',
  },
  {
    id: 'claude-code',
    product: 'Claude Code',
    file: /(?:\.claude\.json|\.mcp\.json|\/plugin\.json|managed-mcp\.json)$/,
    entryKeys: ['headersHelper', 'request_timeout_ms'],
    rootKeys: ['projects', 'numStartups', 'allowedMcpServers', 'deniedMcpServers'],
    timeout: 'callMs',
  },
  {
    id: 'claude-desktop',
    product: 'Claude Desktop',
    file: /claude_desktop_config\.json$/,
    rootKeys: ['globalShortcut'],
    timeout: 'unknown',
  },
  {
    id: 'cline',
    product: 'Cline',
    file: /cline_mcp_settings\.json$/,
    entryKeys: ['autoApprove'],
    timeout: 'callSeconds',
  },
  {
    id: 'roo',
    product: 'Roo Code',
    file: /(?:roo-cline|kilo-code|\.roo|\.kilocode)\/(?:.*\/)?mcp(?:_settings)?\.json$/,
    entryKeys: ['alwaysAllow', 'watchPaths'],
    timeout: 'callSeconds',
  },
  {
    id: 'gemini',
    product: 'Gemini CLI',
    file: /(?:\.gemini\/settings|\.qwen\/settings|(?:gemini|qwen)-extension)\.json$/,
    entryKeys: ['httpUrl', 'trust', 'includeTools', 'excludeTools'],
    rootKeys: ['contextFileName', 'allowMCPServers', 'excludeMCPServers'],
    timeout: 'callMs',
    bareVariables: true,
  },
  {
    id: 'copilot-cli',
    product: 'Copilot CLI',
    file: /\.copilot\/mcp-config\.json$|\/mcp-config\.json$/,
    timeout: 'callMs',
    bareVariables: true,
  },
  {
    id: 'amazon-q',
    product: 'Amazon Q',
    file: /(?:\.aws\/amazonq|\.amazonq)\/.*\.json$/,
    timeout: 'callMs',
  },
  { id: 'zed', product: 'Zed', timeout: 'callMs' },
  { id: 'codex', product: 'Codex', file: /\.codex\/config\.toml$/, timeout: 'callSeconds' },
  { id: 'opencode', product: 'opencode', file: /opencode\.jsonc?$/, schema: /opencode\.ai/, timeout: 'startMs' },
  {
    id: 'crush',
    product: 'Crush',
    file: /(?:^|[/.])crush\.json$/,
    schema: /charm\.land/,
    entryTypes: ['stdio', 'http', 'sse'],
    timeout: 'startSeconds',
    bareVariables: true,
  },
  {
    id: 'goose',
    product: 'Goose',
    timeout: 'callSeconds',
    keys: { availabletools: { field: 'enabledTools', form: 'toolsIfAny' } },
    bareVariables: true,
  },
  { id: 'amp', product: 'Amp', timeout: 'unknown' },
  {
    id: 'continue',
    product: 'Continue',
    file: /\.continue\/.*\.(?:ya?ml|json)$/,
    entryKeys: ['requestOptions', 'uses'],
    rootKeys: ['schema'],
    timeout: 'unknown',
    doubleBraces: true,
  },
  {
    id: 'vscode',
    product: 'VS Code',
    entryKeys: ['gallery', 'dev', 'envFile'],
    rootKeys: ['inputs'],
    timeout: 'unknown',
  },
  { id: 'augment', product: 'Augment', timeout: 'unknown' },
  { id: 'openhands', product: 'OpenHands', timeout: 'callSeconds' },
  { id: 'kiro', product: 'Kiro', file: /\.kiro\/.*\.json$/, timeout: 'callMs' },
  {
    id: 'mcphub',
    product: 'MCPHub',
    entryKeys: ['owner', 'openapi', 'options', 'keepAliveInterval'],
    rootKeys: ['systemConfig', 'groups', 'users'],
    timeout: 'callMs',
  },
  {
    id: 'mcphub-nvim',
    product: 'mcphub.nvim',
    file: /mcphub\/servers\.json$/,
    rootKeys: ['nativeMCPServers'],
    timeout: 'unknown',
    bareVariables: true,
  },
  {
    id: 'librechat',
    product: 'LibreChat',
    file: /librechat\.ya?ml$/,
    entryKeys: ['serverInstructions', 'chatMenu'],
    timeout: 'callMs',
  },
  {
    id: 'fast-agent',
    product: 'fast-agent',
    file: /fastagent\.config\.ya?ml$/,
    entryKeys: ['read_timeout_seconds'],
    timeout: 'callSeconds',
  },
  {
    id: 'cherry-studio',
    product: 'Cherry Studio',
    entryKeys: ['isActive', 'baseUrl', 'longRunning'],
    timeout: 'callSeconds',
  },
  { id: 'trae', product: 'Trae', entryKeys: ['fromGalleryId', 'start_mcp_timeout'], timeout: 'unknown' },
  { id: 'warp', product: 'Warp', entryKeys: ['start_on_launch'], timeout: 'unknown' },
  {
    id: '1mcp',
    product: '1MCP',
    file: /1mcp\/mcp\.json$/,
    entryKeys: ['tags', 'inheritParentEnv', 'envFilter', 'restartOnExit'],
    timeout: 'callMs',
  },
  { id: 'mini-a', product: 'Mini-A', file: /^mini-a$/, timeout: 'callMs' },
];

/** A place where servers stand. `*` is any key, `**` any number of keys. */
export interface ServerPlace {
  readonly path: readonly string[];
  /** The product that owns this place; absent if several share it and other content distinguishes them. */
  readonly dialect?: string;
  /** The form of items that are not named objects: addresses, or a single entry. */
  readonly items?: 'sse' | 'http' | 'one';
  /** The servers are started in the folder that `*` names. */
  readonly isProject?: true;
  /** Servers that were moved here to disable them. */
  readonly isOff?: true;
  /** Why servers here cannot be imported. */
  readonly refusal?: string;
}

/** In order of precedence for equal names. */
export const serverPlaces: readonly ServerPlace[] = [
  { path: ['servers'] },
  { path: ['mcpServers'] },
  { path: ['context_servers'], dialect: 'zed' },
  { path: ['mcp_servers'], dialect: 'codex' },
  { path: ['amp.mcpServers'], dialect: 'amp' },
  { path: ['mcp', 'servers'], dialect: 'vscode' },
  { path: ['mcp', 'sse_servers'], dialect: 'openhands', items: 'sse' },
  { path: ['mcp', 'shttp_servers'], dialect: 'openhands', items: 'http' },
  { path: ['mcp', 'stdio_servers'], dialect: 'openhands' },
  { path: ['mcp'], dialect: 'opencode' },
  { path: ['extensions'], dialect: 'goose' },
  { path: ['powers', 'mcpServers'], dialect: 'kiro' },
  { path: ['powers'], dialect: 'kiro' },
  { path: ['augment.advanced', 'mcpServers'], dialect: 'augment' },
  { path: ['experimental', 'modelContextProtocolServers'], dialect: 'continue' },
  { path: ['experimental', 'modelContextProtocolServer'], dialect: 'continue', items: 'one' },
  { path: ['mcp.servers'], dialect: 'vscode' },
  { path: ['github.copilot.chat.mcp.servers'], dialect: 'vscode' },
  { path: ['customizations', 'vscode', 'mcp', 'servers'], dialect: 'vscode' },
  { path: ['customizations', 'vscode', 'settings', 'mcp', 'servers'], dialect: 'vscode' },
  { path: ['projects', '*', 'mcpServers'], dialect: 'claude-code', isProject: true },
  { path: ['server', 'mcp_config'], items: 'one' },
  { path: ['disabledMcpServers'], isOff: true },
  { path: ['mcpServersDisabled'], isOff: true },
  { path: ['mcpServers_disabled'], isOff: true },
  { path: ['_mcpServers'], isOff: true },
  { path: ['**', 'mcpServers'] },
  { path: ['nativeMCPServers'], dialect: 'mcphub-nvim', refusal: 'It runs inside Neovim.' },
];

/** Places with more than servers: an entry has a command, a URL or a type. */
export const mixedPlaces: ReadonlySet<string> = new Set(['mcp', 'powers', 'extensions']);

/** Lists outside of entries that say which servers or tools may run. */
export interface PolicyList {
  readonly path: readonly string[];
  readonly kind: 'only' | 'off' | 'tools off' | 'tool map';
  /** Key of the server's name, if the items are objects. */
  readonly nameKey?: string;
}

export const policyLists: readonly PolicyList[] = [
  { path: ['mcp', 'allowed'], kind: 'only' },
  { path: ['mcp', 'excluded'], kind: 'off' },
  { path: ['allowMCPServers'], kind: 'only' },
  { path: ['excludeMCPServers'], kind: 'off' },
  { path: ['allowedMcpServers'], kind: 'only', nameKey: 'serverName' },
  { path: ['deniedMcpServers'], kind: 'off', nameKey: 'serverName' },
  { path: ['disabledMcpServers'], kind: 'off' },
  { path: ['disabledMcpjsonServers'], kind: 'off' },
  { path: ['projects', '*', 'disabledMcpServers'], kind: 'off' },
  { path: ['projects', '*', 'disabledMcpjsonServers'], kind: 'off' },
  { path: ['amp.tools.disable'], kind: 'tools off' },
  { path: ['tools'], kind: 'tool map' },
  { path: ['permission'], kind: 'tool map' },
];

const registryFile = 'This is a server.json of the MCP registry. Add its server: tooltray import --file FILE.';

/** Files that name servers in a form that cannot be imported, by keys of their root, with a description. */
export const foreignForms: readonly { readonly keys: readonly string[]; readonly reason: string }[] = [
  { keys: ['name', 'packages'], reason: registryFile },
  { keys: ['name', 'remotes'], reason: registryFile },
  {
    keys: ['image', 'about'],
    reason:
      'This is an entry of Docker’s MCP registry. Its server is a container image: tooltray add NAME docker run -i --rm IMAGE.',
  },
  {
    keys: ['services'],
    reason:
      'This is a Compose file: it runs containers. Add a server that is one with: tooltray add NAME docker run -i --rm IMAGE.',
  },
  {
    keys: ['startCommand'],
    reason:
      'This is how Smithery starts a server, not a configuration. Add the server with the command from its page: tooltray add NAME COMMAND.',
  },
  {
    keys: ['registry'],
    reason:
      'This is a catalog of Docker’s MCP gateway. It lists container images; add one with: tooltray add NAME docker run -i --rm IMAGE.',
  },
];
