/** Mode `proxy`: lists every tool, in the detail of the level. */
import type { JsonObject } from '../base/json.ts';
import { truncateText } from '../base/visible-text.ts';
import { renderCallableTool, fitsInList } from './render-tools.ts';
import { maxInstructions, type Mode, type ModeView, type OwnResource } from './mode.ts';
import { readResultTool } from './read-spill.ts';

export const proxyMode: Mode = {
  name: 'proxy',
  line: 'All tools, with shorter descriptions',
  helpers: [],
  listed(view) {
    const tools = serverTools(view);
    // If the reader tool does not fit into the list, spills are read as resources.
    const reads = view.spills === true && fitsInList(readResultTool.definition, tools, view.catalog);
    return reads ? [...tools, readResultTool.definition] : tools;
  },
  callLine: (tool, args) => `${tool} ${JSON.stringify(args)}`,
  instructions,
};

function serverTools(view: ModeView): JsonObject[] {
  return view.catalog.tools.map((tool) => {
    const written = view.descriptions.find(tool.server, tool.name, tool.definition['description']);
    return renderCallableTool(tool, view, written);
  });
}

/**
 * Limit for servers' own instructions, in characters: a short one is included whole; this is the limit for all
 * together. Others can be read by name.
 */
const maxInstructionsLength = 300;
const maxListed = 900;

function instructions({ catalog, spills }: ModeView): string {
  if (catalog.servers.length === 0) return 'Tooltray: no server is enabled yet.';
  const spillNote = spills === true ? ' Large results are stored; their summary says how to read them.' : '';
  const head = `Tools of ${catalog.servers.join(', ')} through Tooltray.${spillNote}`;
  const texts = [...catalog.instructions].map(([server, text]) => `\n\n# ${server}\n${text.trim()}`);
  let left = maxListed;
  const shown = texts.filter((text) => text.length <= maxInstructionsLength && (left -= text.length) >= 0);
  const rest = shown.length === texts.length ? '' : ` Server instructions: ${serverInstructions}NAME.`;
  return truncateText(head + rest + shown.join(''), maxInstructions);
}

const serverInstructions = 'tooltray://instructions/';

/** The full instructions of a server, by its name. */
export const instructionsResource: OwnResource = {
  definition: { uriTemplate: `${serverInstructions}{server}`, name: 'instructions', mimeType: 'text/plain' },
  read(uri, { catalog }) {
    const isOf = (server: string): boolean => uri === serverInstructions + encodeURIComponent(server);
    const text = [...catalog.instructions].find(([server]) => isOf(server))?.[1];
    return Promise.resolve(text === undefined ? undefined : { uri, mimeType: 'text/plain', text });
  },
};
