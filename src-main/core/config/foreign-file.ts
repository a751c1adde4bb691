/** Recognizes another product's configuration that is used as ours, and suggests the import command. */
import { formatCount } from '../base/text-format.ts';
import type { ConfigProblem } from './app-config.ts';
import type { ConfigDocument } from './config-document.ts';
import { containerKeys } from './containers.ts';
import { commonDialect } from './dialects/dialect-table.ts';
import { findServers, type FoundServers } from './dialects/find-servers.ts';
import { formatOfFile, formatOfText, parseText, type ParsedText } from './dialects/parse-text.ts';
import { nodeAt } from './jsonc-text.ts';

const formatNames = { json: 'JSON', toml: 'TOML', yaml: 'YAML' } as const;

/** The problem of a text that is not a config of Tooltray; undefined if it is one, or unknown. */
export function foreignProblem(text: string, file: string, found: FoundServers | undefined): ConfigProblem | undefined {
  if (found !== undefined) return problemOf(found, undefined, file);
  const named = formatOfFile(file);
  const format = named === 'json' ? (formatOfText(text) ?? 'json') : named;
  const parsed = tryParse(text, format);
  if (parsed === undefined) return undefined;
  const read = findServers(parsed.value, file);
  if (format === 'json') return parsed.isJson5 ? problemOf(read, 'JSON5', file) : undefined;
  const known = problemOf(read, formatNames[format], file);
  if (known !== undefined) return known;
  if (named === 'json' && typeof parsed.value !== 'object') return undefined;
  return problem(
    file,
    `This looks like ${formatNames[format]}; Tooltray’s configuration is JSON.`,
    'Write it as JSON.',
  );
}

/** Servers beside those that are read, such as those of projects, one warning a place; and rules that are not applied. */
export function reportUnreadPlaces(document: ConfigDocument, { entries, notes }: FoundServers, file: string): void {
  const { root } = document;
  if (root === undefined) return;
  for (const note of notes) document.report('warning', root, [], note);
  const others = entries.filter(({ path, refusal }) => !isOurs(path) && path.length > 1 && refusal === undefined);
  const byPlace = Map.groupBy(others, ({ path }) => path.slice(0, -1).map(String).join('.'));
  for (const [place, { length, 0: first }] of byPlace) {
    if (first === undefined) continue;
    const path = first.path.slice(0, -1);
    const reason = `${formatCount(length, 'server')} under "${place}" ${length === 1 ? 'is' : 'are'} not read here.`;
    document.report('warning', nodeAt(root, path), path, reason, { suggestion: importLine(file) });
  }
}

function isOurs([container]: readonly PropertyKey[]): boolean {
  return containerKeys.some((key) => key === container);
}

function problemOf({ entries, dialect, places, form }: FoundServers, format: string | undefined, file: string) {
  if (entries.length === 0) return form === undefined ? undefined : problem(file, form);
  if (format === undefined && entries.some(({ path }) => isOurs(path))) return undefined;
  const product = dialect === commonDialect ? undefined : `${dialect.product}’s configuration`;
  const what =
    product === undefined
      ? `This looks like ${format ?? 'another product’s configuration'}`
      : `This is ${product}${format === undefined ? '' : ` in ${format}`}`;
  const where =
    places
      .filter((place) => place !== '')
      .map((place) => `"${place}"`)
      .join(', ') || 'its top level';
  return problem(
    file,
    `${what}; its ${formatCount(entries.length, 'server')} ${entries.length === 1 ? 'is' : 'are'} under ${where}.`,
    importLine(file),
  );
}

function importLine(file: string): string {
  return `Import: tooltray import --file ${/^[\w./~:\\-]+$/.test(file) ? file : JSON.stringify(file)}`;
}

function problem(file: string, reason: string, suggestion?: string): ConfigProblem {
  return { severity: 'error', file, line: 1, column: 1, path: '', reason, suggestion };
}

function tryParse(text: string, format: 'json' | 'toml' | 'yaml'): ParsedText | undefined {
  try {
    return parseText(text, format, '');
  } catch {
    return undefined;
  }
}
