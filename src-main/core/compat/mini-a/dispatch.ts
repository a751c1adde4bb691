/** Mode `dispatch`: one tool, `proxy-dispatch`, that lists, searches and calls the tools of all servers. */
import type { JsonObject } from '../../base/json.ts';
import { proxyDispatch } from './proxy-dispatch.ts';
import { languagesText } from '../../modes/languages.ts';
import type { Mode, ModeView } from '../../modes/mode.ts';
import { namedServers } from '../../modes/show-tools.ts';

export const dispatchMode: Mode = {
  name: 'dispatch',
  line: 'One tool: proxy-dispatch',
  helpers: [proxyDispatch],
  fixedList: true,
  listed: () => [],
  callLine: (tool, args) => `proxy-dispatch ${JSON.stringify(asAction(tool, args))}`,
  instructions,
};

function asAction(tool: string, args: JsonObject): JsonObject {
  return tool === 'read_result' ? { action: 'readresult', ...args } : { action: 'call', tool, arguments: args };
}

function instructions({ catalog }: ModeView): string {
  return `Search with proxy-dispatch before saying that something cannot be done. Connections: ${namedServers(catalog.servers)}.${languagesText(catalog)}`;
}
