/** The resources that a merged view shows: the servers', and our own where the mode lists them; ours can always be read. */
import type { JsonObject } from '../base/json.ts';
import type { CallerContext } from '../calls/call-tool.ts';
import { isOurUri, wrapUri } from '../catalog/catalog.ts';
import { resourceNotFound } from '../catalog/resolve-resource.ts';
import { ownResources } from '../modes/index.ts';
import { readOwnResource } from '../modes/own-resource.ts';
import type { Era } from '../wire/eras.ts';
import { type Result, rpcCode, RpcError } from '../wire/message.ts';
import { acceptableEntry } from './acceptable-entry.ts';
import type { MergedParts } from './merged-parts.ts';
import { isCancelled, isNotFound } from './view-errors.ts';

export class MergedResources {
  readonly #parts: MergedParts;

  constructor(parts: MergedParts) {
    this.#parts = parts;
  }

  /** As they are given to a client app of that era. */
  list(key: 'resources' | 'resourceTemplates', era: Era): readonly JsonObject[] {
    const { catalog, mode } = this.#parts;
    const identifier = key === 'resources' ? 'uri' : 'uriTemplate';
    const listed = catalog.current[key].map((resource) =>
      acceptableEntry(key, { ...resource.definition, [identifier]: resource.listedUri }, era),
    );
    const own = (mode().resources ?? []).flatMap(({ definition }) => (identifier in definition ? [definition] : []));
    return [...listed, ...own];
  }

  async read(params: JsonObject, context: CallerContext): Promise<Result> {
    const { contexts, lookUp, servers } = this.#parts;
    const uri = uriOf(params);
    const own = await readOwnResource(ownResources, uri, contexts.make('resources/read', {}, context));
    if (own !== undefined) return { contents: [own] };
    let failure: unknown = new RpcError(rpcCode.invalidParams, resourceNotFound(uri).text, { uri });
    for (const target of await lookUp.resources(uri)) {
      try {
        return await servers.get(target.server).request('resources/read', { ...params, uri: target.uri }, context);
      } catch (error) {
        if (isCancelled(error)) throw error;
        // A server that fails does not keep the others from having it, but is why nobody has.
        if (!isNotFound(error)) failure = error;
      }
    }
    throw failure;
  }

  async subscribe(uri: string, context: CallerContext): Promise<Result> {
    const { lookUp, servers } = this.#parts;
    const target = await lookUp.resource(uri);
    return servers.get(target.server).subscribe(target.uri, context);
  }

  async unsubscribe(uri: string, context: CallerContext): Promise<Result> {
    const { lookUp, servers } = this.#parts;
    const target = await lookUp.resource(uri);
    return servers.get(target.server).unsubscribe(target.uri, context);
  }

  /** The URI under which a client app knows a server's resource. */
  listedUri(server: string, uri: string): string {
    const { resources } = this.#parts.catalog.current;
    const known = resources.find((resource) => resource.server === server && resource.uri === uri);
    if (known !== undefined) return known.listedUri;
    return isOurUri(uri) || resources.some((resource) => resource.uri === uri) ? wrapUri(server, uri) : uri;
  }
}

function uriOf(params: JsonObject): string {
  if (typeof params['uri'] === 'string') return params['uri'];
  throw new RpcError(rpcCode.invalidParams, 'The uri of a resource is missing.');
}
