/** The text of one document by field, in the order of `fieldNames`. */

import { schemaText } from './schema-text.ts';
import type { SearchDocument } from './search-document.ts';

/** Characters of one field that are read; more is a manual, not a description. */
const maxFieldLength = 20_000;

export function documentFields(document: SearchDocument): string[] {
  const description = textOf(document.description).slice(0, maxFieldLength);
  const end = firstSentenceEnd(description);
  const schema = schemaText(document.inputSchema);
  return [
    document.name,
    document.server,
    textOf(document.title),
    description.slice(0, end),
    description.slice(end),
    schema.names.join(' '),
    schema.texts.join('\n'),
  ].map((text) => text.slice(0, maxFieldLength));
}

function firstSentenceEnd(text: string): number {
  const end = /[.!?](?=\s|$)|[。！？]|\S(?=\s*\n\s*\n)/.exec(text.trimEnd());
  return end === null ? text.length : end.index + 1;
}

/** Listings come from servers: what the type calls text may be anything. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
