/**
 * Reads a server entry of any product into our own fields: the only reader for `--config`, import, paste, links and
 * bundles.
 */
import { isDeepStrictEqual } from 'node:util';
import { resolve } from 'node:path';
import { isObject, type JsonObject, objectOrEmpty } from '../../base/json.ts';
import { closestMatch } from '../../base/text-format.ts';
import { describeIssue } from '../issue-text.ts';
import { parseOAuthClient } from '../read-oauth.ts';
import { addressProblem, type ServerEntry, entryFields, entrySchema, zodOptions } from '../schema.ts';
import type { Dialect, KeyRule } from './dialect.ts';
import {
  ignoredKeys,
  keyRules,
  kindByType,
  kinds,
  neededFields,
  nestedEntries,
  nestedKeys,
  offWords,
  onWords,
  plainKey,
  refusedKinds,
  times,
  unsupportedKeys,
} from './key-table.ts';
import { readValue, type ReadValue } from './read-value.ts';
import { splitCommand } from './split-command.ts';
import { ownPlaceholders, type VariableContext } from './variables.ts';

const neededOfApi = ['The server needs the URL of the web API.', 'Add "url": "https://…".'] as const;
const addSpec =
  'Add "spec" with the address or file of its OpenAPI description, and "url" with the address of the API.';

export interface EntryProblem {
  /**
   * `error`: the entry cannot be used. `unfilled`: it cannot be started. `warning`: a part has no effect.
   * `note`: a part is lost in an import, or must be filled in.
   */
  readonly severity: 'error' | 'unfilled' | 'warning' | 'note';
  /** Keys in the entry; empty for the whole entry. */
  readonly path: readonly PropertyKey[];
  readonly reason: string;
  readonly suggestion?: string | undefined;
}

export interface EntryReading {
  /** Under our own names; undefined if an error makes it unusable. */
  readonly entry: ServerEntry | undefined;
  readonly problems: readonly EntryProblem[];
  /** Original location of each field, by our name. */
  readonly places: ReadonlyMap<string, readonly PropertyKey[]>;
}

/** Facts about an entry that the product stores elsewhere in the file. */
export interface EntryPolicy {
  readonly enabled?: false;
  readonly disabledTools?: readonly string[];
  readonly callTimeoutSeconds?: number;
}

interface EntryContext extends VariableContext {
  readonly policy?: EntryPolicy;
}

interface Written {
  readonly key: string;
  readonly path: readonly string[];
  readonly value: unknown;
  /** The nested object with the field: `options`. */
  readonly parent: string | undefined;
}

/** Fields that several keys contribute to. */
const joined: ReadonlySet<string> = new Set(['env', 'headers', 'oauth']);

/** A pure function: starts nothing and does not read the environment. */
export function readEntry(raw: unknown, context: EntryContext): EntryReading {
  return new EntryReader(raw, context).read();
}

const ownFields = new Map(entryFields.map((field) => [plainKey(field), field]));

/** Our field for a key of any product, regardless of its value. */
export function fieldOfKey(key: string): string {
  return keyRules.get(plainKey(key))?.field ?? ownFields.get(plainKey(key)) ?? key;
}

/** Returns how a key of an entry is read, whatever the product; undefined for a key without effect. */
export function ruleOfKey(key: string, value: unknown): KeyRule | undefined {
  const plain = plainKey(key);
  if (plain === 'transport' && typeof value === 'string') return { field: 'type', form: 'same' };
  if (plain === 'auth' || plain === 'authentication')
    return isObject(value) && value['token'] === undefined
      ? { field: 'oauth', form: 'same' }
      : { field: 'headers', form: 'bearer' };
  if (plain === 'status' || plain === 'state') {
    const word = String(value).toLowerCase();
    return onWords.has(word) || offWords.has(word) ? { field: 'enabled', form: 'same' } : undefined;
  }
  const field = ownFields.get(plain);
  return keyRules.get(plain) ?? (field === undefined ? undefined : { field, form: 'same' });
}

/** Whether an object has a command or an address. */
export function isEntry(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  return Object.entries(value).some(([key, one]) => {
    const field = fieldOfKey(key);
    if (field === 'command' && (Array.isArray(one) || isObject(one))) return true;
    if (field === 'command' || field === 'url') return typeof one === 'string';
    return (nestedKeys.has(plainKey(key)) || nestedEntries.has(plainKey(key))) && isEntry(one);
  });
}

class EntryReader {
  readonly #raw: unknown;
  readonly #context: EntryContext;
  readonly #problems: EntryProblem[] = [];
  readonly #fields = new Map<string, unknown>();
  readonly #places = new Map<string, readonly PropertyKey[]>();

  constructor(raw: unknown, context: EntryContext) {
    this.#raw = raw;
    this.#context = context;
  }

  read(): EntryReading {
    const entry = this.#entry();
    const isRefused = this.#problems.some(({ severity }) => severity === 'error');
    return { entry: isRefused ? undefined : entry, problems: this.#problems, places: this.#places };
  }

  #entry(): ServerEntry | undefined {
    const raw = typeof this.#raw === 'string' && /^https?:\/\/\S+$/.test(this.#raw) ? { url: this.#raw } : this.#raw;
    if (!isObject(raw)) return this.#refuse('An object is expected here.', 'Write { "command": … } or { "url": … }.');
    for (const one of flatten(raw)) this.#take(one, raw);
    const kind = this.#kind(raw);
    if (kind === undefined) return undefined;
    this.#shape(kind, raw);
    return this.#checked(kind);
  }

  /** Reads one key, or reports what is lost. */
  #take(written: Written, raw: JsonObject): void {
    const { key, path, value } = written;
    const rule = this.#rule(written, raw);
    if (rule === undefined) return this.#reportKey(written);
    const read = readValue(rule, value, key);
    if (read.problem !== undefined) this.#report(read.severity ?? 'error', path, read.problem);
    else for (const one of read.fields) this.#set(one, path);
  }

  #rule({ key, value, parent }: Written, raw: JsonObject): KeyRule | undefined {
    const { dialect } = this.#context;
    if (key === 'timeout' && parent !== 'isolation') return timeoutRule(dialect, parent, raw, value);
    // Magg's name for the description.
    if (key === 'notes') return raw['description'] === undefined ? { field: 'description', form: 'same' } : undefined;
    // Zed's command was an object once.
    if (key === 'path' && parent === 'command') return { field: 'command', form: 'same' };
    return dialect.keys?.[plainKey(key)] ?? ruleOfKey(key, value);
  }

  #set({ field, value }: ReadValue, path: readonly PropertyKey[]): void {
    const before = this.#fields.get(field);
    if (before === undefined) {
      this.#fields.set(field, value);
      this.#places.set(field, path);
      return;
    }
    if (isDeepStrictEqual(before, value)) return;
    const [first, second] = [this.#places.get(field) ?? [], path].map((one) => one.map(String).join('.'));
    if (field === 'enabled') {
      // If one of several switches is off, the server is off.
      this.#report('warning', path, `"${first}" and "${second}" contradict each other, so the server is disabled.`);
      this.#fields.set(field, false);
    } else if (field.endsWith('TimeoutSeconds') && !path.includes(field) && first !== field) {
      // Products have a general limit and one for a step of it.
      this.#report('warning', path, `"${first}" and "${second}" set the same limit; the longer one is used.`);
      this.#fields.set(field, Math.max(Number(before), Number(value)));
    } else if (joined.has(field) && isObject(before) && isObject(value)) {
      const twice = Object.keys(value).find((key) => Object.hasOwn(before, key) && before[key] !== value[key]);
      if (twice === undefined) this.#fields.set(field, { ...before, ...value });
      else this.#reportTwice(`"${first}.${twice}" and "${second}.${twice}"`, path);
    } else this.#reportTwice(`"${first}" and "${second}"`, path);
  }

  #reportTwice(both: string, path: readonly PropertyKey[]): void {
    const reason = `${both} are two spellings of one setting, with different values.`;
    this.#report('error', path, reason, 'Keep one of them.');
  }

  #reportKey({ key, path, value }: Written): void {
    if (key === 'source' && typeof value === 'string' && /^https?:/.test(value))
      return this.#report('note', path, 'Tooltray does not store the origin of a server.');
    const plain = plainKey(key);
    if (ignoredKeys.has(plain) || /^[_$]/.test(key)) return;
    const lost = unsupportedKeys.get(plain);
    if (lost !== undefined && !isEmpty(value))
      return this.#report('warning', path, `The key "${key}" has no effect.`, lost);
    const meant = closestMatch(key, entryFields);
    if (isEmpty(value) && (lost !== undefined || meant === undefined)) return;
    const suggestion = meant === undefined ? undefined : `Did you mean "${meant}"?`;
    this.#report('warning', path, `Unknown key ${JSON.stringify(key)}.`, suggestion);
  }

  /** Returns the kind of transport, or reports why it is unknown. */
  #kind(raw: JsonObject): Kind | undefined {
    const type = this.#fields.get('type') ?? '';
    if (typeof type !== 'string') return this.#refuse('A string in double quotes is expected here.', undefined, 'type');
    const word = plainKey(type.trim());
    const isBuiltin = word === 'builtin' && this.#context.dialect.id === 'goose';
    const refused = refusedKinds.get(raw['source'] === 'extension' ? 'extension' : isBuiltin ? 'platform' : word);
    const isApi = this.#has('spec') && (word === 'openapi' || (word === '' && !this.#has('command')));
    if (isApi) return this.#has('url') ? 'openapi' : this.#refuse(...neededOfApi);
    if (refused !== undefined) return this.#refuse(refused, word === 'openapi' ? addSpec : undefined);
    const written = kindByType.get(word);
    if (written === undefined) {
      const meant = closestMatch(type, ['stdio', 'http', 'streamable-http', 'sse', 'builtin']);
      const suggestion = meant === undefined ? 'Use "stdio", "http" or "sse".' : `Did you mean "${meant}"?`;
      return this.#refuse('Unknown server type.', suggestion, 'type');
    }
    const has = { command: this.#has('command'), url: this.#has('url') };
    const kind = written === 'auto' ? this.#kindByFields(has, raw) : written;
    const { needs } = kinds[kind === 'sse' ? 'http' : (kind ?? 'builtin')];
    if (needs === undefined || has[needs]) return kind;
    const [what, example] = written === 'auto' ? neededFields.auto : neededFields[needs];
    return this.#refuse(`The server needs ${what}.`, `Add ${example}.`);
  }

  #kindByFields({ command, url }: Readonly<Record<'command' | 'url', boolean>>, raw: JsonObject): Kind | undefined {
    if (this.#has('builtin')) return 'builtin';
    if (command && url && this.#context.dialect.startsCommands !== true)
      return this.#refuse('The server has both a command and a URL.', 'Remove one of them, or set "type".');
    if (command || !url) return 'stdio';
    // Magg's rule: an address with this ending uses the older transport. Other keys state the transport.
    const isSse = raw['uri'] !== undefined && /\/sse\/?$/.test(String(this.#fields.get('url')));
    return isSse || plainKey(String(this.#placeOf(['url']).at(-1))) === 'sseurl' ? 'sse' : 'http';
  }

  #refuse(reason: string, suggestion?: string, field?: string): undefined {
    this.#report('error', field === undefined ? [] : this.#placeOf([field]), reason, suggestion);
    return undefined;
  }

  /** An empty text counts as absent unless the type requires it. */
  #has(field: string): boolean {
    const value = this.#fields.get(field);
    if (typeof value === 'string') return value.trim() !== '';
    return value !== undefined && !(Array.isArray(value) && value.length === 0);
  }

  /** Splits command lines, adds ToolMux's path, and drops fields that do not apply to this kind of server. */
  #shape(kind: Kind, raw: JsonObject): void {
    const { project } = this.#context;
    if (kind === 'stdio') {
      for (const field of ['command', 'args', 'cwd']) this.#checkEscapes(field);
      const words = commandWords(this.#fields.get('command'), this.#fields.get('args'), raw);
      if (words !== undefined) {
        this.#fields.set('command', words[0]);
        if (words.length > 1) this.#fields.set('args', words.slice(1));
      }
      const cwd = this.#fields.get('cwd');
      const isOpen = typeof cwd === 'string' && /^(?:[$%~{/\\]|[A-Za-z]:)/.test(cwd);
      if (project !== undefined && !isOpen)
        this.#fields.set('cwd', typeof cwd === 'string' ? resolve(project, cwd) : project);
      else if (typeof cwd === 'string' && !isOpen)
        this.#report('note', this.#placeOf(['cwd']), 'This folder is relative: write its whole path.');
    }
    // ToolMux's rule for an address without a path.
    const url = URL.parse(String(raw['base_url']));
    if (url?.pathname === '/') this.#fields.set('url', new URL('/mcp', url).href);
    const own = kind === 'sse' ? 'http' : kind;
    const others = (['stdio', 'http', 'openapi', 'builtin'] as const).filter((one) => one !== own);
    const ofApi: readonly string[] = own === 'openapi' ? ['url', 'headers'] : [];
    for (const field of others.flatMap((one): readonly string[] => kinds[one].fields)) {
      if (ofApi.includes(field)) continue;
      const value = this.#fields.get(field);
      if (value === undefined) continue;
      this.#fields.delete(field);
      // Several products write every field, with empty values for those that do not apply.
      if (isEmpty(value) || (field === 'oauth' && typeof value === 'boolean')) continue;
      this.#report('warning', this.#places.get(field) ?? [], `This has no effect for a server ${kinds[own].called}.`);
    }
  }

  /** `"C:\tools"` contains a tab instead of a folder. */
  #checkEscapes(field: string): void {
    const value = this.#fields.get(field);
    const names: Readonly<Record<string, string>> = { '\t': 'a tab', '\n': 'a line break', '\r': 'a line break' };
    for (const text of [value].flat()) {
      const [sign] = typeof text === 'string' && /^[A-Za-z]:[^/]/.test(text) ? (/[\0-\x1f]/.exec(text) ?? []) : [];
      if (sign === undefined) continue;
      const reason = `The path holds ${names[sign] ?? 'a control character'}: a single backslash is an escape in JSON.`;
      return this.#report('error', this.#places.get(field) ?? [], reason, 'Write \\\\ for one backslash.');
    }
  }

  #checked(kind: Kind): ServerEntry | undefined {
    const fields = Object.fromEntries([...this.#fields].filter(([field]) => field !== 'type' && field !== 'timeout'));
    const checked = entrySchema.safeParse(
      { ...fields, ...((kind === 'sse' || kind === 'builtin') && { type: kind }) },
      zodOptions,
    );
    for (const issue of checked.error?.issues ?? [])
      this.#report('error', this.#placeOf(issue.path), describeIssue(issue));
    if (!checked.success) return undefined;
    const { args, env, headers, url, oauth } = checked.data;
    const wrong = url === undefined || url.includes('$') ? undefined : addressProblem(url);
    if (wrong !== undefined) this.#report('error', this.#placeOf(['url']), ...wrong);
    // Keys without an effect; values are checked once their variables are filled in.
    parseOAuthClient(objectOrEmpty(oauth), (severity, key, ...words) => {
      if (severity === 'warning') this.#report(severity, this.#placeOf(['oauth', key]), ...words);
    });
    for (const example of examplesIn({ args, env, headers, url }))
      this.#report('note', [], `${example} is a placeholder: replace it.`);
    return ownPlaceholders(withPolicy(checked.data, this.#context.policy), this.#context, (path, written, advice) => {
      const reason = `${written} cannot be used here.`;
      // The vault may have a value for it.
      this.#report(written.startsWith('${input:') ? 'note' : 'unfilled', this.#placeOf(path), reason, advice);
    });
  }

  #placeOf([field, ...rest]: readonly PropertyKey[]): readonly PropertyKey[] {
    return [...(this.#places.get(String(field)) ?? [field ?? '']), ...rest];
  }

  #report(severity: EntryProblem['severity'], path: readonly PropertyKey[], reason: string, suggestion?: string): void {
    this.#problems.push({ severity, path, reason, suggestion });
  }
}

type Kind = 'stdio' | 'http' | 'sse' | 'openapi' | 'builtin';

function withPolicy(entry: ServerEntry, { disabledTools = [], enabled, ...limits }: EntryPolicy = {}): ServerEntry {
  const tools = [...new Set([...(entry.disabledTools ?? []), ...disabledTools])];
  return {
    ...limits,
    ...entry,
    ...(tools.length > 0 && { disabledTools: tools }),
    ...(enabled === false && { enabled }),
  };
}

function isEmpty(value: unknown): boolean {
  return value === '' || value === false || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
}

/** The leaf values of an entry: keys of objects such as `transport` and `options` count as the entry's own. */
function flatten(raw: JsonObject, path: readonly string[] = []): readonly Written[] {
  return Object.entries(raw).flatMap(([key, value]): readonly Written[] => {
    if (value === null || value === undefined) return [];
    const plain = plainKey(key);
    const own = { key, value, path: [...path, key], parent: path[0] };
    if (path.length > 0 || !isObject(value)) return [own];
    if (nestedKeys.has(plain)) return flatten(value, [key]);
    if (!nestedEntries.has(plain) || !isEntry(value)) return [own];
    const type = kindByType.has(plain) ? [{ ...own, key: 'type', value: plain }] : [];
    return [...type, ...flatten(value, [key])];
  });
}

function timeoutRule({ timeout }: Dialect, parent: string | undefined, raw: JsonObject, value: unknown): KeyRule {
  if (nestedKeys.get(plainKey(parent ?? '')) === 'call ms') return times.callMs;
  if (timeout === 'unknown') return Number(value) > 3600 ? times.callMs : times.callSeconds;
  if (timeout === 'toolmux')
    return Object.keys(raw).some((key) => fieldOfKey(key) === 'command') ? times.startMs : times.bothSeconds;
  return times[timeout];
}

/** Returns the placeholders in copied examples: `<your key>`, `YOUR_API_KEY`. */
function examplesIn(fields: object): ReadonlySet<string> {
  const values = Object.values(fields).flatMap((value: unknown) => (isObject(value) ? Object.values(value) : value));
  const text = values.map(String).join(' ');
  const found = text.matchAll(/<\p{L}[\p{L}\p{N}_ .-]{1,40}>|\byour[-_][\w-]*(?:key|token|secret|path|pat)\b/giu);
  return new Set([...found].map(([example]) => example));
}

/** The command and its arguments, one word each; undefined for a command that is no text. */
function commandWords(command: unknown, args: unknown, raw: JsonObject): readonly unknown[] | undefined {
  const words = [command, args ?? []].flat();
  const [first, ...rest] = words;
  if (typeof first !== 'string') return undefined;
  // Magg's command is a line; elsewhere one that begins with a bare program or a quotation mark is, or has options.
  const isLine =
    (rest.length === 0 && (raw['source'] !== undefined || raw['uri'] !== undefined)) ||
    /^[^\s/\\"']+\s+\S|^"|^\S+\s+-{1,2}\w/.test(first);
  return isLine ? [...splitCommand(first), ...rest] : words;
}
