/** Tools as text at three levels of detail, the way ToolMux's code mode shows them. */
import { isObject, type JsonObject } from '../../base/json.ts';
import { type CatalogEntry, usableSchema } from '../../catalog/catalog.ts';
import { condenseDescription } from '../../condense/condense-description.ts';

export type Detail = 'brief' | 'detailed' | 'full';

export function readDetail(value: unknown, fallback: Detail): Detail {
  return value === 'brief' || value === 'detailed' || value === 'full' ? value : fallback;
}

export function toolTexts(tools: readonly CatalogEntry[], detail: Detail): string {
  if (detail === 'full') return JSON.stringify(tools.map(whole));
  return tools.map(detail === 'brief' ? brief : detailed).join(detail === 'brief' ? '\n' : '\n\n');
}

function brief({ listedName, definition }: CatalogEntry): string {
  return `- ${listedName}: ${condenseDescription(textOf(definition['description']))}`;
}

function detailed(tool: CatalogEntry): string {
  const { properties, required } = usableSchema(tool.definition);
  const needed = Array.isArray(required) ? (required as unknown[]) : [];
  const parameters = Object.entries(isObject(properties) ? properties : {}).map(
    ([name, schema]) => `- \`${name}\` (${typeText(schema)}${needed.includes(name) ? ', required' : ''})`,
  );
  const head = [`### ${tool.listedName}`, textOf(tool.definition['description'])].filter((line) => line !== '');
  return [...head, ...(parameters.length === 0 ? [] : ['**Parameters**', ...parameters])].join('\n');
}

function whole({ listedName, definition }: CatalogEntry): JsonObject {
  return { ...definition, name: listedName, inputSchema: usableSchema(definition) };
}

function typeText(schema: unknown): string {
  if (!isObject(schema)) return 'any';
  const { type, enum: values } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(type)) return type.join(' | ');
  return typeof type === 'string' ? type : 'any';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
