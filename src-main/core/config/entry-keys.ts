/** How other products spell the keys of a server entry, and which of their keys have no effect here. */

/** Their key → our field. Windsurf: serverUrl; Gemini: httpUrl; ToolMux: base_url; Magg: uri; MCPProxy: working_dir, protocol, *_tools; Gemini: *Tools. */
export const keyAliases: ReadonlyMap<string, string> = new Map([
  ['base_url', 'url'],
  ['uri', 'url'],
  ['serverUrl', 'url'],
  ['httpUrl', 'url'],
  ['working_dir', 'cwd'],
  ['env_vars', 'env'],
  ['protocol', 'type'],
  ['disabled_tools', 'disabledTools'],
  ['excludeTools', 'disabledTools'],
  ['enabled_tools', 'enabledTools'],
  ['includeTools', 'enabledTools'],
]);

/** Keys of other products that say nothing about how to reach or treat a server here. */
export const harmlessKeys: ReadonlySet<string> = new Set([
  ...['name', 'source', 'notes', 'autoApprove', 'alwaysAllow', 'alwaysLoad', 'trust', 'gallery', 'version', 'dev'],
  ...['created', 'updated', 'sse_endpoint', 'reconnect_on_use', 'expose_prompts', 'source_registry_id'],
  ...['source_registry_provenance', 'skip_quarantine', 'auto_approve_tool_changes', 'icon'],
  ...['shared', '_backend_tools'],
]);

/** Keys of other products whose effect is lost here, with what a person should know. */
export const lostKeys: ReadonlyMap<string, string> = new Map([
  ['envFile', 'Tooltray does not read env files. Put the values in "env", as "${env:NAME}" where they are secret.'],
  ['auth', 'Tooltray signs in by itself when the server asks for it; these settings are not used.'],
  ['trust_mode', 'Tooltray has no quarantine of single tools yet.'],
  ['toon_output', 'TOON is set for all servers, in "results.toon".'],
  ['launcher_wait_timeout', 'Tooltray starts a command or connects to an address, not both.'],
  ['annotation_overrides', 'Hints of tools are used as the server gives them.'],
  ['health_check_interval', 'Tooltray looks after its servers at times of its own.'],
  ['tool_discovery_interval', 'Tooltray looks after its servers at times of its own.'],
  ['max_concurrent_requests', 'Tooltray does not limit how many calls run at once.'],
  ['queue_size', 'Tooltray does not limit how many calls run at once.'],
  ['queue_timeout', 'Tooltray does not limit how many calls run at once.'],
  ['auth_broker', 'Tooltray serves one person.'],
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
