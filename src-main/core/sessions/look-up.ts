/**
 * Finds in the merged catalog what a client app names. What is not there yet is looked up again once all servers are
 * listed: a client app that was connected to an earlier core calls what it knows without listing first.
 */
import { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { LiveCatalog } from '../catalog/live-catalog.ts';
import { resolveEntry } from '../catalog/resolve-entry.ts';
import { resourceNotFound, type ResourceTarget, resourceTargets } from '../catalog/resolve-resource.ts';
import { rpcCode, RpcError } from '../wire/message.ts';

export class LookUp {
  readonly #catalog: LiveCatalog;
  readonly #settleMs: number;

  /** `settleMs`: how long a server that has never been listed is waited for. */
  constructor(catalog: LiveCatalog, settleMs: number) {
    this.#catalog = catalog;
    this.#settleMs = settleMs;
  }

  /** Rejects with RpcError. */
  prompt(name: unknown): Promise<CatalogEntry> {
    return this.#patiently(() => this.#prompt(name));
  }

  /** The server that completes an argument, and the reference as it knows it. Rejects with RpcError. */
  completion(ref: JsonObject): Promise<{ readonly server: string; readonly ref: JsonObject }> {
    return this.#patiently(() => {
      if (ref['type'] === 'ref/prompt') {
        const prompt = this.#prompt(ref['name']);
        return { server: prompt.server, ref: { ...ref, name: prompt.name } };
      }
      const uri = String(ref['uri']);
      const template = this.#catalog.current.resourceTemplates.find((one) => one.listedUri === uri);
      const target = template ?? this.#resource(uri);
      return { server: target.server, ref: { ...ref, uri: target.uri } };
    });
  }

  /** The likeliest server of a resource. Rejects with RpcError. */
  resource(uri: string): Promise<ResourceTarget> {
    return this.#patiently(() => this.#resource(uri));
  }

  /** All servers that may have a resource, the likeliest first. */
  async resources(uri: string): Promise<readonly ResourceTarget[]> {
    const isListed = (): boolean => this.#catalog.current.resources.some(({ listedUri }) => listedUri === uri);
    if (!isListed()) await this.#catalog.settled(this.#settleMs);
    return resourceTargets(this.#catalog.current, uri);
  }

  async #patiently<T>(look: () => T): Promise<T> {
    if (this.#catalog.isSettled(this.#settleMs)) return look();
    try {
      return look();
    } catch {
      await this.#catalog.settled(this.#settleMs);
      return look();
    }
  }

  #prompt(name: unknown): CatalogEntry {
    try {
      return resolveEntry(this.#catalog.current, 'prompts', String(name));
    } catch (error) {
      const absence = this.#catalog.finder.absenceIn(String(name));
      if (absence !== undefined) throw new RpcError(rpcCode.invalidParams, absence.error.text);
      throw error instanceof AppError ? new RpcError(rpcCode.invalidParams, error.text) : error;
    }
  }

  #resource(uri: string): ResourceTarget {
    const [target] = resourceTargets(this.#catalog.current, uri);
    if (target !== undefined) return target;
    throw new RpcError(rpcCode.invalidParams, resourceNotFound(uri).text, { uri });
  }
}
