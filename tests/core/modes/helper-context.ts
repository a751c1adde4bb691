/** The context of a helper tool with a few servers, for tests of single modes. */
import { allModes } from '../../../src-main/compat/all-modes.ts';
import { type ConfiguredServer, ToolFinder } from '../../../src-main/core/catalog/tool-finder.ts';
import { buildCatalog, type CatalogServer } from '../../../src-main/core/catalog/catalog.ts';
import type { CallRequest } from '../../../src-main/core/calls/call-tool.ts';
import { DescriptionStore } from '../../../src-main/core/condense/description-store.ts';
import { type HelperContext, ShownItems } from '../../../src-main/core/modes/mode.ts';
import type { SpillFiles } from '../../../src-main/core/spills/spill-queries.ts';
import { SearchIndex } from '../../../src-main/core/search/search-index.ts';

export interface TestContext extends HelperContext {
  /** Calls passed to the pipeline. */
  readonly calls: CallRequest[];
}

const noResults = (): Promise<never> => Promise.reject(new Error('Results are not kept on disk here'));
const noSpillFiles: SpillFiles = {
  query: noResults,
  select: noResults,
  readText: noResults,
  content: noResults,
};

function readyServer({ name, listing }: CatalogServer): ConfiguredServer {
  return { config: { name, enabled: true }, state: { kind: 'ready', since: 0 }, listing, listedAt: 0 };
}

/** `others`: servers whose tools are not listed. */
export function helperContext(
  servers: readonly CatalogServer[],
  raw = false,
  others: readonly ConfiguredServer[] = [],
): TestContext {
  const catalog = buildCatalog(servers, new Set(allModes.helpers.keys()));
  const index = new SearchIndex();
  for (const { name } of servers) {
    const own = catalog.tools.filter((tool) => tool.server === name);
    index.replaceServer(
      name,
      own.map(({ id, name: tool, definition }) => ({ ...definition, id, server: name, name: tool })),
    );
  }
  const finder = new ToolFinder({
    catalog: () => catalog,
    index,
    servers: () => [...servers.map(readyServer), ...others],
    isOn: () => true,
  });
  const calls: CallRequest[] = [];
  const callTool = async (request: CallRequest): Promise<{ content: unknown[] }> => {
    calls.push(request);
    return { content: [{ type: 'text', text: `called ${request.tool}` }] };
  };
  return {
    catalog,
    index,
    callTool,
    calls,
    level: raw ? 'full' : 'lean',
    mode: 'proxy',
    callLine: allModes.find('proxy').callLine,
    finder,
    awaitTool: async (spelling, server) => finder.find(spelling, server),
    awaitServer: async () => undefined,
    settled: async () => undefined,
    usedTools: () => new Set(),
    descriptions: new DescriptionStore('', () => undefined),
    awaitCall: () => Promise.reject(new Error('no slow calls here')),
    refresh: () => Promise.reject(new Error('no servers to ask here')),
    spillFiles: noSpillFiles,
    maxTextLength: 30_000,
    toolFilter: { allow: [], deny: [] },
    retrieve: { limit: undefined },
    memory: new ShownItems(),
    author: { app: 'test', sessionId: 'test', tool: 'test' },
    signal: new AbortController().signal,
    programTools: allModes.programTools,
    sandbox: { run: () => Promise.reject(new Error('no code here')), prewarm: () => undefined },
    code: { enabled: true, timeoutSeconds: undefined, maxToolCalls: undefined },
    readResource: () => Promise.reject(new Error('no resources here')),
    getPrompt: () => Promise.reject(new Error('no prompts here')),
    get admin(): never {
      throw new Error('no servers to change here');
    },
  };
}
