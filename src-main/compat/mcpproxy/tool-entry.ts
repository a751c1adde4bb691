/** A tool as shown by `retrieve_tools` and `describe_tool`. */
import { type JsonObject, objectOrEmpty, textOrEmpty } from '../../core/base/json.ts';
import { requiredIntent } from '../../core/calls/call-tool.ts';
import { type CatalogEntry, usableSchema } from '../../core/catalog/catalog.ts';
import { condenseLine } from '../../core/condense/condense-tool.ts';
import { parametersText } from '../../core/condense/signature.ts';
import type { HelperContext } from '../../core/modes/mode.ts';

/**
 * One line for choosing and calling the tool: its signature in Tooltray's notation, and the matching variant of
 * `call_tool_*`.
 */
export function compactEntry(tool: CatalogEntry, { descriptions }: Pick<HelperContext, 'descriptions'>): JsonObject {
  const { server, name, id, definition } = tool;
  const { description } = definition;
  return {
    name: id,
    sig: `(${parametersText(usableSchema(definition))})`,
    desc: descriptions.find(server, name, description) ?? condenseLine(textOrEmpty(description)),
    call_with: `call_tool_${requiredIntent(tool)}`,
  };
}

/** Everything needed for a call. */
export function fullEntry(tool: CatalogEntry): JsonObject {
  const { id, server, definition } = tool;
  const annotations = objectOrEmpty(definition['annotations']);
  return {
    name: id,
    description: textOrEmpty(definition['description']),
    inputSchema: usableSchema(definition),
    server,
    ...(Object.keys(annotations).length > 0 && { annotations }),
    call_with: `call_tool_${requiredIntent(tool)}`,
  };
}
