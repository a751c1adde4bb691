/** Whether a tool is there for client apps, as the person switched it. */
import type { AppConfig } from './app-config.ts';

/** `tool` by the server's own name. A server the config does not know has nothing switched off. */
export function isToolOn(config: Pick<AppConfig, 'servers'>, server: string, tool: string): boolean {
  const chosen = config.servers.find(({ name }) => name === server)?.toolSwitch;
  if (chosen === undefined) return true;
  return !chosen.off.includes(tool) && (chosen.only === undefined || chosen.only.includes(tool));
}
