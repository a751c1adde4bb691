/** Tools as text at three levels of detail, the way ToolMux's code mode shows them. */
import { isObject, type JsonObject } from '../../base/json.ts';
import { type CatalogEntry, usableSchema } from '../../catalog/catalog.ts';
import { condenseLine } from '../../condense/condense-description.ts';
import { leavesOut, typeText } from '../../condense/signature.ts';

export type Detail = 'brief' | 'detailed' | 'full';

export function readDetail(value: unknown, fallback: Detail): Detail {
  return value === 'brief' || value === 'detailed' || value === 'full' ? value : fallback;
}

export function toolTexts(tools: readonly CatalogEntry[], detail: Detail): string {
  if (detail === 'full') return JSON.stringify(tools.map(whole));
  return tools.map(detail === 'brief' ? brief : detailed).join(detail === 'brief' ? '\n' : '\n\n');
}

function brief({ listedName, definition }: CatalogEntry): string {
  return `- ${listedName}: ${condenseLine(textOf(definition['description']))}`;
}

function detailed(tool: CatalogEntry): string {
  const whole = usableSchema(tool.definition);
  const { properties, required } = whole;
  const needed = Array.isArray(required) ? (required as unknown[]) : [];
  const parameters = Object.entries(isObject(properties) ? properties : {}).map(
    ([name, schema]) => `- \`${name}\` (${typeText(schema, whole)}${needed.includes(name) ? ', required' : ''})`,
  );
  const head = [`### ${tool.listedName}`, textOf(tool.definition['description'])].filter((line) => line !== '');
  const more = parameters.some(leavesOut) ? ['~ leaves something out: detail "full" has it.'] : [];
  return [...head, ...(parameters.length === 0 ? [] : ['**Parameters**', ...parameters, ...more])].join('\n');
}

function whole({ listedName, definition }: CatalogEntry): JsonObject {
  return { ...definition, name: listedName, inputSchema: usableSchema(definition) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
