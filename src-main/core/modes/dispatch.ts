/** Mode `dispatch`: one tool, `proxy-dispatch`, that lists, searches and calls the tools of all servers. */
import type { JsonObject } from '../base/json.ts';
import { proxyDispatch } from './dispatch/proxy-dispatch.ts';
import type { Mode, ModeView } from './mode.ts';
import { namedServers } from './named-servers.ts';

export { resultTools } from './dispatch/result-tools.ts';

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

function instructions({ catalog: { servers } }: ModeView): string {
  return `Search with proxy-dispatch before saying that something cannot be done. Connections: ${namedServers(servers)}.`;
}
