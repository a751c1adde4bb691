/** Servers in JSON, TOML or YAML that somebody copied: a whole config of any product, its inside, one entry, a registry's server.json. */
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { entriesOfValue, parseText, serverContainers } from '../client-apps/import-entry.ts';
import { type FoundServer, notUnderstood } from './pasted-server.ts';
import { isRegistryEntry, serverOfRegistryEntry } from './server-json.ts';

const formats = [
  ['json', /^\s*(?:\{|\[\s*[{\]]|"|\/[/*])/],
  ['toml', /^\s*(?:#.*\n\s*)*\[+[\w."' -]+\]+[ \t]*(?:\n|$)/],
  ['yaml', /^\s*(?:#.*\n\s*)*(?:mcpServers|mcp_servers|servers|extensions|context_servers)[ \t]*:[ \t]*\n/],
] as const;

/** undefined: the text is in none of these formats. Throws AppError bad_request where it is and cannot be read. */
export function serversOfValues(text: string): readonly FoundServer[] | undefined {
  const [format] = formats.find(([, pattern]) => pattern.test(text)) ?? [];
  if (format === undefined) return undefined;
  // Pages often show the inside of a config, without the braces around it.
  const whole = format === 'json' && text.startsWith('"') ? `{${text}}` : text;
  return serversOfValue(parsed(whole, format));
}

function parsed(text: string, format: 'json' | 'toml' | 'yaml'): unknown {
  try {
    return parseText(text, format, 'The text');
  } catch (error) {
    if (error instanceof AppError) throw notUnderstood(error.message, 'Copy it whole.');
    throw error;
  }
}

function serversOfValue(value: unknown): readonly FoundServer[] {
  if (Array.isArray(value)) return (value as unknown[]).flatMap(serversOfValue);
  if (!isObject(value)) return [];
  if (isRegistryEntry(value)) return [serverOfRegistryEntry(value)];
  const contained = serverContainers.flatMap((key) =>
    entriesOfValue(value[key]).map(([name, entry]) => found(name, entry, key)),
  );
  if (contained.length > 0) return contained;
  if (isEntry(value)) return [found(typeof value['name'] === 'string' ? value['name'] : undefined, value)];
  const entries = Object.entries(value).filter(([, entry]) => isObject(entry) && isEntry(entry));
  return entries.map(([name, entry]) => found(name, entry));
}

function found(name: string | undefined, entry: unknown, container?: string): FoundServer {
  const { name: _own, ...fields } = isObject(entry) ? entry : {};
  return { name, entry: fields, container };
}

function isEntry(value: JsonObject): boolean {
  return ['command', 'cmd', 'url', 'serverUrl', 'httpUrl', 'base_url', 'uri'].some(
    (key) =>
      typeof value[key] === 'string' || (key === 'command' && (isObject(value[key]) || Array.isArray(value[key]))),
  );
}
