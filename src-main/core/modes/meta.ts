/** Mode `meta`: five tools, however many the servers have; the model looks up what there is, and invokes it. */
import type { Mode, ModeView } from './mode.ts';
import { catalogTools } from './toolmux/catalog-tools.ts';
import { getToolCount } from './toolmux/get-tool-count.ts';
import { getToolSchema } from './toolmux/get-tool-schema.ts';
import { invoke } from './toolmux/invoke.ts';
import { listAllTools } from './toolmux/list-all-tools.ts';
import { namedServers } from './named-servers.ts';

export const metaMode: Mode = {
  name: 'meta',
  line: 'Five tools: look up, then invoke',
  helpers: [catalogTools, getToolSchema, invoke, getToolCount, listAllTools],
  fixedList: true,
  listed: () => [],
  callLine: (name, args) => `invoke ${JSON.stringify({ name, args })}`,
  instructions,
};

function instructions({ catalog }: ModeView): string {
  return `Start with list_all_tools or catalog_tools, then invoke(name, args). Tools of: ${namedServers(catalog.servers)}.`;
}
