/** The servers that a file of any product defines: JSON with comments, TOML or YAML, wherever in it they stand. */
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { AppError, errorText } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { ConfigDocument } from '../config/config-document.ts';
import { nodeValue } from '../config/json-node.ts';
import { importEntry, importLosses } from './import-entry.ts';

export interface ImportedServer {
  readonly name: string;
  /** As our config has it. */
  readonly entry: JsonObject;
  /** What is left behind, a line each. */
  readonly losses?: readonly string[];
}

export type TextFormat = 'json' | 'toml' | 'yaml';

/**
 * Where products keep their servers. servers: ours, VS Code, ToolMux, Magg; context_servers: Zed; mcp_servers: Codex;
 * mcp: opencode; extensions: Goose; amp.mcpServers is one key.
 */
const containers = [
  'servers',
  'mcpServers',
  'context_servers',
  'mcp_servers',
  'amp.mcpServers',
  'mcp',
  'extensions',
] as const;

export function formatOf(file: string): TextFormat {
  if (/\.toml$/i.test(file)) return 'toml';
  return /\.ya?ml$/i.test(file) ? 'yaml' : 'json';
}

/** What `text` defines; of one name the first counts. Throws AppError config_invalid where it cannot be read at all. */
export function serversOfText(text: string, file: string, home: string): readonly ImportedServer[] {
  return serversOfValue(parseText(text, formatOf(file), file), home);
}

/** The same for a value that has been read already. */
export function serversOfValue(value: unknown, home: string): readonly ImportedServer[] {
  if (!isObject(value)) return [];
  const found = containers.flatMap((key) =>
    entriesOfValue(value[key]).map(([name, theirs]) => [key, name, theirs] as const),
  );
  const byName = new Map<string, ImportedServer>();
  for (const [key, name, theirs] of found) {
    const entry = importEntry(theirs, { home, container: key });
    if (entry !== undefined && !byName.has(name)) byName.set(name, { name, entry, losses: importLosses(theirs) });
  }
  return [...byName.values()];
}

/** VS Code's settings hold `mcp: { servers }`; MCPProxy's file a list whose items have their names in them. */
export function entriesOfValue(container: unknown): [name: string, entry: unknown][] {
  if (Array.isArray(container)) {
    return (container as unknown[]).flatMap((item): [string, unknown][] =>
      isObject(item) && typeof item['name'] === 'string' && item['name'] !== '' ? [[item['name'], item]] : [],
    );
  }
  if (!isObject(container)) return [];
  const nested = container['servers'];
  return isObject(nested) && !('command' in nested) && !('url' in nested)
    ? Object.entries(nested)
    : Object.entries(container);
}

export function parseText(text: string, format: TextFormat, file: string): unknown {
  const plain = text.replace(/^\uFEFF/, '');
  if (format === 'json') return parseJsonc(plain, file);
  try {
    return format === 'toml' ? parseToml(plain) : (parseYaml(plain) as unknown);
  } catch (cause) {
    throw unreadable(file, errorText(cause).split('\n')[0] ?? '', cause);
  }
}

function parseJsonc(text: string, file: string): unknown {
  if (text.trim() === '') return {};
  const { root, problems } = new ConfigDocument(text, file);
  if (root !== undefined) return nodeValue(root);
  const [problem] = problems;
  throw unreadable(file, problem === undefined ? '' : `Line ${problem.line}: ${problem.reason}`);
}

function unreadable(file: string, why: string, cause?: unknown): AppError {
  return new AppError('config_invalid', `${file} cannot be read. ${why}`.trim(), {
    fix: 'Mend the file first.',
    cause,
  });
}
