/** Links of pages for "Add to Cursor", "Install in VS Code" and similar: the server in such a link. */
import { isObject, type JsonObject, tryParsePlainJson } from '../base/json.ts';
import { type RegistryMatch, foundInValue, unrecognizedInputError, quoteWord } from './pasted-server.ts';

/** Endings of host and path of links that contain a server; other HTTP addresses are servers themselves. */
const places = /(?:^|\/)(?:mcp\/install|add_mcp|launch\/mcp\/add|install-mcp|mcp-install|mcp-import|mcp\/add)$/;

/** Targets of Markdown links, including badges, and of HTML links. */
const inText = /\]\(((?:[^()]|\([^()]*\))*)\)|\bhref=["']([^"']+)["']/g;

/**
 * The servers of the links in a line; undefined without a link, empty if none contains a server. Throws AppError
 * `bad_request` for a link that cannot be read.
 */
export function parseInstallLinks(line: string): readonly RegistryMatch[] | undefined {
  const targets = [...line.matchAll(inText)].map(([, target, html = '']) => target ?? html.replaceAll('&amp;', '&'));
  if (targets.length > 0) return targets.flatMap((target) => parseLink(target.trim()) ?? []);
  const found = parseLink(line);
  // Some pages show a link with decoded spaces.
  const isLink = /^[a-z][a-z0-9+.-]+:\S+$/i.test(line) || /^[a-z+.-]+:(?:mcp\/install\?|\/\/)\S*[?{]/i.test(line);
  if (found !== undefined || !isLink || /^https?:/i.test(line)) return found;
  throw unrecognizedInputError(`Links that add a server are not known in this form: ${quoteWord(line)}.`);
}

function parseLink(text: string): readonly RegistryMatch[] | undefined {
  if (!/^[a-z][a-z0-9+.-]+:/i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const { protocol, host, pathname, searchParams } = url;
  const inside = searchParams.get('url');
  // The redirect of VS Code's page.
  if (/(?:^|\.)vscode\.dev$/.test(host) && pathname === '/redirect' && inside !== null && !inside.startsWith('http'))
    return parseLink(inside);
  if (protocol === 'goose:' && host === 'extension') return [gooseServer(searchParams)];
  const place = `${host}${decoded(pathname)}`.replace(/\/+$/, '');
  return places.test(place) || (!/^https?:$/.test(protocol) && searchParams.has('config')) ? carried(url) : undefined;
}

function carried({ search, searchParams }: URL): readonly RegistryMatch[] {
  const config = searchParams.get('config') ?? searchParams.get('servers') ?? searchParams.get('mcp');
  const found = foundInValue(readConfig(config ?? search.slice(1)));
  const name = searchParams.get('name');
  return name === null || found.length !== 1 ? found : found.map((one) => ({ ...one, name }));
}

/** Parses JSON, plain or in base64. */
function readConfig(text: string): JsonObject {
  const plain = decoded(text);
  // A plus sign is a space in an address, and base64 contains no spaces.
  const json = plain.trimStart().startsWith('{') ? plain : Buffer.from(plain.replace(/ /g, '+'), 'base64').toString();
  const value = tryParsePlainJson(json);
  if (isObject(value)) return value;
  throw unrecognizedInputError('The link contains no readable server.', 'Copy the full link.');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // It was decoded already, and contains a percent sign.
    return text;
  }
}

function gooseServer(params: URLSearchParams): RegistryMatch {
  const [url, command] = [params.get('url'), params.get('cmd')];
  if (url === null && command === null)
    throw unrecognizedInputError('The link has neither a command (cmd) nor a URL (url).');
  const remote = { type: params.get('type'), url, headers: params.getAll('header') };
  // A variable has a description, not a value.
  const names = params.getAll('env').map((one) => one.split('=')[0]);
  const local = { command, args: params.getAll('arg'), env: names };
  const name = params.get('id') ?? params.get('name') ?? undefined;
  return { name, entry: { timeoutSeconds: params.get('timeout'), ...(url === null ? local : remote) } };
}
