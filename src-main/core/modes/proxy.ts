/** Mode `proxy`: every tool is listed, its texts and schema condensed unless `raw` says otherwise. */
import { cutText } from './cut-text.ts';
import { maxInstructions, type Mode, type ModeView } from './mode.ts';
import { shownTool } from './shown-tool.ts';

export const proxyMode: Mode = {
  name: 'proxy',
  line: 'Every tool, with shorter texts',
  helpers: [],
  listed: ({ catalog, raw, descriptions }) =>
    catalog.tools.map((tool) => {
      const written = descriptions.find(tool.server, tool.name, tool.definition['description']);
      return shownTool(tool, raw, written);
    }),
  instructions,
};

/** Less than this of a server's own text says nothing. */
const leastShare = 80;

/** Servers' own instructions follow as far as the budget of client apps goes, shared fairly. */
function instructions({ catalog }: ModeView): string {
  if (catalog.servers.length === 0) return 'Tooltray: no server is configured yet.';
  const head = cutText(`Tools of ${catalog.servers.join(', ')} through Tooltray.`, maxInstructions);
  const share = Math.floor((maxInstructions - head.length) / Math.max(1, catalog.instructions.size)) - 8;
  const texts = [...catalog.instructions].map(([server, text]) => `\n\n# ${server}\n${text.trim()}`);
  return head + texts.map((text) => shorten(text, share)).join('');
}

function shorten(text: string, length: number): string {
  return text.length > length && length < leastShare ? '' : cutText(text, length);
}
