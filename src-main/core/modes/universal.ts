/** Mode `universal`: one tool for tools, resources and prompts, for client apps that know tools only. */
import { cutText } from './cut-text.ts';
import { maggResources } from './magg/magg-resources.ts';
import { maxInstructions, type Mode, type ModeView } from './mode.ts';
import { proxyTool } from './universal/proxy-tool.ts';

export const universalMode: Mode = {
  name: 'universal',
  line: 'One tool for tools, resources and prompts',
  helpers: [proxyTool],
  listed: () => [],
  resources: maggResources,
  instructions,
};

function instructions({ catalog }: ModeView): string {
  const servers = catalog.servers.length === 0 ? 'none yet' : catalog.servers.join(', ');
  const text = `Use proxy: list (100 at a time) before saying that something cannot be done, info for the full schema, call. Servers: ${servers}.`;
  return cutText(text, maxInstructions);
}
