/**
 * Links that pages give for "Add to Cursor", "Install in VS Code" and the like: the server that such a link carries.
 */
import { isObject, type JsonObject, tryParsePlainJson } from '../base/json.ts';
import { type RegistryMatch, foundInValue, unrecognizedInputError, quoteWord } from './pasted-server.ts';

/** Ends of host and path of links that carry a server; another address over HTTP is a server's own. */
const places = /(?:^|\/)(?:mcp\/install|add_mcp|launch\/mcp\/add|install-mcp|mcp-import|mcp\/add)$/;

/** undefined if it is no such link. Throws AppError `bad_request` where it is one and cannot be read. */
export function parseInstallLink(written: string): readonly RegistryMatch[] | undefined {
  // A badge of Markdown leads to the link behind it, and some pages show a link with its blanks decoded.
  const text = (/^\[!\[[^\]]*\]\([^)]*\)\]\((.*)\)$/s.exec(written)?.[1] ?? written).trim();
  if (
    !/^[a-z][a-z0-9+.-]+:\S/i.test(text) ||
    (/\s/.test(text) && !/^[a-z+.-]+:(?:mcp\/install\?|\/\/)\S*[?{]/i.test(text))
  )
    return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return undefined;
  const { protocol, host, pathname, searchParams } = url;
  const inside = searchParams.get('url');
  // What VS Code's page sends on to.
  if (/(?:^|\.)vscode\.dev$/.test(host) && pathname === '/redirect' && inside !== null && !inside.startsWith('http'))
    return parseInstallLink(inside);
  if (protocol === 'goose:' && host === 'extension') return [gooseServer(searchParams)];
  const isHttp = /^https?:$/.test(protocol);
  if (places.test(`${host}${pathname}`.replace(/\/+$/, '')) || (!isHttp && searchParams.has('config')))
    return carried(url);
  if (isHttp) return undefined;
  throw unrecognizedInputError(
    `${quoteWord(protocol)} links that add a server are not known in this form: ${quoteWord(text)}.`,
  );
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
