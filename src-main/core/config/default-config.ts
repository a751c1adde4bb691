/** The config of an empty file, and the defaults. */
import type { AppConfig } from './app-config.ts';

export function defaultConfig(path: string): AppConfig {
  return {
    path,
    product: 'tooltray',
    servers: [],
    mode: 'auto',
    appModes: {},
    profiles: {},
    appProfiles: {},
    ui: 'listed',
    appUi: {},
    raw: false,
    condense: undefined,
    enrichment: undefined,
    extraTools: [],
    exposeAdmin: false,
    // Fixed, so that addresses given to client apps stay valid; below the ranges that systems assign.
    port: 8690,
    http: {
      maxSessions: 2_000,
      sessionIdleMinutes: 24 * 60,
      maxStreams: 2_000,
      maxRequests: 2_000,
      maxBodyMB: 64,
      drainSeconds: undefined,
    },
    userProcesses: { maxPerReplica: 200, maxPerUser: 8, idleMinutes: 10 },
    commandLimits: { memoryMB: 2048, processes: 512, openFiles: 4096, cpus: 2 },
    audit: { writeAhead: false, push: [] },
    activity: { maxRows: 100_000, maxBytes: 256 * 1024 * 1024, storePayloads: true },
    policy: { agentChanges: 'ask', allowAdd: true, allowRemove: true },
    callTimeoutSeconds: undefined,
    initTimeoutSeconds: undefined,
    isolateCommands: false,
    retrieve: { limit: undefined },
    code: { enabled: true, timeoutSeconds: undefined, maxToolCalls: undefined },
    trustEdits: false,
    heal: 'ask',
    dispatch: { allow: [], deny: [] },
    results: {
      threshold: undefined,
      thresholds: {},
      appThresholds: {},
      toon: false,
      clean: false,
      cacheSeconds: {},
      retentionDays: 7,
      maxBytes: 1_000_000_000,
      maxCount: 10_000,
      deleteOnExit: false,
      folders: [],
    },
    dataFlow: { mode: 'record', waitSeconds: 50, approvalTimeoutMinutes: 30, roles: {}, secrets: 'ask' },
    slowCallSeconds: undefined,
    pollingTools: [],
    tokenBudgets: {},
    reviews: { onChange: 'hold' },
    registries: [],
    overridable: undefined,
    oauth: { clientMetadataUrl: undefined },
    quotas: undefined,
    network: { extraCaFile: undefined },
    price: { perMillionTokens: undefined, currency: 'USD' },
  };
}

/** Per server; times in ms, sizes in bytes. */
export const serverDefaults = {
  initTimeoutMs: 30_000,
  // A generous limit, because some tools work for many minutes; progress restarts it.
  callTimeoutMs: 3_600_000,
  maxMessageBytes: 512 * 1024 * 1024,
} as const;
