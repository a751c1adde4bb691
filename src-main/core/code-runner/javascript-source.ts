/** JavaScript and TypeScript as text: checks whether it parses, and removes types. */
import { SourceMap, type SourceMapPayload, stripTypeScriptTypes } from 'node:module';
import { Script } from 'node:vm';

export /** TypeScript without its types, by Node's own stripper; enums and namespaces are written out as JavaScript. */
interface CompiledSource {
  readonly code: string;
  readonly map: MapPosition;
}

export /** Wrapper of a body with a top-level `return`; on one line so that line numbers stay. */
const asyncBodyPrefix = '(async () => {';

export const asyncBodySuffix = '\n})';

export /** Throws the SyntaxError of Node. */
function stripTypes(code: string): CompiledSource {
  try {
    return strip(code);
  } catch (error) {
    // A `return` outside of a function is not valid TypeScript.
    if (!(error instanceof SyntaxError) || !/return/i.test(error.message)) throw error;
  }
  const { code: body, map } = strip(asyncBodyPrefix + code + asyncBodySuffix);
  return { code: body, map: (place) => withoutHead(map(place)) };
}

/** Whether the code parses as JavaScript or TypeScript. Runs nothing. */
export function isJavaScript(code: string): boolean {
  return parses(() => code) || parses(() => stripTypes(code).code);
}

function parses(read: () => string): boolean {
  try {
    new Script(`${asyncBodyPrefix}${read()}${asyncBodySuffix}`);
    return true;
  } catch {
    return false;
  }
}

/** Replaces types with spaces, so that positions stay; code that needs more is transformed. */
function strip(code: string): CompiledSource {
  try {
    return { code: stripTypeScriptTypes(code), map: (place) => place };
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') throw error;
  }
  const written = stripTypeScriptTypes(code, { mode: 'transform', sourceMap: true });
  const [, encoded = ''] = /\/\/# sourceMappingURL=data:application\/json;base64,(\S+)\s*$/.exec(written) ?? [];
  const map = new SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')) as SourceMapPayload);
  return { code: written, map: (place) => original(map, place) };
}

function original(map: SourceMap, { line, column }: Position): Position {
  const entry = map.findEntry(line - 1, column - 1);
  if (!('originalLine' in entry)) return { line, column };
  return { line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}

export /** The place in the code, given the place in the body it was put into. */
function withoutHead({ line, column }: Position): Position {
  return { line, column: line === 1 ? Math.max(1, column - asyncBodyPrefix.length) : column };
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Maps a position in the evaluated code to the position in the original code. */
export type MapPosition = (place: Position) => Position;
