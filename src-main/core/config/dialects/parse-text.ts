/** Parses a configuration in JSON with comments, JSON5, TOML or YAML; errors say the line, the cause and the fix. */
import JSON5 from 'json5';
import type { Node } from 'jsonc-parser';
import { parse as parseToml, TomlError } from 'smol-toml';
import { parse as parseYaml, YAMLParseError } from 'yaml';
import { AppError, errorText } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { ConfigDocument } from '../config-document.ts';
import { doubledKeys, nodeValue, propertiesOf } from '../jsonc-text.ts';

export type TextFormat = 'json' | 'toml' | 'yaml';

/** Returns the format by file extension; undefined if unknown. */
export function formatOfFile(file: string): TextFormat {
  if (/\.toml$/i.test(file)) return 'toml';
  return /\.ya?ml$/i.test(file) ? 'yaml' : 'json';
}

const looks: readonly (readonly [TextFormat, RegExp])[] = [
  ['json', /^\s*(?:\{|\[\s*[{\]"]|\/[/*])/],
  [
    'toml',
    /^\s*(?:#.*\n\s*)*(?:[\w-]+\s*=[^\n]*\n[^]*?)?\[{1,2}\s*["'A-Za-z_][\w."'\- ]*\]{1,2}[ \t]*(?:#.*)?(?:\r?\n|$)/,
  ],
  ['toml', /^\s*(?:#.*\n\s*)*[\w-]+[ \t]*=[ \t]*(?:"|\[|\{|'|\d|true|false)/],
  ['yaml', /^\s*(?:---[ \t]*\n)?(?:#.*\n\s*)*(?:- )?["']?[\w. -]+["']?[ \t]*:(?:[ \t]*(?:#.*)?\r?\n|[ \t]+\S)/],
];

/** Returns the format a text appears to have; undefined if none matches. */
export function formatOfText(text: string): TextFormat | undefined {
  return looks.find(([, pattern]) => pattern.test(text))?.[0];
}

export interface ParsedText {
  readonly value: unknown;
  /** Whether the text is JSON5 but not JSON, which few programs read. */
  readonly isJson5: boolean;
  /** Ignored parts of the text, one sentence each. */
  readonly notes: readonly string[];
}

/**
 * `name`: the text's name in errors. `takesJson5`: also accept JSON5. Throws AppError
 * `config_invalid` with the line, the cause and the fix.
 */
export function parseText(text: string, format: TextFormat, name: string, takesJson5 = true): ParsedText {
  const plain = text.replace(/^\uFEFF/, '');
  if (format === 'json') return parseJson(plain, name, takesJson5);
  try {
    const value =
      format === 'toml' ? parseToml(plain) : (parseYaml(plain, { maxAliasCount: 100, merge: true }) as unknown);
    return { value, isJson5: false, notes: [] };
  } catch (cause) {
    const line =
      cause instanceof TomlError ? cause.line : cause instanceof YAMLParseError ? cause.linePos?.[0].line : undefined;
    const [reason = ''] = errorText(cause)
      .replace(/^Invalid TOML document: /, '')
      .split(/ at line \d|\n/);
    const fix = `Correct the ${format === 'toml' ? 'TOML' : 'YAML'} there.`;
    throw unreadable(name, line, `${reason.replace(/[:.]$/, '')}.`, fix, cause);
  }
}

function parseJson(text: string, name: string, takesJson5: boolean): ParsedText {
  if (text.trim() === '') return { value: {}, isJson5: false, notes: [] };
  const { root, problems } = new ConfigDocument(text, name);
  if (root !== undefined) return { value: nodeValue(root), isJson5: false, notes: doubledNotes(root) };
  // JSON5 would drop the backslashes of a Windows path.
  const json5 = takesJson5 && !/\\[^"'\\/bfnrtu0xv\r\n]/.test(text) ? asJson5(text) : undefined;
  if (isObject(json5) || Array.isArray(json5)) return { value: json5, isJson5: true, notes: [] };
  const [problem] = problems;
  throw unreadable(
    name,
    problem?.line,
    problem?.reason ?? 'It is not valid JSON.',
    problem?.suggestion ?? 'Correct it there.',
  );
}

/** Reports duplicate keys, down to the keys of entries. */
function doubledNotes(root: Node, depth = 3): readonly string[] {
  const own = doubledKeys(root).map(({ key }) => `"${key}" is duplicated; the last one is used.`);
  const below = depth === 0 ? [] : propertiesOf(root).flatMap(({ valueNode }) => doubledNotes(valueNode, depth - 1));
  return [...own, ...below];
}

function asJson5(text: string): unknown {
  try {
    return JSON5.parse(text);
  } catch {
    return undefined;
  }
}

function unreadable(name: string, line: number | undefined, reason: string, fix: string, cause?: unknown): AppError {
  const message = `${name} was not read: ${atLine(line, reason)}`;
  return new AppError('config_invalid', message, { fix, cause, data: { line } });
}

/** `line 4, a comma is missing.` */
export function atLine(line: number | undefined, reason: string): string {
  if (line === undefined) return reason;
  return `line ${line}, ${reason.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())}`;
}
