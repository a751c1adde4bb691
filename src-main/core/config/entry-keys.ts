/** How other products spell the keys of a server entry, and which of their keys have no effect here. */

/** Their key → our field. Windsurf: serverUrl; Gemini: httpUrl; ToolMux: base_url; Magg: uri; MCPProxy: working_dir, protocol, *_tools; Gemini: *Tools. */
export const keyAliases: ReadonlyMap<string, string> = new Map([
  ['base_url', 'url'],
  ['uri', 'url'],
  ['serverUrl', 'url'],
  ['httpUrl', 'url'],
  ['working_dir', 'cwd'],
  ['protocol', 'type'],
  ['disabled_tools', 'disabledTools'],
  ['excludeTools', 'disabledTools'],
  ['enabled_tools', 'enabledTools'],
  ['includeTools', 'enabledTools'],
]);

/** Keys of other products that say nothing about how to reach or treat a server here. */
export const harmlessKeys: ReadonlySet<string> = new Set([
  ...[
    'name',
    'source',
    'notes',
    'kits',
    'autoApprove',
    'alwaysAllow',
    'alwaysLoad',
    'trust',
    'gallery',
    'version',
    'dev',
  ],
  ...['created', 'updated', 'sse_endpoint', 'reconnect_on_use', 'expose_prompts', 'source_registry_id'],
  ...['source_registry_provenance', 'skip_quarantine', 'auto_approve_tool_changes', 'icon'],
]);

/** Keys of other products whose effect is lost here, with what a person should know. */
export const lostKeys: ReadonlyMap<string, string> = new Map([
  ['envFile', 'Tooltray does not read env files. Put the values in "env", as "${env:NAME}" where they are secret.'],
  ['prefix', 'Tooltray names tools after the server. Rename the server to change them.'],
  ['oauth', 'Tooltray signs in by itself when the server asks for it; these settings are not used.'],
  ['auth', 'Tooltray signs in by itself when the server asks for it; these settings are not used.'],
  ['isolation', 'Tooltray starts the command as it is, without a container.'],
  ['sandboxEnabled', 'Tooltray starts the command as it is, without a sandbox.'],
]);

/** Transport names of all products, without case, `-` and `_`. `auto` (MCPProxy) leaves it to what else is there. */
export const kindByType: ReadonlyMap<string, 'stdio' | 'http' | 'sse' | 'builtin' | 'auto'> = new Map([
  ['stdio', 'stdio'],
  ['http', 'http'],
  ['streamablehttp', 'http'],
  ['sse', 'sse'],
  ['builtin', 'builtin'],
  ['auto', 'auto'],
]);
