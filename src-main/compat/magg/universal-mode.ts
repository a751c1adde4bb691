/** Mode `universal`: one tool for tools, resources, and prompts, for client apps that support only tools. */
import { languagesText } from '../../core/modes/catalog-languages.ts';
import type { Mode, ModeView } from '../../core/modes/mode.ts';
import { proxyTool } from './proxy-tool.ts';
import { joinServerNames } from '../../core/modes/render-tools.ts';

function instructions({ catalog }: ModeView): string {
  return `Use proxy: list (query) before saying that something cannot be done, info for a schema, call, batch for several. Servers: ${joinServerNames(catalog.servers)}.${languagesText(catalog)}`;
}

export const universalMode: Mode = {
  name: 'universal',
  line: 'One tool for tools, resources and prompts',
  helpers: [proxyTool],
  fixedList: true,
  readsResources: true,
  listed: () => [],
  callLine: (path, args) => `proxy ${JSON.stringify({ action: 'call', type: 'tool', path, args })}`,
  instructions,
};
