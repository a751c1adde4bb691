/**
 * The keys next to the servers in an MCPProxy file: each maps to one of our settings, matches our behavior, or is
 * reported as having no effect, with the reason. None is dropped silently.
 */
import { z } from 'zod';
import type { AppConfig, RegistryConfig } from './app-config.ts';
import { duration, registrySettings, zodOptions } from './schema.ts';

/** The settings that another product's key changes; omitted ones stay. */
export type ForeignSettings = {
  readonly [Key in keyof Omit<AppConfig, 'path' | 'servers'>]?: Partial<AppConfig[Key]> | AppConfig[Key];
};

interface OtherKey {
  readonly check: z.ZodType;
  /**
   * The resulting settings; a text: why it has no effect; undefined: nothing is lost. The value has passed validation.
   */
  readonly take: (value: never) => ForeignSettings | string | undefined;
}

const count = z.int().min(0);

const modeOfRouting: Readonly<Record<string, AppConfig['mode']>> = {
  retrieve_tools: 'retrieve',
  direct: 'proxy',
  code_execution: 'code',
};

function key<Check extends z.ZodType>(
  check: Check,
  take: (value: z.output<Check>) => ForeignSettings | string | undefined,
): OtherKey {
  return { check, take };
}

/** A key that never has an effect. */
const lost = (reason: string): OtherKey => key(z.unknown(), () => reason);

/** A key without effect; reported as lost unless its value is `same`. */
const lostUnless = (same: unknown, reason: string): OtherKey =>
  key(z.unknown(), (value) => (value === same ? undefined : reason));

const nothingLost: OtherKey = key(z.unknown(), () => undefined);

const intervals = 'Tooltray has its own schedule for health checks and detects changed tools immediately.';
const queues = 'Set "maxConcurrent" of a server to limit its concurrent calls.';
const httpTimes = 'Tooltray has its own limits for idle and slow requests.';
const history =
  'Payloads are retained as long as spilled results (results.retentionDays, results.maxBytes), or not at all (activity.storePayloads).';
const notYet = 'Tooltray does not support this yet.';

export const mcpproxySettings: ReadonlyMap<string, OtherKey> = new Map<string, OtherKey>([
  [
    'listen',
    key(
      z.string().regex(/^(|[^:]*|\[.*\]):\d{1,5}$/, { error: 'An address such as "127.0.0.1:8080" is expected here' }),
      (value) => ({ port: Math.min(65_535, Number(/\d+$/.exec(value)?.[0])) }),
    ),
  ],
  [
    'routing_mode',
    key(z.enum(['', 'retrieve_tools', 'direct', 'code_execution']), (value) => ({
      mode: modeOfRouting[value] ?? 'retrieve',
    })),
  ],
  ['tools_limit', key(z.int().min(1), (limit) => ({ retrieve: { limit: Math.min(100, limit) } }))],
  ['tool_response_limit', key(count, (threshold) => ({ results: { threshold } }))],
  [
    'tool_response_mode',
    lostUnless('compact', 'retrieve_tools returns one line per tool; describe_tool returns the full definition.'),
  ],
  [
    'direct_tool_response_mode',
    lostUnless('full', 'Set "condense" to choose how much of each tool mode "proxy" shows.'),
  ],
  [
    'max_result_size_chars',
    lost('The result limit of each client app is known; set "results.threshold" to change it.'),
  ],
  ['call_tool_timeout', key(duration, (seconds) => (seconds > 0 ? { callTimeoutSeconds: seconds } : undefined))],
  ['init_timeout', key(duration, (seconds) => (seconds > 0 ? { initTimeoutSeconds: seconds } : undefined))],
  ['read_only_mode', key(z.boolean(), (on) => (on ? { policy: { agentChanges: 'refuse' } } : undefined))],
  ['disable_management', key(z.boolean(), (on) => (on ? { policy: { agentChanges: 'refuse' } } : undefined))],
  ['allow_server_add', key(z.boolean(), (allowAdd) => ({ policy: { allowAdd: allowAdd } }))],
  ['allow_server_remove', key(z.boolean(), (allowRemove) => ({ policy: { allowRemove: allowRemove } }))],
  ['enable_code_execution', key(z.boolean(), (enabled) => ({ code: { enabled } }))],
  ['code_execution_timeout_ms', key(z.int().min(1), (ms) => ({ code: { timeoutSeconds: ms / 1000 } }))],
  [
    'code_execution_max_tool_calls',
    key(count, (calls) => (calls === 0 ? undefined : { code: { maxToolCalls: calls } })),
  ],
  ['code_execution_pool_size', lost('Each run has its own interpreter.')],
  ['code_execution_max_parallel', lost('Set "max_parallel" in the call to limit concurrent calls.')],
  [
    'toon_output',
    key(z.enum(['', 'off', 'adaptive', 'always']), (on) => ({ results: { toon: !['', 'off'].includes(on) } })),
  ],
  ['toon_min_savings_pct', lostUnless(15, 'TOON is used if it is at least 15% smaller.')],
  ['activity_max_records', key(z.int().positive(), (maxRows) => ({ activity: { maxRows } }))],
  [
    'activity_max_size_mb',
    key(count, (mb) =>
      mb === 0 ? 'The size of the activity log is always limited.' : { activity: { maxBytes: mb * 1024 * 1024 } },
    ),
  ],
  ['activity_retention_days', lost('The activity log is limited by count and size, not by age.')],
  ['activity_max_response_size', lost(history)],
  ['activity_cleanup_interval_min', nothingLost],
  ['tool_call_max_response_size', lost(history)],
  ['tool_call_max_records_per_server', lost(history)],
  [
    'docker_isolation',
    key(z.looseObject({ enabled: z.boolean().optional() }), ({ enabled }) =>
      enabled === true ? { isolateCommands: true } : undefined,
    ),
  ],
  ['docker_recovery', lost('A container that exits is restarted, like every server.')],
  ['data_dir', lost('Tooltray stores its data in its own directory (TOOLTRAY_HOME).')],
  [
    'api_key',
    lost('Tooltray creates its own token at the first start; "tooltray install" configures it in client apps.'),
  ],
  [
    'require_mcp_auth',
    lostUnless(true, 'Tooltray always requires its token over HTTP; "tooltray install" configures it in client apps.'),
  ],
  ['trusted_hosts', lost('Tooltray listens on 127.0.0.1 only, under host names of this machine.')],
  ['trusted_proxies', lost('Tooltray listens on 127.0.0.1 only.')],
  ['tls', lost('Tooltray listens on 127.0.0.1 only, without TLS.')],
  ['enable_socket', lostUnless(true, 'Client apps use Tooltray’s socket; it cannot be disabled.')],
  ['tray_endpoint', lost('Tooltray has its own socket.')],
  ['enable_tray', nothingLost],
  ['enable_prompts', lostUnless(true, 'Server prompts are always listed.')],
  ['aggregate_upstream_prompts', lostUnless(true, 'Server prompts are always listed.')],
  ['instructions', lost('Tooltray sends client apps its own instructions for its modes.')],
  ['health_check_interval', lost(intervals)],
  ['tool_discovery_interval', lost(intervals)],
  ['http_read_timeout', lost(httpTimes)],
  ['http_write_timeout', lost(httpTimes)],
  ['http_idle_timeout', lost(httpTimes)],
  ['max_concurrent_requests', lost(queues)],
  ['queue_size', lost(queues)],
  ['queue_timeout', lost(queues)],
  ['server_concurrency_defaults', lost(queues)],
  [
    'environment',
    lost('Servers inherit the variables that programs commonly need; add more with "inheritEnv" in their entry.'),
  ],
  ['forward_proxy_env', lost('Servers always inherit your proxy variables.')],
  ['logging', lost('Tooltray writes its own size-limited logs to its log directory.')],
  ['audit_log', lost('See "tooltray activity" and "tooltray audit" for what models do.')],
  ['intent_declaration', lost('The declared intent of a call is always checked against the tool.')],
  ['reveal_secret_headers', lostUnless(false, 'Secrets are always masked here.')],
  ['quarantine_enabled', lost('Additions by models need your approval; see "policy.agentChanges".')],
  ['sensitive_data_detection', lost(notYet)],
  ['output_validation', lost(notYet)],
  ['output_sanitisation', lost(notYet)],
  ['security', lost(notYet)],
  ['registries', key(z.array(z.looseObject({})), requestedRegistries)],
  ['registries_locked', lost('Only the user can add registries ("registries" in the config).')],
  ['allow_private_registry_fetch', lost('A registry may be in your own network; its redirects are always checked.')],
  ['oauth_expiry_warning_hours', lost('Tokens are refreshed automatically; you are notified if a sign-in is needed.')],
  ['tokenizer', lost('Tokens are counted with o200k.')],
  ['observability', lost('Tooltray maintains its totals automatically.')],
  ['telemetry', nothingLost],
  ['update_check', lost('Configure updates in the app’s settings.')],
  ['server_edition', lost('Tooltray serves one user.')],
  ['teams', lost('Tooltray serves one user.')],
  ['tool_response_session_risk_warning', nothingLost],
  ['check_server_repo', nothingLost],
  ['debug_search', nothingLost],
  ['top_k', nothingLost],
  ['features', nothingLost],
]);

/** Returns the registries that use the official API, which can be queried here too. */
function requestedRegistries(written: readonly Record<string, unknown>[]): ForeignSettings | string {
  const registries = written.flatMap(({ id, name, url, servers_url: servers, protocol }): RegistryConfig[] => {
    const isOurs = servers === undefined && protocol === undefined;
    const isSpoken = /^modelcontextprotocol\/registry/.test(String(protocol));
    const place = isOurs ? url : isSpoken ? servers : undefined;
    if (typeof place !== 'string') return [];
    return [{ name: String(isOurs ? name : (id ?? name)), url: place.replace(/\/v0(?:\.1)?\/servers\/?$/, '') }];
  });
  const places = registrySettings.safeParse(registries, zodOptions);
  if (!places.success || registries.length === 0) {
    return 'Only registries with the API of the official registry are supported; the official one is always included.';
  }
  return { registries: places.data };
}
