/** Converts between form fields or typed text and an entry of the config, and summarizes an entry on one line. Pure. */
import { isRecord } from '../../lib/record.ts';

export interface EntryFields {
  readonly kind: 'command' | 'address';
  /** With arguments, as typed in a shell. */
  readonly command: string;
  readonly url: string;
  /** `NAME=value`, one per line: environment of a command. */
  readonly env: string;
  /** `Name: value`, one per line: HTTP headers. */
  readonly headers: string;
}

export type Entry = Readonly<Record<string, unknown>>;

export function toEntry({ kind, command, url, env, headers }: EntryFields): Entry {
  if (kind === 'address') {
    const pairs = toPairs(headers, ':');
    return { url: url.trim(), ...(Object.keys(pairs).length > 0 && { headers: pairs }) };
  }
  const [program = '', ...args] = splitCommand(command);
  const pairs = toPairs(env, '=');
  return { command: program, ...(args.length > 0 && { args }), ...(Object.keys(pairs).length > 0 && { env: pairs }) };
}

/** Why the fields are incomplete; empty if they are complete. */
export function whatIsMissing(name: string, { kind, command, url }: EntryFields): string {
  if (name.trim() === '') return 'Name is required.';
  if (kind === 'command') return command.trim() === '' ? 'Command is required.' : '';
  return /^https?:\/\/\S+$/i.test(url.trim()) ? '' : 'Enter a URL starting with http:// or https://.';
}

/** Parses a user's text as an entry. */
export function readEntry(text: string): { readonly entry: Entry } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? { entry: value } : { problem: 'Expected an object: { "command": … } or { "url": … }.' };
  } catch (error) {
    return { problem: `Invalid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Its command line or URL. */
export function endpointOf(entry: Entry): string {
  const { command, args, url } = entry;
  if (typeof url === 'string') return url;
  const rest = Array.isArray(args) ? args.map(String) : [];
  return [typeof command === 'string' ? command : '', ...rest].join(' ').trim();
}

/** Parses lines `name<separator>value`; others are ignored. */
function toPairs(text: string, separator: string): Record<string, string> {
  const pairs = text.split('\n').flatMap((line) => {
    const at = line.indexOf(separator);
    return at < 1 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()] as const];
  });
  return Object.fromEntries(pairs);
}

/** Splits words like a shell, without expansions. */
export function splitCommand(text: string): string[] {
  return [...text.matchAll(/(?:"((?:\\.|[^"\\])*)"|'([^']*)'|[^\s"']+)+/g)].map(([word]) =>
    word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'/g, (_, double?: string, single?: string) =>
      double === undefined ? (single ?? '') : double.replace(/\\(["\\])/g, '$1'),
    ),
  );
}
