/** Mode `meta`: five tools, however many the servers have; the model looks up what there is, and invokes it. */
import type { Mode, ModeView } from '../../modes/mode.ts';
import { catalogTools, getToolCount, getToolSchema, listAllTools } from './catalog-tools.ts';
import { invoke } from './invoke.ts';
import { namedServers } from '../../modes/show-tools.ts';

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
