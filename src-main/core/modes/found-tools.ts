/** Found tools as search_tools shows them: the first two ready to call, for the others a line each to choose by. */
import { isObject, type JsonObject } from '../base/json.ts';
import { type CatalogEntry, usableSchema } from '../catalog/catalog.ts';
import { condenseLine } from '../condense/condense-description.ts';
import { parametersText } from '../condense/signature.ts';
import type { HelperContext } from './mode.ts';
import { sawSchema } from './retrieve/tool-entry.ts';

/** What is called next is mostly among them. */
const shownWhole = 2;

/** `full`: all of them whole, whatever the session has seen. */
export function foundTools(tools: readonly CatalogEntry[], full: boolean, context: HelperContext): JsonObject[] {
  const { level, memory } = context;
  return tools.map((tool, place) => {
    if (level === 'full') return { ...tool.definition, name: tool.listedName };
    if (full) {
      sawSchema(tool, memory);
      return whole(tool);
    }
    if (place >= shownWhole) return line(tool, context);
    return sawSchema(tool, memory) ? { ...line(tool, context), inputSchema_shown: 'earlier' } : whole(tool);
  });
}

/** A definition without what only a person would look at. */
function whole({ definition, listedName }: CatalogEntry): JsonObject {
  const { title, description, annotations } = definition;
  return {
    name: listedName,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    inputSchema: usableSchema(definition),
    ...(isObject(annotations) && { annotations }),
  };
}

function line({ server, name, listedName, definition }: CatalogEntry, { descriptions }: HelperContext): JsonObject {
  const { description } = definition;
  const written = descriptions.find(server, name, description);
  return {
    name: listedName,
    sig: `(${parametersText(usableSchema(definition))})`,
    desc: written ?? condenseLine(typeof description === 'string' ? description : undefined),
    call_with: 'call_tool',
  };
}
