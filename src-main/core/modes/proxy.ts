/** Mode `proxy`: every tool is listed, its texts and schema condensed unless `raw` says otherwise. */
import { isObject, type JsonObject } from '../base/json.ts';
import { type CatalogEntry, usableSchema } from '../catalog/catalog.ts';
import { condenseDescription } from '../condense/condense-description.ts';
import { condenseSchema } from '../condense/condense-schema.ts';
import { cutText } from './cut-text.ts';
import { maxInstructions, type Mode, type ModeView } from './mode.ts';

export const proxyMode: Mode = {
  name: 'proxy',
  line: 'Every tool, with shorter texts',
  helpers: [],
  listed: (view) => view.catalog.tools.map((tool) => (view.raw ? untouched(tool) : condensed(tool))),
  instructions,
};

function untouched({ definition, listedName }: CatalogEntry): JsonObject {
  return { ...definition, name: listedName, inputSchema: usableSchema(definition) };
}

/** What a model needs to choose and call; icons, output schema and long texts are what the saving comes from. */
function condensed(tool: CatalogEntry): JsonObject {
  const { description, annotations, _meta } = tool.definition;
  return {
    name: tool.listedName,
    ...(typeof description === 'string' && { description: condenseDescription(description) }),
    inputSchema: condenseSchema(usableSchema(tool.definition)),
    ...(isObject(annotations) && { annotations }),
    ...(isObject(_meta) && { _meta }),
  };
}

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
