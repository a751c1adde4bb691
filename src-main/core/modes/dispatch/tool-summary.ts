/** A tool in lists and search hits. */
import { isObject, type JsonObject } from '../../base/json.ts';
import { type CatalogEntry, usableSchema } from '../../catalog/catalog.ts';
import { condenseLine } from '../../condense/condense-description.ts';
import type { ModeView } from '../mode.ts';
import { readFlag } from './read-input.ts';

/** What a model needs to choose; where the person wants texts raw, the text as the server wrote it. */
export function compactTool({ server, name, definition }: CatalogEntry, { level, descriptions }: ModeView): JsonObject {
  const text = descriptionOf(definition);
  if (level === 'full') return { name, description: text };
  return { name, description: descriptions.find(server, name, definition['description']) ?? condenseLine(text) };
}

/** What the caller asked to see of it. */
export function detailedTool({ name, definition }: CatalogEntry, input: JsonObject): JsonObject {
  return { name, description: descriptionOf(definition), ...wantedFacts({ definition }, input, true) };
}

/** Schema and annotations as the include flags say; `annotated`: what holds for annotations without a flag. */
export function wantedFacts(
  { definition }: Pick<CatalogEntry, 'definition'>,
  input: JsonObject,
  annotated: boolean,
): JsonObject {
  const { annotations } = definition;
  return {
    ...(readFlag(input, 'includeInputSchema', false) && { inputSchema: usableSchema(definition) }),
    ...(readFlag(input, 'includeAnnotations', annotated) && isObject(annotations) && { annotations }),
  };
}

function descriptionOf({ description }: JsonObject): string {
  return typeof description === 'string' ? description : '';
}
