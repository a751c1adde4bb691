/** A server's tool as a model is shown it: condensed, or untouched where the person wants texts raw. */
import { isObject, type JsonObject } from '../base/json.ts';
import { type CatalogEntry, usableSchema } from '../catalog/catalog.ts';
import { condenseDescription } from '../condense/condense-description.ts';
import { condenseSchema } from '../condense/condense-schema.ts';
import type { ModeView } from './mode.ts';

/** `written`: a short text that somebody wrote for it. */
export function shownTool(tool: CatalogEntry, raw: boolean, written?: string): JsonObject {
  return raw ? wholeTool(tool) : condensedTool(tool, written);
}

/** The same where what the list says must hold for the answer. */
export function callableTool(
  tool: CatalogEntry,
  { raw, spills, handles }: Pick<ModeView, 'raw' | 'spills' | 'handles'>,
  written?: string,
): JsonObject {
  const { outputSchema, ...shown } = shownTool(tool, raw, written);
  // A summary or a handle in place of an answer would not fit what the server promises.
  return outputSchema === undefined || spills === true || handles === true ? shown : { ...shown, outputSchema };
}

/** Every member as the server has it, under the listed name. */
export function wholeTool({ definition, listedName }: CatalogEntry): JsonObject {
  return { ...definition, name: listedName, inputSchema: usableSchema(definition) };
}

/** What a model needs to choose and call; icons, output schema and long texts are what the saving comes from. */
function condensedTool(tool: CatalogEntry, written: string | undefined): JsonObject {
  const { description, annotations, _meta } = tool.definition;
  const text = written ?? (typeof description === 'string' ? condenseDescription(description) : undefined);
  return {
    name: tool.listedName,
    ...(text !== undefined && { description: text }),
    inputSchema: condenseSchema(usableSchema(tool.definition)),
    ...(isObject(annotations) && { annotations }),
    ...(isObject(_meta) && { _meta }),
  };
}
