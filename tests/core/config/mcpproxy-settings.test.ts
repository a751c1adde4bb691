/** Every MCPProxy setting beside its servers maps to a setting or is reported as ignored with the reason. */
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src-main/core/config/read-config.ts';

const file = '/c/mcp_config.json';

function read(settings: object) {
  const { config, problems } = parseConfig(JSON.stringify({ ...settings, mcpServers: [] }), file, {});
  return {
    config,
    problems: problems.map(({ path, severity, suggestion = '' }) => `${severity} ${path}: ${suggestion}`),
  };
}

/** All keys of its configuration. */
const keys = [
  ...['listen', 'tray_endpoint', 'enable_socket', 'data_dir', 'enable_tray', 'debug_search', 'top_k'],
  ...['tools_limit', 'tool_response_limit', 'call_tool_timeout', 'max_result_size_chars', 'max_concurrent_requests'],
  ...['queue_size', 'queue_timeout', 'server_concurrency_defaults', 'toon_output', 'toon_min_savings_pct'],
  ...['health_check_interval', 'tool_discovery_interval', 'init_timeout', 'http_read_timeout', 'http_write_timeout'],
  ...['http_idle_timeout', 'environment', 'forward_proxy_env', 'logging', 'api_key', 'require_mcp_auth'],
  ...['trusted_hosts', 'trusted_proxies', 'audit_log', 'read_only_mode', 'disable_management', 'allow_server_add'],
  ...['allow_server_remove', 'enable_prompts', 'aggregate_upstream_prompts', 'check_server_repo', 'docker_isolation'],
  ...['docker_recovery', 'registries', 'registries_locked', 'allow_private_registry_fetch', 'features', 'tls'],
  ...['tokenizer', 'enable_code_execution', 'code_execution_timeout_ms', 'code_execution_max_tool_calls'],
  ...['code_execution_pool_size', 'code_execution_max_parallel', 'tool_response_session_risk_warning'],
  ...['oauth_expiry_warning_hours', 'activity_retention_days', 'activity_max_records', 'activity_max_size_mb'],
  ...['activity_max_response_size', 'activity_cleanup_interval_min', 'tool_call_max_response_size'],
  ...['tool_call_max_records_per_server', 'intent_declaration', 'sensitive_data_detection', 'output_validation'],
  ...['output_sanitisation', 'telemetry', 'observability', 'update_check', 'routing_mode', 'tool_response_mode'],
  ...['direct_tool_response_mode', 'instructions', 'quarantine_enabled', 'security', 'reveal_secret_headers'],
  ...['server_edition'],
];

/** Keys of features that Tooltray lacks and internal numbers; reporting them would be noise. */
const silent = [
  ...['enable_tray', 'debug_search', 'top_k', 'features', 'check_server_repo', 'telemetry'],
  ...['tool_response_session_risk_warning', 'activity_cleanup_interval_min'],
];

test('reads its profiles as sets of servers', () => {
  const { config, problems } = read({ profiles: [{ name: 'work', servers: ['github'] }] });
  expect({ profiles: config?.profiles, problems }).toEqual({
    profiles: { work: { servers: ['github'] } },
    problems: [],
  });
});

test('uses its registries that implement the API of the official one', () => {
  const [protocol, name] = ['modelcontextprotocol/registry', 'Work'];
  const registries = [
    { id: 'work', name, url: 'https://work.example', servers_url: 'https://api.work.example/v0.1/servers', protocol },
    {
      id: 'pulse',
      name: 'Pulse',
      url: 'https://pulse.example',
      servers_url: 'https://pulse.example/v0beta',
      protocol: 'custom/pulse',
    },
  ];
  expect(read({ registries })).toMatchObject({
    config: { registries: [{ name: 'work', url: 'https://api.work.example' }] },
    problems: [],
  });
  const { config, problems } = read({ registries: registries.slice(1) });
  expect([config?.registries, problems]).toEqual([[], [expect.stringContaining('Only registries with the API')]]);
});

test('ignores no key of its configuration silently', () => {
  const dropped = keys.filter((key) => {
    const values = ['127.0.0.1:9000', 'direct', 'compact', 'always', '90s', 7, true, false, [], { enabled: true }];
    const before = JSON.stringify(read({}).config);
    // Some value of it has an effect, or is reported as ignored; an invalid one is reported, too, and has no effect.
    return !values.some((value) => {
      const { config, problems } = read({ [key]: value });
      if (problems.some((problem) => problem.startsWith('error'))) return false;
      return problems.length === 1 || JSON.stringify(config) !== before;
    });
  });
  expect(dropped.sort()).toEqual([...silent].sort());
});

test('applies settings that have a counterpart', () => {
  const { config, problems } = read({
    listen: '127.0.0.1:9000',
    routing_mode: 'code_execution',
    tools_limit: 7,
    tool_response_limit: 5000,
    tool_response_mode: 'compact',
    call_tool_timeout: '1m30s',
    init_timeout: '5s',
    read_only_mode: true,
    allow_server_add: false,
    enable_code_execution: false,
    code_execution_timeout_ms: 2000,
    code_execution_max_tool_calls: 3,
    toon_output: 'adaptive',
    activity_max_records: 10,
    activity_max_size_mb: 1,
    docker_isolation: { enabled: true, default_images: {} },
  });
  expect(problems).toEqual([]);
  expect(config).toMatchObject({
    product: 'mcpproxy',
    port: 9000,
    mode: 'code',
    retrieve: { limit: 7 },
    results: { threshold: 5000, toon: true },
    callTimeoutSeconds: 90,
    initTimeoutSeconds: 5,
    policy: { agentChanges: 'refuse', allowAdd: false, allowRemove: true },
    code: { enabled: false, timeoutSeconds: 2, maxToolCalls: 3 },
    activity: { maxRows: 10, maxBytes: 1024 * 1024 },
    isolateCommands: true,
  });
});

describe('a wrong value', () => {
  test.each([
    ['listen', 8080],
    ['routing_mode', 'retreive'],
    ['tools_limit', 'ten'],
    ['call_tool_timeout', 'soon'],
    ['read_only_mode', 'yes'],
  ])('of %s is an error and changes nothing', (key, value) => {
    const { config, problems } = read({ [key]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^error ${key}`));
    expect(config).toEqual(read({}).config);
  });
});

test('uses retrieve mode by default, and prefers the mode key to routing_mode', () => {
  expect(read({}).config?.mode).toBe('retrieve');
  expect(read({ routing_mode: 'direct' }).config?.mode).toBe('proxy');
  expect(read({ mode: 'meta', routing_mode: 'direct' }).config?.mode).toBe('meta');
});

test('does not take generic keys of other apps for MCPProxy settings', () => {
  const text = JSON.stringify({ security: {}, telemetry: {}, instructions: 'x', mcpServers: {} });
  expect(parseConfig(text, file, {})).toMatchObject({ problems: [], config: { product: 'tooltray' } });
});

test('applies its server timeouts unless an entry sets its own', () => {
  const text = JSON.stringify({
    call_tool_timeout: '2m',
    mcpServers: [
      { name: 'a', command: 'a' },
      { name: 'b', command: 'b', callTimeoutSeconds: 5 },
    ],
  });
  expect(parseConfig(text, file, {}).config?.servers).toMatchObject([
    { callTimeoutMs: 120_000 },
    { callTimeoutMs: 5000 },
  ]);
});

test('uses gateway mode for a ToolMux file without a mode', () => {
  const read = (value: object, path: string) => parseConfig(JSON.stringify(value), path, {}).config;
  expect(read({ servers: { a: { transport: 'http', base_url: 'http://h' } } }, '/c/x.json')).toMatchObject({
    mode: 'gateway',
    product: 'toolmux',
  });
  expect(read({ servers: { a: { command: 'a' } } }, '/home/me/shared/toolmux/mcp.json')?.mode).toBe('gateway');
  expect(read({ servers: { a: { command: 'a' } } }, '/home/me/.config/tooltray/config.json')?.mode).toBe('auto');
  expect(read({ cache_model: 'x', mode: 'meta', servers: {} }, '/c/x.json')?.mode).toBe('meta');
});
