/** Mode `meta`: five tools, however many the servers have; the model looks up what there is, and invokes it. */
import { cutText } from './cut-text.ts';
import type { Mode, ModeView } from './mode.ts';
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
  return `Start with list_all_tools or catalog_tools, then invoke(name, args). Tools of: ${someOf(catalog.servers)}.`;
}

/** As many as the fixed cost of the mode leaves room for, in characters. */
const roomForNames = 120;

function someOf(servers: readonly string[]): string {
  if (servers.length === 0) return 'none yet';
  const all = servers.join(', ');
  if (all.length <= roomForNames) return all;
  const whole = servers.filter((_, index) => servers.slice(0, index + 1).join(', ').length <= roomForNames);
  if (whole.length === 0) return cutText(all, roomForNames);
  return `${whole.join(', ')} and ${servers.length - whole.length} more`;
}
