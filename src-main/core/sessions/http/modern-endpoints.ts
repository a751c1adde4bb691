/**
 * The endpoints of 2026-07-28 over HTTP: one for each address, and for each client app by the name that its requests carry
 * where the address names none. Lists may depend on what a request brings along, never on its connection.
 */
import { isObject, type JsonObject } from '../../base/json.ts';
import { metaKey, metaOf } from '../../wire/eras.ts';
import { type Endpoint, endpointOf } from '../views/endpoint.ts';
import type { ModernEndpoint } from './modern-http.ts';

export type OpenModern = (endpoint: Endpoint, key: string) => ModernEndpoint;

/** Anyone may call itself anything; names beyond these share the endpoint of those without one. */
const mostApps = 50;

export class ModernEndpoints {
  readonly #open: OpenModern;
  readonly #opened = new Map<string, ModernEndpoint>();
  readonly #apps = new Set<string>();

  constructor(open: OpenModern) {
    this.#open = open;
  }

  get all(): readonly ModernEndpoint[] {
    return [...this.#opened.values()];
  }

  /** By the params of a request. Throws AppError mode_unknown or server_not_found. */
  at(endpoint: Endpoint, path: string, params: JsonObject | undefined): ModernEndpoint {
    const app = endpoint.app === undefined ? this.#appOf(params) : undefined;
    const key = app === undefined ? path : `${path} ${app}`;
    const known = this.#opened.get(key);
    if (known !== undefined) return known;
    const opened = this.#open(app === undefined ? endpoint : { ...endpoint, app }, key);
    this.#opened.set(key, opened);
    return opened;
  }

  /** Those whose address or requests name the app; its next request would open them anew. */
  end(app: string): void {
    const named = [...this.#opened].filter(([key]) => endpointOf(key)?.app === app || key.endsWith(` ${app}`));
    for (const [path] of named) this.#opened.delete(path);
    for (const [, endpoint] of named) endpoint.close();
  }

  close(): void {
    for (const endpoint of this.all) endpoint.close();
  }

  #appOf(params: JsonObject | undefined): string | undefined {
    const info = metaOf(params)[metaKey.clientInfo];
    if (!isObject(info) || typeof info['name'] !== 'string') return undefined;
    const { name } = info as { name: string };
    if (this.#apps.size < mostApps) this.#apps.add(name);
    return this.#apps.has(name) ? name : undefined;
  }
}
