/** ToolMux's modes. `gateway`: one tool per server, whose description lists what the server offers. */
import { truncateText } from '../../core/base/visible-text.ts';
import { languagesText } from '../../core/modes/catalog-languages.ts';
import { joinServerNames } from '../../core/modes/render-tools.ts';
import { maxInstructions, type Mode, type ModeView } from '../../core/modes/mode.ts';
import { getToolCount, getToolSchema, listAllTools, catalogTools } from './catalog-tools.ts';
import { serverHints, serverTool, serverToolNames } from './server-tool.ts';
import { invoke } from './invoke.ts';

export const gatewayMode: Mode = {
  name: 'gateway',
  line: 'One tool per server',
  helpers: [getToolSchema, getToolCount, listAllTools],
  find(name, view) {
    const [server] = [...serverToolNames(view.catalog)].find(([, given]) => given === name) ?? [];
    return server === undefined ? undefined : serverTool(name, server, undefined);
  },
  listsAtOnce: true,
  serversByTool: (catalog) => new Map([...serverToolNames(catalog)].map(([server, name]) => [name, server])),
  listed(view) {
    const hints = serverHints(view);
    return [...serverToolNames(view.catalog)].map(
      ([server, name]) => serverTool(name, server, hints.get(server)).definition,
    );
  },
  // The long result came from a server's tool, which also accepts the names of the helper tools for reading.
  callLine: (tool, args) => `the same tool ${JSON.stringify({ tool, arguments: args })}`,
  instructions: gatewayInstructions,
};

/** The list names the servers; this adds only what it omits. */
function gatewayInstructions({ catalog }: ModeView): string {
  const [name = 'server'] = serverToolNames(catalog).values();
  const text = `Servers are tools: ${name}(tool, arguments). More: list_all_tools.`;
  return truncateText(text, maxInstructions);
}

// Mode `meta`: five tools, regardless of the number of servers; the model looks up tools and invokes them.

export const metaMode: Mode = {
  name: 'meta',
  line: 'Five tools: look up, then invoke',
  helpers: [catalogTools, getToolSchema, invoke, getToolCount, listAllTools],
  fixedList: true,
  listed: () => [],
  callLine: (name, args) => `invoke ${JSON.stringify({ name, args })}`,
  instructions: metaInstructions,
};

function metaInstructions({ catalog }: ModeView): string {
  return `catalog_tools or list_all_tools, then invoke. Tools of: ${joinServerNames(catalog.servers)}.${languagesText(catalog)}`;
}
