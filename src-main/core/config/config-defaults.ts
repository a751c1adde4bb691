/** The values of everything a config file leaves out. */
import type { AppConfig } from './app-config.ts';

/** Per server; times in ms, sizes in bytes. */
export const serverDefaults = {
  initTimeoutMs: 30_000,
  // A generous ceiling: some tools work for many minutes, and progress starts it anew.
  callTimeoutMs: 3_600_000,
  maxMessageBytes: 512 * 1024 * 1024,
} as const;

/** The config of a file that says nothing. */
export function defaultConfig(path: string): AppConfig {
  return {
    path,
    product: 'tooltray',
    servers: [],
    mode: 'auto',
    appModes: {},
    raw: false,
    condense: undefined,
    extraTools: [],
    exposeAdmin: false,
    // Fixed, so that an address given to a client app stays right; below the ranges systems hand out by themselves.
    port: 8690,
    activity: { maxRows: 100_000, maxBytes: 256 * 1024 * 1024 },
    policy: { agentChanges: 'ask', mayAdd: true, mayRemove: true },
    callTimeoutSeconds: undefined,
    initTimeoutSeconds: undefined,
    isolateCommands: false,
    retrieve: { limit: undefined, detail: undefined },
    code: { enabled: true, timeoutSeconds: undefined, maxToolCalls: undefined },
    trustEdits: false,
    heal: 'ask',
    dispatch: { allow: [], deny: [] },
    results: {
      threshold: undefined,
      thresholds: {},
      toon: false,
      cacheSeconds: {},
      keepDays: 7,
      maxBytes: 1_000_000_000,
      maxCount: 10_000,
      deleteAtExit: false,
      folders: [],
    },
    slowCallSeconds: undefined,
    price: { perMillionTokens: undefined, currency: 'USD' },
  };
}
