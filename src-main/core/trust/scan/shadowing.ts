/** Rules over a whole catalog: tools that imitate tools of another server, or mention them. */
import { isObject, textOrEmpty } from '../../base/json.ts';
import type { ScanFinding } from './scan-finding.ts';
import { normalizeForModel } from './hidden-characters.ts';

/** A tool with its server. */
export interface CatalogTool {
  readonly server: string;
  /** The definition as the server lists it. */
  readonly tool: unknown;
}

export interface CatalogFinding extends ScanFinding {
  readonly server: string;
  readonly tool: string;
}

interface NamedTool {
  readonly server: string;
  readonly name: string;
  readonly description: string;
}

/** Names that many servers use, and that identify none. */
const commonWords: ReadonlySet<string> = new Set(
  'search get list create delete update read write fetch query help status info ping version echo run execute add remove send login logout'.split(
    ' ',
  ),
);

/**
 * Reports findings that only show when all servers are compared. Equal names and look-alike names are reported at both
 * servers, a description that names another server's tool at its own. All need review, since none proves anything
 * alone. Takes linear time.
 */
export function scanCatalog(tools: readonly CatalogTool[]): CatalogFinding[] {
  const named = tools.map(toNamed).filter(({ name }) => name !== '');
  return [...alikeNames(named), ...namesOfOthers(named)];
}

function toNamed({ server, tool }: CatalogTool): NamedTool {
  const { name, description } = isObject(tool) ? tool : {};
  return { server, name: textOrEmpty(name), description: textOrEmpty(description) };
}

function alikeNames(tools: readonly NamedTool[]): CatalogFinding[] {
  const byLook = new Map<string, NamedTool[]>();
  for (const tool of tools) {
    const look = looksLike(tool.name);
    if (look.length < 4 || commonWords.has(look)) continue;
    const alike = byLook.get(look) ?? [];
    alike.push(tool);
    byLook.set(look, alike);
  }
  return [...byLook.values()].flatMap((alike) => {
    const other = (tool: NamedTool): NamedTool | undefined => alike.find(({ server }) => server !== tool.server);
    return alike.flatMap((tool) => {
      const twin = other(tool);
      return twin === undefined ? [] : [alikeFinding(tool, twin)];
    });
  });
}

function alikeFinding(tool: NamedTool, twin: NamedTool): CatalogFinding {
  const isSame = tool.name === twin.name;
  return {
    server: tool.server,
    tool: tool.name,
    rule: isSame ? 'same-name' : 'look-alike-name',
    place: '/name',
    words: tool.name,
    tier: 'review',
    sentence: isSame
      ? `Server ${twin.server} has a tool with the same name: a model may confuse them.`
      : `It looks like ${twin.name} of server ${twin.server}: a model may confuse them.`,
  };
}

/** The name as a quick reader sees it: without case and separators, with look-alike letters and digits unified. */
function looksLike(name: string): string {
  return normalizeForModel(name)
    .toLowerCase()
    .replace(/[\s_.\-/]+/g, '')
    .replace(/0/g, 'o')
    .replace(/[1l|]/g, 'i')
    .replace(/5/g, 's')
    .replace(/rn/g, 'm')
    .replace(/vv/g, 'w');
}

/** Words that could be the name of a tool. */
const nameWords = /[A-Za-z][\w.-]{3,79}/g;
const maxReadLength = 20_000;

function namesOfOthers(tools: readonly NamedTool[]): CatalogFinding[] {
  const owners = new Map<string, Set<string>>();
  for (const { name, server } of tools) {
    // A single word may be an ordinary word.
    if (!/[_.-]|[a-z][A-Z]/.test(name)) continue;
    const known = owners.get(name) ?? new Set();
    owners.set(name, known.add(server));
  }
  return tools.flatMap((tool) => {
    const { server, description } = tool;
    for (const { 0: word, index } of description.slice(0, maxReadLength).matchAll(nameWords)) {
      const spelled = word.replace(/[.-]+$/, '');
      const of = owners.get(spelled);
      if (of === undefined || of.has(server)) continue;
      return [
        speaksOf(tool, spelled, [...of][0] ?? '', description.slice(Math.max(0, index - 60), index + word.length + 60)),
      ];
    }
    return [];
  });
}

function speaksOf({ server, name }: NamedTool, other: string, owner: string, words: string): CatalogFinding {
  return {
    server,
    tool: name,
    rule: 'speaks-of-another',
    place: '/description',
    words,
    tier: 'review',
    sentence: `It mentions ${other}, a tool of server ${owner}, and may change how that tool is used.`,
  };
}
