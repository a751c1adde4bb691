/** Reports the commands whose entries opt out of the sandbox. */
import { type ConfigStore, isUnconfined, type ServerConfig } from '../../core/edition.ts';
import type { Log } from '../../core/base/log.ts';

/** Names of the servers whose command runs without a sandbox. */
export function unconfinedServers(servers: readonly ServerConfig[]): readonly string[] {
  return servers.flatMap((server) =>
    server.kind === 'stdio' && server.enabled && isUnconfined(server) ? [server.name] : [],
  );
}

/** States in the log which protection an entry's opt-out gives up. */
export function unconfinedWarning(server: string): string {
  return `${server} runs without a sandbox: it can read and change the files of the replica's user and reach its network.`;
}

/** Logs each such server once, until the config store stops. */
export function reportUnconfined(config: Pick<ConfigStore, 'current' | 'changed'>, log: Pick<Log, 'warn'>): void {
  const reported = new Set<string>();
  const report = (): void => {
    for (const server of unconfinedServers(config.current.servers)) {
      if (!reported.has(server)) log.warn(unconfinedWarning(server));
      reported.add(server);
    }
  };
  report();
  config.changed.on(report);
}
