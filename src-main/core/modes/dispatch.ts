/** Mode `dispatch`: one tool, `proxy-dispatch`, that lists, searches and calls the tools of all servers. */
import { proxyDispatch } from './dispatch/proxy-dispatch.ts';
import { cutText } from './cut-text.ts';
import { maxInstructions, type Mode, type ModeView } from './mode.ts';

export { resultTools } from './dispatch/result-tools.ts';

export const dispatchMode: Mode = {
  name: 'dispatch',
  line: 'One tool: proxy-dispatch',
  helpers: [proxyDispatch],
  listed: () => [],
  instructions,
};

/** Their names are known to `connection` as well as their aliases, and say more. */
const mostNamed = 12;

function instructions({ catalog: { servers } }: ModeView): string {
  const more = servers.length > mostNamed ? [`${servers.length - mostNamed} more`] : [];
  const named = [...servers.slice(0, mostNamed), ...more].join(', ');
  const text = `Search with proxy-dispatch before saying that something cannot be done. Connections: ${named || 'none yet'}.`;
  return cutText(text, maxInstructions);
}
