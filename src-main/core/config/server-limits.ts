/** When a server starts and stops, and how long and how large things may get with it. */
import type { AppConfig, ServerConfig } from './app-config.ts';
import { serverDefaults } from './config-defaults.ts';
import type { Entry } from './schema.ts';
import type { containerKeys } from './server-container.ts';

type Container = (typeof containerKeys)[number];

interface LimitContext {
  readonly container: Container;
  readonly settings: Pick<AppConfig, 'callTimeoutSeconds' | 'initTimeoutSeconds'>;
}

/** Times in ms and sizes in bytes, for a server of that kind from that container. */
export function serverLimits(entry: Entry, kind: ServerConfig['kind'], { container, settings }: LimitContext) {
  const { init, call } = otherTimeout(entry.timeout, kind, container);
  return {
    lazy: entry.lazy ?? false,
    idleStopMs: milliseconds(entry.idleStopSeconds),
    initTimeoutMs:
      milliseconds(entry.initTimeoutSeconds ?? entry.init_timeout) ??
      init ??
      milliseconds(settings.initTimeoutSeconds) ??
      serverDefaults.initTimeoutMs,
    callTimeoutMs:
      milliseconds(entry.callTimeoutSeconds) ??
      call ??
      milliseconds(settings.callTimeoutSeconds) ??
      serverDefaults.callTimeoutMs,
    maxMessageBytes:
      entry.maxMessageMB === undefined ? serverDefaults.maxMessageBytes : Math.round(entry.maxMessageMB * 1024 * 1024),
    description: entry.description,
  };
}

/**
 * `timeout` as others mean it: ToolMux (`servers`) limits the start of a command, in ms, and each request to a URL, in seconds. Under
 * `mcpServers` it limits a call, in ms for Claude Code and Gemini and in seconds for Cline: below 1000 only seconds make sense.
 */
function otherTimeout(timeout: number | undefined, kind: string, container: Container) {
  if (timeout === undefined) return {};
  if (container === 'servers') {
    if (kind === 'stdio') return { init: Math.round(timeout) };
    return { init: milliseconds(timeout), call: milliseconds(timeout) };
  }
  return { call: timeout < 1000 ? milliseconds(timeout) : Math.round(timeout) };
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds * 1000);
}
