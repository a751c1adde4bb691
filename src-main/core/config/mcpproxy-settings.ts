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

const intervals = 'Tooltray looks after its servers at times of its own, and sees changed tools at once.';
const queues = 'Calls at once are limited for each server: "maxConcurrent".';
const httpTimes = 'Tooltray ends idle and slow requests by limits of its own.';
const history =
  'Texts of calls are kept as long as answers on disk (results.retentionDays, results.maxBytes), or not (activity.storePayloads).';
const notYet = 'Tooltray does not have this yet.';

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
  ['tool_response_mode', lostUnless('compact', 'retrieve_tools shows a line a tool; describe_tool has the whole.')],
  ['direct_tool_response_mode', lostUnless('full', 'How much mode "proxy" shows of each tool is set by "condense".')],
  [
    'max_result_size_chars',
    lost('How long an answer may be is known of each client app; set "results.threshold" to change it.'),
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
  ['code_execution_pool_size', lost('Each run has an interpreter of its own.')],
  ['code_execution_max_parallel', lost('How many calls run side by side is set in the call ("max_parallel").')],
  [
    'toon_output',
    key(z.enum(['', 'off', 'adaptive', 'always']), (on) => ({ results: { toon: !['', 'off'].includes(on) } })),
  ],
  ['toon_min_savings_pct', lostUnless(15, 'TOON is used where it is at least 15 % smaller.')],
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
  ['docker_recovery', lost('A container that ends is started anew, as every server is.')],
  ['data_dir', lost('Tooltray keeps its data in a folder of its own (TOOLTRAY_HOME).')],
  [
    'api_key',
    lost('Tooltray makes a token of its own at its first start; "tooltray install" gives it to client apps.'),
  ],
  [
    'require_mcp_auth',
    lostUnless(true, 'Tooltray always requires its token over HTTP; "tooltray install" configures it in client apps.'),
  ],
  ['trusted_hosts', lost('Tooltray answers on 127.0.0.1 only, under names of this machine.')],
  ['trusted_proxies', lost('Tooltray answers on 127.0.0.1 only.')],
  ['tls', lost('Tooltray answers on 127.0.0.1 only, without TLS.')],
  ['enable_socket', lostUnless(true, 'Client apps reach Tooltray through its socket; it cannot be switched off.')],
  ['tray_endpoint', lost('Tooltray has a socket of its own.')],
  ['enable_tray', nothingLost],
  ['enable_prompts', lostUnless(true, 'Prompts of servers are always listed.')],
  ['aggregate_upstream_prompts', lostUnless(true, 'Prompts of servers are always listed.')],
  ['instructions', lost('Tooltray tells client apps how to use its modes in words of its own.')],
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
    lost('Servers get the variables that programs commonly need; name more in their entry ("inheritEnv").'),
  ],
  ['forward_proxy_env', lost('Servers get the names of your proxies, always.')],
  ['logging', lost('Tooltray keeps logs of its own, bounded, in its log folder.')],
  ['audit_log', lost('What models do is in the activity ("tooltray activity") and in the audit ("tooltray audit").')],
  ['intent_declaration', lost('What a call declares is always checked against the tool.')],
  ['reveal_secret_headers', lostUnless(false, 'Secrets are always masked here.')],
  ['quarantine_enabled', lost('Whatever a model asks to add waits for you; "policy.agentChanges" has the rule.')],
  ['sensitive_data_detection', lost(notYet)],
  ['output_validation', lost(notYet)],
  ['output_sanitisation', lost(notYet)],
  ['security', lost(notYet)],
  ['registries', key(z.array(z.looseObject({})), requestedRegistries)],
  ['registries_locked', lost('Registries are named by the user alone: in the config ("registries").')],
  ['allow_private_registry_fetch', lost('A registry may lie in your own network; where it leads is always looked at.')],
  ['oauth_expiry_warning_hours', lost('Sign-ins are renewed by themselves; what needs you is shown.')],
  ['tokenizer', lost('Tokens are counted as o200k has them.')],
  ['observability', lost('Tooltray keeps its sums by itself.')],
  ['telemetry', nothingLost],
  ['update_check', lost('Updates are set in the settings of the app.')],
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
    return 'Only registries with the API of the official one can be asked; that one is always known.';
  }
  return { registries: places.data };
}
