/** The tool that represents a server in gateway mode and calls only that server's tools. */
import { AppError } from '../../core/base/errors.ts';
import { nameKeys, readToolName } from '../../core/calls/read-arguments.ts';
import { type Catalog, type CatalogEntry, usableSchema } from '../../core/catalog/catalog.ts';
import { ListedNameAllocator, slug } from '../../core/catalog/listed-names.ts';
import { parametersText } from '../../core/condense/signature.ts';
import type { HelperContext, HelperTool, ModeView } from '../../core/modes/mode.ts';
import { enrichedCall } from './invoke.ts';
import { summaryVariants, toToolMuxError, summaryOf, toolsByServer } from './tool-summaries.ts';

/** `hint` describes the server's tools in the list. */
export function serverTool(name: string, server: string, hint: string | undefined): HelperTool {
  return {
    kind: 'call',
    definition: {
      name,
      description: hint ?? 'Its tools are unknown: call without "tool" to list them, or to see why there are none.',
      inputSchema: {
        type: 'object',
        properties: {
          tool: { type: 'string' },
          arguments: { type: ['object', 'string'] },
        },
      },
    },
    async run(input, context) {
      await context.awaitServer(server).catch((error: unknown) => {
        throw toToolMuxError(error, '', server);
      });
      const tools = context.catalog.lookup.tools.byServer(server);
      if (tools.length === 0) throw notAvailable(server, context);
      if (nameKeys.every((key) => input[key] === undefined || input[key] === '')) throw missingTool(tools, context);
      return enrichedCall({ spelling: ownName(tools, readToolName(input)), server, input }, context);
    },
  };
}

/** The server's own name for a tool takes precedence, because another tool may be listed by the same name. */
function ownName(tools: readonly CatalogEntry[], spelling: string): string {
  return tools.find(({ name }) => name === spelling)?.id ?? spelling;
}

function missingTool(tools: readonly CatalogEntry[], context: HelperContext): AppError {
  const lines = tools.map((tool) => {
    const schema = usableSchema(tool.definition);
    const required = parametersText(schema, (_, isRequired) => isRequired);
    const optional = parametersText(schema, (_, isRequired) => !isRequired);
    const needs = required === '' ? '' : ` (required: ${required})`;
    return `  - ${tool.name}: ${summaryOf(tool, context, 60)}${needs}${optional === '' ? '' : ` [${optional}]`}`;
  });
  return new AppError('bad_request', `Missing 'tool' argument. Available sub-tools:\n${lines.join('\n')}`);
}

function notAvailable(server: string, { admin }: HelperContext): AppError {
  const facts = admin.list().find(({ name }) => name === server);
  const reason = facts?.error ?? facts?.health.detail ?? 'The server was removed.';
  return new AppError('tool_not_found', `Server '${server}' not available: ${reason}`, { data: { candidates: [] } });
}

// Names of servers' tools in gateway mode: the server's own name if client apps accept it.

/** Tool names by server, in config order. A server named like a helper tool gets the prefix `srv_`. */
export function serverToolNames({ servers, slugs, reserved }: Catalog): ReadonlyMap<string, string> {
  const names = new ListedNameAllocator(reserved);
  return new Map(
    servers.map((server) => {
      const plain = /^[A-Za-z_][\w-]*$/.test(server) ? server : (slugs.get(server) ?? slug(server));
      return [server, names.allocate(reserved.has(plain) ? 'srv' : undefined, plain, server)];
    }),
  );
}

// Gateway mode describes each server by the names of all its tools, then as much of each tool's description as fits.
// Two limits apply: the cost of the whole list, and 2,048 characters per tool, where Claude Code truncates.

const maxLength = 2048;
/** The list may cost 25 tokens per server and 24 per tool; the definition around a server's description costs 40. */
const tokensPerTool = 24;
const frameExcess = 15;
/** Characters per token in hints, which are words and names; measured, rounded down. */
const charactersPerToken = 3.2;

interface Group {
  readonly server: string;
  readonly tools: readonly ExplainedTool[];
}

interface ExplainedTool {
  readonly name: string;
  /** Candidate texts, best first; the first that fits is used. The last is empty. */
  readonly texts: readonly string[];
}

/** Hints by server; a server without tools has no entry. */
export function serverHints(view: ModeView): ReadonlyMap<string, string> {
  const groups = [...toolsByServer(view.catalog)].map(([server, tools]) => ({
    server,
    tools: tools.map(explain(view)),
  }));
  const lengthLimit = charactersPerToken * (tokensPerTool * view.catalog.tools.length - frameExcess * groups.length);
  const most = groups.map((group) => {
    const fits = (share: number): boolean => lengthOf(group, share) <= maxLength;
    // Thousands of names that exceed the limit alone need no texts.
    return fits(0) ? largestShare(fits) : 0;
  });
  // Servers at their own limit leave the unused part to the others.
  const shareOf = (index: number, share: number): number => Math.min(share, most[index] ?? 0);
  const together = (share: number): number =>
    groups.reduce((sum, group, index) => sum + lengthOf(group, shareOf(index, share)), 0);
  const share = largestShare((one) => together(one) <= lengthLimit);
  return new Map(groups.map((group, index) => [group.server, hintOf(group, shareOf(index, share))]));
}

function explain(view: ModeView): (tool: CatalogEntry) => ExplainedTool {
  return (tool) => {
    let texts: readonly string[] | undefined;
    return {
      name: tool.name,
      get texts() {
        return (texts ??= summaryVariants(tool, view));
      },
    };
  };
}

/** Maximum length of a tool's explanation, including punctuation. */
const maxExplanationLength = 400;

/** The most characters per tool explanation that fit; 0 if none do. */
function largestShare(fits: (share: number) => boolean): number {
  let [low, high] = [0, maxExplanationLength];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function hintOf({ tools }: Group, share: number): string {
  const hint = `Tools: ${tools.map((tool) => reportedWithin(tool, share)).join(', ')}`;
  return hint.length <= maxLength ? hint : cutNames(tools);
}

function reportedWithin(tool: ExplainedTool, share: number): string {
  const text = share === 0 ? '' : (tool.texts.find((one) => one.length <= share) ?? '');
  return text === '' ? tool.name : `${tool.name} ${text}`;
}

function lengthOf({ tools }: Group, share: number): number {
  return tools.reduce((sum, tool) => sum + reportedWithin(tool, share).length + 2, 'Tools: '.length);
}

/** Lists as many names as fit, and how to list the rest. */
function cutNames(tools: readonly ExplainedTool[]): string {
  const rest = (shown: number): string =>
    shown === 0
      ? `${tools.length} in all: call without "tool" to see them`
      : `, and ${tools.length - shown} more: call without "tool" to see all`;
  let text = 'Tools: ';
  let shown = 0;
  for (const { name } of tools) {
    const next = `${text}${shown === 0 ? '' : ', '}${name}`;
    if (next.length + rest(1).length > maxLength) break;
    text = next;
    shown++;
  }
  return text + rest(shown);
}
