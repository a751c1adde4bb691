/** Where a tool says what was searched for, in the field names of `proxy-dispatch`. */
import { isObject } from '../../base/json.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';

/** By the names that the index gives its fields in `why`. */
const fieldOf: ReadonlyMap<string, string> = new Map([
  ['exact name', 'name'],
  ['name', 'name'],
  ['title', 'title'],
  ['summary', 'description'],
  ['description', 'description'],
  ['parameter', 'inputSchema'],
  ['parameter text', 'inputSchema'],
  ['server', 'connection'],
]);

/** Fields that hold the whole query as it stands, whatever its case. Expects it in lower case. */
export function literalFields({ name, definition }: CatalogEntry, query: string, inSchema: boolean): string[] {
  const { description, annotations, inputSchema } = definition;
  const texts: [string, unknown][] = [
    ['name', name],
    ['description', description],
    ...Object.entries(isObject(annotations) ? annotations : {}).map(([key, value]): [string, unknown] => [
      `annotations.${key}`,
      value,
    ]),
    ['inputSchema', inSchema ? JSON.stringify(inputSchema) : undefined],
  ];
  return texts.flatMap(([field, text]) =>
    typeof text === 'string' && text.toLowerCase().includes(query) ? [field] : [],
  );
}

/** Fields in which the index found words of the query; `why` is what it says of the hit. */
export function foundFields(why: string): string[] {
  return why.split('; ').flatMap((part) => fieldOf.get(part.split(':', 1)[0] ?? '') ?? []);
}
