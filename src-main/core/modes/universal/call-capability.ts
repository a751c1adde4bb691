/** The action `call` of the proxy tool: calls a tool, reads a resource, gets a prompt, and says on each item what it is of. */
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import { shortName } from '../../base/short-name.ts';
import { wrapUri } from '../../catalog/catalog.ts';
import { resourceNotFound } from '../../catalog/resolve-resource.ts';
import { type Result, RpcError } from '../../wire/message.ts';
import { fact, RawJson, toObject } from '../../wire/raw-json.ts';
import { maggPrompts } from '../magg/magg-prompts.ts';
import type { HelperContext } from '../mode.ts';
import { objectify } from './objectify.ts';
import { findEntry, notFound } from './proxy-entries.ts';
import { jsonItem, type ProxyFacts, proxyMetaKey, withFacts } from './proxy-facts.ts';
import type { CallRequest } from './proxy-request.ts';

/** Rejects with AppError, or with the server's RpcError. */
export async function callCapability(request: CallRequest, context: HelperContext): Promise<Result> {
  const { type, path } = request;
  const facts: ProxyFacts = { proxyAction: 'call', proxyType: type, proxyPath: path };
  if (type === 'tool') return toolResult(await callTool(request, context), facts);
  const result = type === 'resource' ? await readResource(path, context) : await getPrompt(request, context);
  // A question to the person goes back as it is; the client app's next try brings the answer.
  if (fact(result, 'resultType') === 'input_required') return result;
  return type === 'resource' ? resourceResult(toObject(result), facts) : promptResult(toObject(result), facts);
}

async function callTool({ path, server, args, beside }: CallRequest, context: HelperContext): Promise<Result> {
  try {
    return await context.callTool({ tool: path, server, arguments: args, beside, via: 'proxy' });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'tool_not_found') throw error;
    throw new AppError('tool_not_found', `Unknown tool: '${shortName(path)}'.`, {
      ...(error.fix && { fix: error.fix }),
    });
  }
}

function toolResult(result: Result, facts: ProxyFacts): Result {
  // From a megabyte on an answer stays the bytes it came as, so the facts are told once for all of its items.
  if (result instanceof RawJson) return result.withMembers({ _meta: { [proxyMetaKey]: facts } });
  const { content } = result;
  if (!Array.isArray(content)) return result;
  return { ...result, content: content.map((item: unknown) => (isObject(item) ? withFacts(item, facts) : item)) };
}

async function readResource(uri: string, context: HelperContext): Promise<Result> {
  try {
    return await context.readResource(uri);
  } catch (error) {
    if (!isMissing(error, uri)) throw error;
    const own = ofPrefixedServer(uri, context) ?? (await uriNamed(uri, context));
    return await context.readResource(own);
  }
}

/** The URI of the resource that has this name. Rejects with AppError not_found, with what to give for a template. */
async function uriNamed(name: string, view: HelperContext): Promise<string> {
  const { listed } = await findEntry('resource', name, view);
  if (typeof listed['uri'] === 'string') return listed['uri'];
  throw notFound('resource', name, `It is a template: give a URI of the form ${String(listed['uriTemplate'])}.`);
}

function isMissing(error: unknown, uri: string): boolean {
  return error instanceof RpcError && error.message === resourceNotFound(uri).text;
}

/** Magg's spelling, `data://m/cfg` for `data://cfg` of server m, as a URI of that server alone. */
function ofPrefixedServer(uri: string, { catalog }: HelperContext): string | undefined {
  const [, scheme, prefix, rest] = /^([^:/?#]+:\/\/)([^/]+)\/(.*)$/s.exec(uri) ?? [];
  const server = catalog.servers.find((name) => name === prefix || catalog.slugs.get(name) === prefix);
  return server === undefined ? undefined : wrapUri(server, `${scheme}${rest}`);
}

function resourceResult({ contents }: JsonObject, facts: ProxyFacts): JsonObject {
  const items = Array.isArray(contents) ? (contents as unknown[]).filter(isObject) : [];
  return {
    content: items.map((item) => {
      const resource = objectify(item);
      const contentType = resource['contentType'];
      return withFacts({ type: 'resource', resource }, facts, contentType === undefined ? {} : { contentType });
    }),
  };
}

async function getPrompt({ path, args }: CallRequest, context: HelperContext): Promise<Result> {
  // Arguments of prompts are texts; models write numbers and lists all the same.
  const texts = Object.entries(args).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const isOurs = maggPrompts.some(({ definition }) => definition.name === path);
  const name = isOurs ? path : String((await findEntry('prompt', path, context)).listed['name']);
  return context.getPrompt(name, Object.fromEntries(texts) as JsonObject);
}

function promptResult(result: JsonObject, facts: ProxyFacts): JsonObject {
  const path = String(facts.proxyPath);
  const uri = /^[\w.~:@!$&'()*+,;=/-]+$/.test(path) ? `proxy:${path}` : `urn:prompt:${encodeURIComponent(path)}`;
  return { content: [jsonItem(uri, result, { ...facts, pythonType: 'GetPromptResult' })] };
}
