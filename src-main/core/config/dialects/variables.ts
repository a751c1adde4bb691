/** Converts the placeholders of every product to our own notation, and reports those that cannot be filled. */
import { basename, sep } from 'node:path';
import { type JsonObject, mapTexts, objectOrEmpty } from '../../base/json.ts';
import type { Dialect } from './dialect.ts';
import { folderNames, placeholderAdvice } from './key-table.ts';

export interface VariableContext {
  readonly dialect: Dialect;
  /** The user's home folder, absolute. */
  readonly home: string;
  /** The folder of the project that the entry belongs to. */
  readonly project?: string | undefined;
}

/** Reports a placeholder that cannot be filled: its position, its text, and what the user can do. */
export type OnUnfilled = (path: readonly PropertyKey[], written: string, advice: string) => void;

/** Notations that stand for a variable wherever they are written. */
const variableForms: readonly RegExp[] = [
  /\$\{\{\s*secrets\.([\w./-]+)\s*\}\}/g,
  /(?<![$\w{])\{env:([^{}]+)\}/g,
  /\{\{\s*env\.([A-Za-z_]\w*)\s*\}\}/g,
  /\$env:([A-Za-z_]\w*)/g,
];

/** The others: some stand for a variable, some can only be reported. */
const placeholder =
  /\$\{\{(?<hub>[^}]*)\}\}|\$\{(?<braces>[^{}]*)\}|(?<![$\w{])\{file:(?<file>[^{}]+)\}|\{\{\s*(?<double>[A-Za-z_]\w*)\s*\}\}|\$\((?<shell>[^()]*)\)|(?<![$\\])\$(?<bare>[A-Za-z_]\w*)|%(?<percent>[A-Za-z_]\w{2,})%/g;

/** Fields that may contain placeholders. */
const fields = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'oauth', 'folders'] as const;

/**
 * The fields of an entry with `${env:NAME}` for each variable. A name that the entry's own `env` sets is left to the
 * started command.
 */
export function ownPlaceholders(entry: JsonObject, context: VariableContext, onUnfilled: OnUnfilled): JsonObject {
  const own = entry['url'] === undefined ? objectOrEmpty(entry['env']) : {};
  const read = { ...entry };
  for (const field of fields) {
    if (entry[field] === undefined) continue;
    const onText = (text: string, path: readonly PropertyKey[]): string =>
      field === 'args' && isForShell(entry, path[1]) ? text : replaceIn(text, path, { ...context, own }, onUnfilled);
    read[field] = mapTexts(entry[field], onText, [field]);
  }
  return read;
}

/** Whether the argument follows `-c`, so that a shell expands it. */
function isForShell({ command, args }: JsonObject, at: PropertyKey | undefined): boolean {
  if (!Array.isArray(args) || typeof at !== 'number' || typeof command !== 'string') return false;
  return /(?:^|[\\/])(?:ba|z|da|fi)?sh$/.test(command) && /^-\w*c$/.test(String(args[at - 1] ?? ''));
}

type Context = VariableContext & { readonly own: JsonObject };

function replaceIn(text: string, path: readonly PropertyKey[], context: Context, onUnfilled: OnUnfilled): string {
  const { dialect, own } = context;
  // A variable that refers to itself means the environment's.
  const isOwn = (name: string): boolean => Object.hasOwn(own, name) && path[1] !== name;
  const unfilled = (whole: string, kind: string): string => {
    onUnfilled(path, whole, placeholderAdvice.get(kind) ?? placeholderAdvice.get('input') ?? '');
    return whole;
  };
  const plain = variableForms.reduce(
    (read, form) => read.replace(form, (_, name: string) => variable(name.replace(/\W+/g, '_'))),
    text,
  );
  return plain.replace(placeholder, (whole: string, ...rest: unknown[]) => {
    const found = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    const { hub, braces, file, double = '', shell, bare = '', percent } = found;
    if (braces !== undefined) return inBraces(whole, braces, context, isOwn, unfilled);
    if (hub !== undefined || file !== undefined) return unfilled(whole, file === undefined ? 'input' : 'file');
    if (shell !== undefined) return dialect.bareVariables === true ? unfilled(whole, 'cmd') : whole;
    if (percent !== undefined) return isPath(path) ? variable(percent) : whole;
    if (double !== '' && dialect.doubleBraces !== true)
      return /^[A-Z_][A-Z0-9_]*$/.test(double) ? unfilled(whole, 'input') : whole;
    if (double !== '') return variable(double);
    const isVariable = dialect.bareVariables === true || isWholeValue(text, bare, path);
    return isVariable && !isOwn(bare) ? variable(bare) : whole;
  });
}

function inBraces(
  whole: string,
  inside: string,
  { home, project }: Context,
  isOwn: (name: string) => boolean,
  unfilled: (whole: string, kind: string) => string,
): string {
  if (/^(?:env|secret|keyring|user):[^}:]+(?::-.*)?$/s.test(inside)) return whole;
  if (inside === '/' || inside === 'pathSeparator') return sep;
  if (inside === 'userHome') return home;
  if (folderNames.has(inside)) {
    if (project === undefined || !/^(?:workspace|project|CLAUDE_PROJECT)/.test(inside))
      return unfilled(whole, 'folder');
    return inside.endsWith('Basename') ? basename(project) : project;
  }
  // A shell takes the text after a question mark for its error.
  const [, name, fallback = ''] = /^(?:(?:process\.)?env[.:])?([A-Za-z_]\w*)(?::?(-.*)|:?\?.*)?$/is.exec(inside) ?? [];
  if (name !== undefined) return isOwn(name) ? whole : variable(`${name}${fallback && `:${fallback}`}`);
  const [kind = ''] = /^\w+/.exec(inside) ?? [];
  const isFolder = folderNames.has(kind) && !placeholderAdvice.has(kind);
  return unfilled(whole, isFolder ? 'folder' : kind.toLowerCase());
}

function variable(name: string): string {
  return `\${env:${name}}`;
}

/** Percent signs are common in addresses and headers. */
function isPath([field]: readonly PropertyKey[]): boolean {
  return field !== 'url' && field !== 'headers' && field !== 'oauth';
}

/**
 * Passwords may contain dollar signs, so only a whole value, or a whole token of an Authorization header, counts as a
 * variable in every product.
 */
function isWholeValue(text: string, name: string, [field]: readonly PropertyKey[]): boolean {
  if (field !== 'env' && field !== 'headers') return false;
  return /^[A-Z_][A-Z0-9_]*$/.test(name) && /^(?:(?:Bearer|Basic|Token) )?\$\w+$/i.test(text);
}
