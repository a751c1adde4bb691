/** The keys of server entries: which of our fields each stands for, and what the others mean. */
import type { KeyRule } from './dialect.ts';

const same = (field: string): KeyRule => ({ field, form: 'same' });

/** Their key → our field, whatever the product; `dialect-table.ts` has the exceptions. */
export const keyRules: Readonly<Record<string, KeyRule>> = {
  cmd: same('command'),
  executable: same('command'),
  arguments: same('args'),
  environment: same('env'),
  envs: same('env'),
  env_vars: { field: 'env', form: 'variables' },
  env_keys: { field: 'env', form: 'secrets' },
  working_dir: same('cwd'),
  working_directory: same('cwd'),
  workingDirectory: same('cwd'),
  workingDir: same('cwd'),
  base_url: same('url'),
  baseUrl: same('url'),
  uri: same('url'),
  serverUrl: same('url'),
  httpUrl: same('url'),
  sseUrl: same('url'),
  endpoint: same('url'),
  http_headers: same('headers'),
  env_http_headers: { field: 'headers', form: 'headerVariables' },
  bearer_token_env_var: { field: 'headers', form: 'bearerVariable' },
  bearer_token: { field: 'headers', form: 'bearer' },
  bearerToken: { field: 'headers', form: 'bearer' },
  api_key: { field: 'headers', form: 'bearer' },
  protocol: same('type'),
  transportType: same('type'),
  transport_type: same('type'),
  isActive: same('enabled'),
  is_active: same('enabled'),
  active: same('enabled'),
  isEnabled: same('enabled'),
  autoStart: same('enabled'),
  disabled: { field: 'enabled', form: 'not' },
  isDisabled: { field: 'enabled', form: 'not' },
  start_on_launch: { field: 'lazy', form: 'not' },
  disabled_tools: same('disabledTools'),
  excludeTools: same('disabledTools'),
  excludedTools: same('disabledTools'),
  exclude_tools: same('disabledTools'),
  disallowedTools: same('disabledTools'),
  enabled_tools: same('enabledTools'),
  includeTools: same('enabledTools'),
  include_tools: same('enabledTools'),
  available_tools: same('enabledTools'),
  allowedTools: same('enabledTools'),
  allowed_tools: same('enabledTools'),
  tools: { field: 'enabledTools', form: 'tools' },
  init_timeout: { field: 'initTimeoutSeconds', form: 'nanoseconds' },
  initTimeout: { field: 'initTimeoutSeconds', form: 'milliseconds' },
  startup_timeout_sec: { field: 'initTimeoutSeconds', form: 'seconds' },
  startup_timeout_ms: { field: 'initTimeoutSeconds', form: 'milliseconds' },
  connect_timeout: { field: 'initTimeoutSeconds', form: 'seconds' },
  connectionTimeout: { field: 'initTimeoutSeconds', form: 'milliseconds' },
  start_mcp_timeout: { field: 'initTimeoutSeconds', form: 'milliseconds' },
  tool_timeout_sec: { field: 'callTimeoutSeconds', form: 'seconds' },
  read_timeout_seconds: { field: 'callTimeoutSeconds', form: 'seconds' },
  request_timeout_ms: { field: 'callTimeoutSeconds', form: 'milliseconds' },
  requestTimeout: { field: 'callTimeoutSeconds', form: 'milliseconds' },
  timeout_ms: { field: 'callTimeoutSeconds', form: 'milliseconds' },
  timeoutMs: { field: 'callTimeoutSeconds', form: 'milliseconds' },
  scopes: { field: 'oauth', form: 'scopes' },
};

/**
 * Objects of an entry whose keys are keys of the entry; what `timeout` in them means where it is not the entry's own.
 */
export const nestedKeys: Readonly<Record<string, 'call ms' | 'as entry'>> = {
  transport: 'as entry',
  command: 'as entry',
  requestInit: 'as entry',
  requestOptions: 'call ms',
  options: 'call ms',
  anythingllm: 'as entry',
};

/** Keys inside such objects: `path` of Zed's command. */
export const nestedRules: Readonly<Record<string, KeyRule>> = { path: same('command') };

/** Keys that say nothing about how to reach or treat a server here. */
export const ignoredKeys: ReadonlySet<string> = new Set([
  ...[
    'name',
    'id',
    'source',
    'notes',
    'autoApprove',
    'alwaysAllow',
    'alwaysLoad',
    'trust',
    'gallery',
    'version',
    'dev',
  ],
  ...['created', 'updated', 'sse_endpoint', 'reconnect_on_use', 'expose_prompts', 'source_registry_id', 'keep_alive'],
  ...['source_registry_provenance', 'skip_quarantine', 'auto_approve_tool_changes', 'icon', 'shared', '_backend_tools'],
  ...['bundled', 'display_name', 'displayName', 'fromGalleryId', 'title', 'resetTimeoutOnProgress', 'iconPath'],
  ...['logoUrl', 'provider', 'providerUrl', 'isBuiltin', 'key', 'homepage', 'repository', 'author', 'deferTools'],
]);

/** Keys whose effect is lost here, with what the user should know. */
export const unsupportedKeys: ReadonlyMap<string, string> = new Map([
  ['envFile', 'Tooltray does not read env files. Put the values in "env", as "${env:NAME}" where they are secret.'],
  ['env_file', 'Tooltray does not read env files. Put the values in "env", as "${env:NAME}" where they are secret.'],
  ['trust_mode', 'What becomes of a tool that changes is set for all servers: "reviews.onChange".'],
  ['toon_output', 'TOON is set for all servers, in "results.toon".'],
  ['launcher_wait_timeout', 'Tooltray starts a command or connects to an address, not both.'],
  ['annotation_overrides', 'Hints of tools are used as the server gives them.'],
  ['health_check_interval', 'Tooltray checks its servers at times of its own.'],
  ['tool_discovery_interval', 'Tooltray checks its servers at times of its own.'],
  ['max_concurrent_requests', 'Tooltray does not limit how many calls run at once.'],
  ['queue_size', 'Tooltray does not limit how many calls run at once.'],
  ['queue_timeout', 'Tooltray does not limit how many calls run at once.'],
  ['auth_broker', 'Tooltray serves one person.'],
  ['headersHelper', 'Tooltray runs no program for headers. Write them into "headers", secrets as "${secret:NAME}".'],
  ['serverInstructions', 'Tooltray shows the instructions that the server itself gives.'],
  ['instructions', 'Tooltray shows the instructions that the server itself gives.'],
  ['settings', 'These settings are for an extension of the app and reach no server.'],
]);

/** Transport names of all products, without case, blanks, `-` and `_`. `auto` leaves it to what else is there. */
export const kindByType: ReadonlyMap<string, 'stdio' | 'http' | 'sse' | 'builtin' | 'auto'> = new Map([
  ...['stdio', 'std', 'local', 'command', 'process'].map((word) => [word, 'stdio'] as const),
  ...[
    'http',
    'https',
    'streamablehttp',
    'streamable',
    'httpstream',
    'httpstreamable',
    'streamhttp',
    'shttp',
    'url',
  ].map((word) => [word, 'http'] as const),
  ['remote', 'http'],
  ['sse', 'sse'],
  ['builtin', 'builtin'],
  ['auto', 'auto'],
  ['', 'auto'],
]);

/** Kinds of entries that are no server of their own: why. */
export const refusedKinds: ReadonlyMap<string, string> = new Map([
  ['openapi', 'It describes a web API, not an MCP server.'],
  ['platform', 'It is a part of its app, which alone can run it.'],
  ['frontend', 'It is a part of its app, which alone can run it.'],
  ['inmemory', 'It is a part of its app, which alone can run it.'],
  ['inlinepython', 'It is Python code inside of its app, not a program.'],
  ['extension', 'It is an extension of its app, which alone can start it.'],
  ['websocket', 'It is reached over a WebSocket, which is no transport of MCP.'],
  ['ws', 'It is reached over a WebSocket, which is no transport of MCP.'],
]);

/** Unfillable placeholders by the word before their colon: what to do. */
export const placeholderAdvice: ReadonlyMap<string, string> = new Map([
  ['input', 'Write ${env:NAME} and set that variable, or ${secret:NAME} and keep the value in the vault.'],
  ['prompt', 'Write ${env:NAME} and set that variable, or ${secret:NAME} and keep the value in the vault.'],
  ['file', 'Keep the value of the file in the vault, and write ${secret:NAME}.'],
  ['cmd', 'Keep what the command prints in the vault, and write ${secret:NAME}.'],
  ['command', 'Keep what the command prints in the vault, and write ${secret:NAME}.'],
  ['folder', 'Write the whole path of the folder.'],
]);

/** Placeholders for a folder that only the app knows; where the project is known, the first two are filled. */
export const folderNames: ReadonlySet<string> = new Set([
  ...['workspaceFolder', 'workspaceFolderBasename', 'workspaceRoot', 'workspacePath', 'projectRoot', 'projectPath'],
  ...['extensionPath', 'CLAUDE_PLUGIN_ROOT', 'CLAUDE_PROJECT_DIR', 'CLAUDE_PLUGIN_DATA', '__dirname', 'cwd'],
  ...['fileDirname', 'relativeFileDirname', 'file'],
]);
