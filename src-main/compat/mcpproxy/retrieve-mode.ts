/** Mode `retrieve`: MCPProxy's tools; the model searches, and declares its intent by the tool that it calls through. */
import { languagesText } from '../../core/modes/catalog-languages.ts';
import type { Mode, ModeView } from '../../core/modes/mode.ts';
import { joinServerNames } from '../../core/modes/render-tools.ts';
import { callVariant } from './call-variant.ts';
import { describeTool, retrieveTools } from './retrieve-tools.ts';

export const retrieveMode: Mode = {
  name: 'retrieve',
  line: 'Search, and one tool each to read, write and destroy',
  helpers: [retrieveTools, describeTool, callVariant('read'), callVariant('write'), callVariant('destructive')],
  fixedList: true,
  listed: () => [],
  callLine: (name, args) => `call_tool_read ${JSON.stringify({ name, args })}`,
  instructions,
};

function instructions({ catalog }: ModeView): string {
  return `Search with retrieve_tools before saying that something cannot be done; then call through call_with. Tools of: ${joinServerNames(catalog.servers)}.${languagesText(catalog)}`;
}
