/** Mode `proxy`: every tool is listed, with as much of its texts and schema as the level says. */
import type { JsonObject } from '../base/json.ts';
import { callableTool, cutText, hasRoomFor } from './show-tools.ts';
import { maxInstructions, type Mode, type ModeView } from './mode.ts';
import { readResultTool } from './read-spill.ts';

export const proxyMode: Mode = {
  name: 'proxy',
  line: 'Every tool, with shorter texts',
  helpers: [],
  listed(view) {
    const tools = serverTools(view);
    // Without room for it long answers are read as resources.
    const reads = view.spills === true && hasRoomFor(readResultTool.definition, tools, view.catalog);
    return reads ? [...tools, readResultTool.definition] : tools;
  },
  callLine: (tool, args) => `${tool} ${JSON.stringify(args)}`,
  instructions,
};

function serverTools(view: ModeView): JsonObject[] {
  return view.catalog.tools.map((tool) => {
    const written = view.descriptions.find(tool.server, tool.name, tool.definition['description']);
    return callableTool(tool, view, written);
  });
}

/** Less than this of a server's own text says nothing. */
const leastShare = 80;

/** Servers' own instructions follow as far as the budget of client apps goes, shared fairly. */
function instructions({ catalog }: ModeView): string {
  if (catalog.servers.length === 0) return 'Tooltray: no server is switched on yet.';
  const head = cutText(`Tools of ${catalog.servers.join(', ')} through Tooltray.`, maxInstructions);
  const share = Math.floor((maxInstructions - head.length) / Math.max(1, catalog.instructions.size)) - 8;
  const texts = [...catalog.instructions].map(([server, text]) => `\n\n# ${server}\n${text.trim()}`);
  return head + texts.map((text) => shorten(text, share)).join('');
}

function shorten(text: string, length: number): string {
  return text.length > length && length < leastShare ? '' : cutText(text, length);
}
