/** Mode `proxy`: every tool is listed, its texts and schema condensed unless `raw` says otherwise. */
import { isObject, type JsonObject } from '../base/json.ts';
import { type CatalogEntry, usableSchema } from '../catalog/catalog.ts';
import { condenseDescription } from '../condense/condense-description.ts';
import { condenseSchema } from '../condense/condense-schema.ts';
import type { Mode, ModeView } from './mode.ts';

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

const maxInstructions = 2048;

/** Servers' own instructions follow as far as the budget of client apps goes, shared fairly. */
function instructions({ catalog }: ModeView): string {
  if (catalog.servers.length === 0) return 'Tooltray: no server is configured yet.';
  const head = `Tools of ${catalog.servers.join(', ')} through Tooltray.`.slice(0, maxInstructions);
  const share = Math.floor((maxInstructions - head.length) / Math.max(1, catalog.instructions.size)) - 8;
  const texts = [...catalog.instructions].map(([server, text]) => `\n\n# ${server}\n${text.trim()}`);
  return head + texts.map((text) => cut(text, share)).join('');
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return length < 80 ? '' : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
