/** Mode `dispatch`: one tool, `proxy-dispatch`, that lists, searches, and calls the tools of all servers. */
import type { JsonObject } from '../../core/base/json.ts';
import { proxyDispatch } from './proxy-dispatch.ts';
import { languagesText } from '../../core/modes/catalog-languages.ts';
import type { Mode, ModeView } from '../../core/modes/mode.ts';
import { joinServerNames } from '../../core/modes/render-tools.ts';

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
  return `Search with proxy-dispatch before saying that something cannot be done. Connections: ${joinServerNames(catalog.servers)}.${languagesText(catalog)}`;
}
