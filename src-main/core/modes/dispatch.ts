/** Mode `dispatch`: one tool, `proxy-dispatch`, that lists, searches and calls the tools of all servers. */
import { proxyDispatch } from './dispatch/proxy-dispatch.ts';
import type { Mode, ModeView } from './mode.ts';
import { namedServers } from './named-servers.ts';

export { resultTools } from './dispatch/result-tools.ts';

export const dispatchMode: Mode = {
  name: 'dispatch',
  line: 'One tool: proxy-dispatch',
  helpers: [proxyDispatch],
  listed: () => [],
  instructions,
};

function instructions({ catalog: { servers } }: ModeView): string {
  return `Search with proxy-dispatch before saying that something cannot be done. Connections: ${namedServers(servers)}.`;
}
