/**
 * Parses and validates the input of the proxy tool. Source: MCP Proxy Extension 0.1.0, sections 2.2 and 2.3,
 * appendices A.1, A.3.
 */
import { AppError } from '../../core/base/errors.ts';
import { isObject, type JsonObject, objectOrEmpty, toPlainNumber } from '../../core/base/json.ts';
import {
  argumentKeys,
  nameKeys,
  readArguments,
  readServerName,
  readToolName,
} from '../../core/calls/read-arguments.ts';

export const proxyTypes = ['tool', 'resource', 'prompt'] as const;
export type ProxyType = (typeof proxyTypes)[number];

export interface ProxyListRequest {
  readonly action: 'list';
  readonly type: ProxyType;
  readonly limit: number;
  readonly offset: number;
  /** A server's name or the prefix of a listed name. */
  readonly server: string | undefined;
  readonly prefix: string | undefined;
  /**
   * Search query: returns only matching tools, one line each. Tooltray's extension; the specification has no search.
   */
  readonly query: string | undefined;
  /** Entries must have at least one of them. */
  readonly tags: readonly string[];
}

export interface ProxyInfoRequest {
  readonly action: 'info';
  readonly type: ProxyType;
  readonly path: string;
}

export interface ProxyCallRequest {
  readonly action: 'call';
  readonly type: ProxyType;
  readonly path: string;
  readonly server: string | undefined;
  readonly args: JsonObject;
  /** Arguments given next to the proxy's own keys. */
  readonly beside: JsonObject;
}

interface BatchRequest {
  readonly action: 'batch';
  readonly operations: readonly JsonObject[];
}

type ProxyRequest = ProxyListRequest | ProxyInfoRequest | ProxyCallRequest | BatchRequest;

/** Default page size, stated in every list. */
const defaultLimit = 100;
const maxLimit = 1000;
const maxOperations = 100;

const ownKeys: ReadonlySet<string> = new Set([
  ...['action', 'type', 'path', 'uri', 'limit', 'offset', 'filter_server', 'filter', 'operations'],
  ...['server', 'connection', ...nameKeys, ...argumentKeys],
]);

/** Throws AppError `bad_request`. */
export function readProxyRequest(input: JsonObject): ProxyRequest {
  const action = oneOf(input, 'action', ['list', 'info', 'call', 'batch'] as const);
  if (action === 'batch') return { action, operations: readOperations(input['operations']) };
  const type = oneOf(input, 'type', proxyTypes);
  if (action !== 'list') refuseListParameters(input, action);
  if (action !== 'call') refuseArguments(input, action);
  if (action === 'list') return readList(input, type);
  const path = readPath(input);
  if (path === undefined) throw invalid(`'path' is required for action '${action}'.`, 'Set the name or the URI.');
  if (action === 'info') return { action, type, path };
  const beside = Object.fromEntries(Object.entries(input).filter(([key]) => !ownKeys.has(key)));
  return { action, type, path, server: readServerName(input), args: readArguments(input) ?? {}, beside };
}

function readList(input: JsonObject, type: ProxyType): ProxyListRequest {
  if (readPath(input) !== undefined) throw invalid(`'path' should not be provided for action 'list'.`, 'Remove it.');
  const filter = objectOrEmpty(input['filter']);
  const tags = Array.isArray(filter['tags']) ? (filter['tags'] as unknown[]) : [];
  return {
    action: 'list',
    type,
    limit: wholeNumber(input, 'limit', 1, maxLimit) ?? defaultLimit,
    offset: wholeNumber(input, 'offset', 0, Number.MAX_SAFE_INTEGER) ?? 0,
    server: text(input['filter_server']) ?? readServerName(input),
    prefix: text(filter['prefix']),
    query: type === 'tool' ? text(input['query']) : undefined,
    tags: tags.filter((tag) => typeof tag === 'string'),
  };
}

function refuseListParameters(input: JsonObject, action: string): void {
  const given = ['limit', 'offset', 'filter_server', 'filter'].filter((key) => isGiven(input[key]));
  if (given.length === 0) return;
  const names = given.map((key) => `'${key}'`).join(', ');
  throw invalid(`${names}: only allowed for 'list', not for '${action}'.`, 'Remove it.');
}

function refuseArguments(input: JsonObject, action: string): void {
  if (Object.keys(readArguments(input) ?? {}).length === 0) return;
  throw invalid(`'args' should not be provided for action '${action}'.`, `Use them with action 'call'.`);
}

function readOperations(value: unknown): readonly JsonObject[] {
  const operations: unknown = Array.isArray(value) ? value : [];
  const list = (operations as unknown[]).filter(isObject);
  if (list.length > 0 && list.length <= maxOperations && list.length === (value as unknown[]).length) return list;
  const fix = `Pass 1 to ${maxOperations} objects of the form {"action":"call","type":"tool","path":…,"args":{…}}.`;
  throw invalid(`'operations' is required for action 'batch'.`, fix);
}

/** The name or URI, under any of the keys that client apps use. */
function readPath(input: JsonObject): string | undefined {
  const named = { ...input, path: text(input['path']) ?? input['uri'] };
  const isNamed = [named.path, input['name'], input['tool'], input['tool_name']].some((one) => text(one) !== undefined);
  return isNamed ? readToolName(named) : undefined;
}

function oneOf<T extends string>(input: JsonObject, key: string, words: readonly T[]): T {
  const word = words.find((known) => known === input[key]);
  if (word !== undefined) return word;
  const given = isGiven(input[key]) ? `${JSON.stringify(input[key])} is not a ${key}` : `'${key}' is required`;
  throw invalid(`Input validation error: ${given}.`, `Use one of: ${words.join(', ')}.`);
}

function wholeNumber(input: JsonObject, key: string, least: number, most: number): number | undefined {
  if (!isGiven(input[key])) return undefined;
  const value = toPlainNumber(input[key]);
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  const range = most === maxLimit ? `from ${least} to ${most}` : `of at least ${least}`;
  throw invalid(`Input validation error: '${key}' must be an integer ${range}.`, 'Correct or remove it.');
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function invalid(message: string, fix: string): AppError {
  return new AppError('bad_request', message, { fix });
}
