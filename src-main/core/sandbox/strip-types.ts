/** TypeScript without its types, by Node's own stripper; enums and namespaces are written out as JavaScript. */
import { SourceMap, type SourceMapPayload, stripTypeScriptTypes } from 'node:module';
import type { MapPlace, Place } from './guest-error.ts';

export interface JavaScript {
  readonly code: string;
  readonly map: MapPlace;
}

/** What a body with a `return` at its top is put into; kept on one line so that lines stay. */
export const bodyHead = '(async () => {';
export const bodyTail = '\n})';

/** Throws the SyntaxError of Node. */
export function stripTypes(code: string): JavaScript {
  return withReturns(code, (text, cut) => {
    try {
      return { code: cut(stripTypeScriptTypes(text)), map: (place) => place };
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') throw error;
      return transform(text);
    }
  });
}

/** A `return` outside of a function is no TypeScript: where there is one, the code goes through as a body. */
function withReturns(code: string, strip: (text: string, cut: (text: string) => string) => JavaScript): JavaScript {
  try {
    return strip(code, (text) => text);
  } catch (error) {
    if (!(error instanceof Error) || !/return/i.test(error.message)) throw error;
  }
  const { code: stripped, map } = strip(bodyHead + code + bodyTail, (text) => {
    // Stripping puts spaces where types were, so that every place stays.
    return text.slice(bodyHead.length, -bodyTail.length);
  });
  return { code: stripped, map: (place) => map(place) };
}

function transform(code: string): JavaScript {
  const written = stripTypeScriptTypes(code, { mode: 'transform', sourceMap: true });
  const [, encoded = ''] = /\/\/# sourceMappingURL=data:application\/json;base64,(\S+)\s*$/.exec(written) ?? [];
  const map = new SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')) as SourceMapPayload);
  const shift = code.startsWith(bodyHead) ? bodyHead.length : 0;
  return { code: written, map: (place) => withoutHead(original(map, place), shift) };
}

function original(map: SourceMap, { line, column }: Place): Place {
  const entry = map.findEntry(line - 1, column - 1);
  if (!('originalLine' in entry)) return { line, column };
  return { line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}

/** The place in the code, given the place in the body it was put into. */
export function withoutHead({ line, column }: Place, shift: number = bodyHead.length): Place {
  return { line, column: line === 1 ? Math.max(1, column - shift) : column };
}
