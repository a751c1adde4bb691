/**
 * The endpoints of 2026-07-28 over HTTP: one per address and token, and per client app named by the requests if the
 * address names none. Lists may depend on the content of a request, never on its connection.
 */
import { isObject, type JsonObject, objectOrEmpty } from '../../base/json.ts';
import { extensionSetOf } from '../../servers/extension-set.ts';
import { metaKeys, metaOf } from '../../wire/protocol-kind.ts';
import type { Endpoint } from '../views/endpoint.ts';
import type { SessionBinding } from './stateful-http-transport.ts';
import type { StatelessEndpoint } from './stateless-endpoint.ts';

/** `key`: unique, prefixed by the caller. */
export type OpenStatelessEndpoint = (endpoint: Endpoint, place: SessionBinding, key: string) => StatelessEndpoint;

/** Client names are unverified, so names beyond this number share the endpoint for unnamed clients, per holder. */
const maxApps = 50;
/** Beyond this number the least recently used one is evicted unless it is busy; it is opened again on demand. */
const maxOpenEndpoints = 5_000;
/** Beyond this number, declared extensions are ignored. */
const maxDeclaredEndpoints = 500;
/** Occurs in no address. */
const kindMark = '\n';

interface Opened {
  readonly app: string | undefined;
  /** Token that may be revoked (`SessionPlace.token`). */
  readonly token: string | undefined;
  readonly serving: StatelessEndpoint;
}

export class StatelessEndpoints {
  readonly #open: OpenStatelessEndpoint;
  readonly #opened = new Map<string, Opened>();
  /** Names of apps by holder. */
  readonly #apps = new Map<string, Set<string>>();
  readonly #takes: (endpoint: Endpoint) => boolean;

  /** `takes` returns whether the capabilities that a request declares have an effect; called for each request. */
  constructor(open: OpenStatelessEndpoint, takes: (endpoint: Endpoint) => boolean = () => true) {
    this.#open = open;
    this.#takes = takes;
  }

  get all(): readonly StatelessEndpoint[] {
    return [...this.#opened.values()].map(({ serving }) => serving);
  }

  get tokens(): readonly string[] {
    return [...this.#opened.values()].flatMap(({ token }) => token ?? []);
  }

  /** Returns the endpoint for a request's params. Throws AppError `mode_unknown` or `server_not_found`. */
  at(endpoint: Endpoint, place: SessionBinding, params: JsonObject | undefined): StatelessEndpoint {
    const app = endpoint.app === undefined ? this.#appOf(place.holder, params) : undefined;
    const capabilities = objectOrEmpty(metaOf(params)[metaKeys.clientCapabilities]);
    const kind = extensionSetOf(capabilities);
    const { holder, path } = place;
    // An address begins with a slash; holders do not.
    const bounds = endpoint.bounds === undefined ? '' : JSON.stringify(endpoint.bounds);
    const address = holder === 'person' ? path : `${holder}${bounds} ${path}`;
    const name = app === undefined ? address : `${address} ${app}`;
    const named = app === undefined ? endpoint : { ...endpoint, app };
    const declared = kind === undefined ? named : { ...named, capabilities };
    const wanted = kind === undefined || !this.#takes(declared) ? name : `${name}${kindMark}${kind.key}`;
    // Declarations are unverified, too.
    const key = this.#opened.has(wanted) || this.#opened.size < maxDeclaredEndpoints ? wanted : name;
    const known = this.#opened.get(key);
    const opened = known ?? {
      app: named.app,
      token: place.token,
      serving: this.#open(key === name ? named : declared, place, key),
    };
    // The most recently used one is last.
    this.#opened.delete(key);
    this.#opened.set(key, opened);
    if (known === undefined) this.#evictOldest();
    return opened.serving;
  }

  /** Ends endpoints whose address or requests name the app; its next request reopens them. */
  end(app: string): void {
    this.#close((opened) => opened.app === app);
  }

  /** Ends endpoints whose view is over; the next request reopens them. */
  endWhere(isOver: (endpoint: StatelessEndpoint) => boolean): void {
    this.#close(({ serving }) => isOver(serving));
  }

  /** Ends endpoints whose token was revoked. */
  endTokens(isOver: (token: string | undefined) => boolean): void {
    this.#close(({ token }) => isOver(token));
  }

  close(): void {
    for (const endpoint of this.all) endpoint.close();
  }

  #close(isMeant: (opened: Opened) => boolean): void {
    const meant = [...this.#opened].filter(([, opened]) => isMeant(opened));
    for (const [key] of meant) this.#opened.delete(key);
    for (const [, { serving }] of meant) serving.close();
  }

  #evictOldest(): void {
    if (this.#opened.size <= maxOpenEndpoints) return;
    const idle = [...this.#opened].find(([, { serving }]) => !serving.isBusy);
    this.#close((opened) => opened === idle?.[1]);
  }

  #appOf(holder: string, params: JsonObject | undefined): string | undefined {
    const info = metaOf(params)[metaKeys.clientInfo];
    if (!isObject(info) || typeof info['name'] !== 'string') return undefined;
    const { name } = info as { name: string };
    const apps = this.#apps.get(holder) ?? new Set();
    if (apps.size < maxApps) apps.add(name);
    // An evicted holder may then name other apps.
    this.#apps.delete(holder);
    this.#apps.set(holder, apps);
    const [oldest] = this.#apps.keys();
    if (this.#apps.size > maxOpenEndpoints && oldest !== undefined) this.#apps.delete(oldest);
    return apps.has(name) ? name : undefined;
  }
}
