/** Links that pages give for "Add to Cursor", "Install in VS Code" and the like: the server that such a link carries. */
import { isObject, type JsonObject, objectOf } from '../base/json.ts';
import { type FoundServer, notUnderstood, quoted } from './pasted-server.ts';

/** Hosts and paths of links that carry a server; what is no link of this kind is an address of one. */
const places = /(?:^|\/)(?:mcp\/install|add_mcp|launch\/mcp\/add|install-mcp)$/;

/** undefined where it is no such link. Throws AppError bad_request where it is one and cannot be read. */
export function readInstallLink(text: string): FoundServer | undefined {
  if (!/^[a-z][a-z0-9+.-]+:\S+$/i.test(text)) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return undefined;
  const { protocol, host, pathname, searchParams } = url;
  const inside = searchParams.get('url');
  // What VS Code's page sends on to.
  if (/(?:^|\.)vscode\.dev$/.test(host) && pathname === '/redirect' && inside !== null && !inside.startsWith('http'))
    return readInstallLink(inside);
  if (protocol === 'goose:' && host === 'extension') return gooseServer(searchParams);
  if (places.test(`${host}${pathname}`.replace(/\/+$/, ''))) return carried(url);
  if (/^https?:$/.test(protocol)) return undefined;
  throw notUnderstood(`${quoted(protocol)} links that add a server are not known in this form: ${quoted(text)}.`);
}

function carried({ search, searchParams }: URL): FoundServer {
  const config = searchParams.get('config');
  const value = readConfig(config ?? search.slice(1));
  const { name, ...entry } = value;
  const told = searchParams.get('name') ?? name;
  // Some carry the entry under its name.
  const [[inner, only] = ['', undefined]] = Object.entries(objectOf(value['mcpServers'] ?? value));
  if (entry['command'] === undefined && entry['url'] === undefined && isObject(only))
    return { name: typeof told === 'string' ? told : inner, entry: only };
  return { name: typeof told === 'string' ? told : undefined, entry };
}

/** As JSON, or as JSON in base64. */
function readConfig(text: string): JsonObject {
  const plain = decoded(text);
  // A plus sign is a blank in an address, and there are none in base64.
  const json = plain.trimStart().startsWith('{') ? plain : Buffer.from(plain.replace(/ /g, '+'), 'base64').toString();
  const value = parsed(json);
  if (isObject(value)) return value;
  throw notUnderstood('The link carries no server that can be read.', 'Copy the link whole.');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // It was decoded already, and has a percent sign in it.
    return text;
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

function gooseServer(said: URLSearchParams): FoundServer {
  const name = said.get('id') ?? said.get('name') ?? undefined;
  const url = said.get('url');
  if (url !== null) return { name, entry: { url, ...(said.get('type') === 'sse' && { type: 'sse' }) } };
  const command = said.get('cmd');
  if (command === null) throw notUnderstood('The link says neither what to start (cmd) nor where it is (url).');
  const asked = said.getAll('env').map((one) => one.split('=')[0] ?? '');
  return {
    name,
    entry: { command, args: said.getAll('arg'), env: Object.fromEntries(asked.map((one) => [one, `\${env:${one}}`])) },
  };
}
