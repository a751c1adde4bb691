/** The servers in a config file, each as parsed by the reader, with variables and paths as written. */
import { homedir } from 'node:os';
import { isObject, type JsonObject } from '../base/json.ts';
import type { WrittenServer } from './accepted-record.ts';
import { ConfigDocument } from './config-document.ts';
import { containerKeys } from './containers.ts';
import { findServers } from './dialects/find-servers.ts';
import { readEntry } from './dialects/read-entry.ts';
import { nodeValue } from './jsonc-text.ts';
import type { Env } from './replace-variables.ts';

/**
 * Returns the effective servers by name: the last of a name in the first container that has it. Unusable entries are
 * returned as written, without parsing.
 */
export function writtenServers(text: string, path: string, env: Env): Record<string, WrittenServer> {
  const { root } = new ConfigDocument(text, path);
  if (root === undefined) return {};
  const home = env['HOME'] ?? env['USERPROFILE'] ?? homedir();
  const { entries } = findServers(nodeValue(root), path);
  const servers = new Map<string, WrittenServer>();
  for (const key of containerKeys) {
    const own = new Map<string, WrittenServer>();
    for (const { name = '', path: at, raw, dialect, policy } of entries) {
      if (at[0] !== key || at.length !== 2) continue;
      const { entry } = readEntry(raw, { dialect, policy, home });
      const used: unknown = JSON.parse(JSON.stringify(entry ?? raw));
      if (isObject(used)) own.set(name, { entry: used, enabled: isOn(used) });
    }
    for (const [name, server] of own) if (!servers.has(name)) servers.set(name, server);
  }
  return Object.fromEntries(servers);
}

function isOn({ enabled, quarantined }: JsonObject): boolean {
  return enabled !== false && quarantined !== true;
}
