/**
 * Links that pages give for "Add to Cursor", "Install in VS Code" and the like: the server that such a link carries.
 */
import { isObject, type JsonObject, tryParsePlainJson } from '../base/json.ts';
import { type RegistryMatch, foundInValue, unrecognizedInputError, quoteWord } from './pasted-server.ts';

/** Ends of host and path of links that carry a server; another address over HTTP is a server's own. */
const places = /(?:^|\/)(?:mcp\/install|add_mcp|launch\/mcp\/add|install-mcp|mcp-install|mcp-import|mcp\/add)$/;

/** Targets of Markdown links, of badges too, and of HTML. */
const inText = /\]\(((?:[^()]|\([^()]*\))*)\)|\bhref=["']([^"']+)["']/g;

/**
 * The servers of the links in a line; undefined if it has none, empty if none of them carries a server. Throws AppError
 * `bad_request` where one does and cannot be read.
 */
export function parseInstallLinks(line: string): readonly RegistryMatch[] | undefined {
  const targets = [...line.matchAll(inText)].map(([, target, html = '']) => target ?? html.replaceAll('&amp;', '&'));
  if (targets.length > 0) return targets.flatMap((target) => parseLink(target.trim()) ?? []);
  const found = parseLink(line);
  // Some pages show a link with its blanks decoded.
  const isLink = /^[a-z][a-z0-9+.-]+:\S+$/i.test(line) || /^[a-z+.-]+:(?:mcp\/install\?|\/\/)\S*[?{]/i.test(line);
  if (found !== undefined || !isLink || /^https?:/i.test(line)) return found;
  throw unrecognizedInputError(`Links that add a server are not known in this form: ${quoteWord(line)}.`);
}

function parseLink(text: string): readonly RegistryMatch[] | undefined {
  if (!/^[a-z][a-z0-9+.-]+:/i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const { protocol, host, pathname, searchParams } = url;
  const inside = searchParams.get('url');
  // What VS Code's page sends on to.
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
  // A plus sign is a blank in an address, and there are none in base64.
  const json = plain.trimStart().startsWith('{') ? plain : Buffer.from(plain.replace(/ /g, '+'), 'base64').toString();
  const value = tryParsePlainJson(json);
  if (isObject(value)) return value;
  throw unrecognizedInputError('The link carries no server that can be read.', 'Copy the link whole.');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // It was decoded already, and has a percent sign in it.
    return text;
  }
}

function gooseServer(params: URLSearchParams): RegistryMatch {
  const name = params.get('id') ?? params.get('name') ?? undefined;
  const pairs = (key: string): readonly (readonly [string, string])[] =>
    params.getAll(key).map((one) => [/^[^=]*/.exec(one)?.[0] ?? '', one.replace(/^[^=]*=?/, '')] as const);
  const [url, command, timeout] = [params.get('url'), params.get('cmd'), Number(params.get('timeout'))];
  const shared = { ...(timeout > 0 && { callTimeoutSeconds: timeout }) };
  if (url !== null) {
    const entry = {
      ...shared,
      type: params.get('type') ?? undefined,
      url,
      headers: Object.fromEntries(pairs('header')),
    };
    return { name, entry };
  }
  if (command === null) throw unrecognizedInputError('The link has neither a command (cmd) nor a URL (url).');
  const env = Object.fromEntries(pairs('env').map(([variable]) => [variable, `\${env:${variable}}`]));
  return { name, entry: { ...shared, command, args: params.getAll('arg'), env } };
}
