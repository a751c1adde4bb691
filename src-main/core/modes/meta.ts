/** Mode `meta`: five tools, however many the servers have; the model looks up what there is, and invokes it. */
import { cutText } from './cut-text.ts';
import { maxInstructions, type Mode, type ModeView } from './mode.ts';
import { catalogTools } from './toolmux/catalog-tools.ts';
import { getToolCount } from './toolmux/get-tool-count.ts';
import { getToolSchema } from './toolmux/get-tool-schema.ts';
import { invoke } from './toolmux/invoke.ts';
import { listAllTools } from './toolmux/list-all-tools.ts';

export const metaMode: Mode = {
  name: 'meta',
  line: 'Five tools: look up, then invoke',
  helpers: [catalogTools, getToolSchema, invoke, getToolCount, listAllTools],
  listed: () => [],
  instructions,
};

function instructions({ catalog }: ModeView): string {
  const servers = catalog.servers.length === 0 ? 'none yet' : catalog.servers.join(', ');
  const text = `Start with list_all_tools or catalog_tools, then invoke(name, args). Tools of: ${servers}.`;
  return cutText(text, maxInstructions);
}
