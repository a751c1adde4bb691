/** The pins of all servers. They outlive a server's entry, so removing and adding a server accepts nothing. */
import { Emitter } from '../../base/emitter.ts';
import type { ServerConfig } from '../../config/server-config.ts';
import type { PinnedServer, PinStore } from './pin-store.ts';
import type { PinPolicy } from './pin-rules.ts';
import type { PinReview } from './pin-review.ts';
import { ServerPins } from './server-pins.ts';

export class PinRegistry {
  /** Emits when the pending review or a decision of a server changes. */
  readonly changed = new Emitter();
  readonly #store: PinStore;
  readonly #rules: PinPolicy;
  readonly #pins = new Map<string, ServerPins>();
  /** Server names by the names of pins that apply to some apps only. */
  readonly #owners = new Map<string, string>();

  constructor(store: PinStore, rules: PinPolicy) {
    this.#store = store;
    this.#rules = rules;
  }

  /**
   * Returns the pins of a server; undefined for built-in servers, which ship with Tooltray. Recreated if the entry
   * changes. `kind` identifies an extension set whose definitions differ; `apps` describes it in words.
   */
  of(server: ServerConfig, kind?: { readonly key: string; readonly apps: string }): ServerPins | undefined {
    if (server.kind === 'builtin') return undefined;
    const name = kind === undefined ? server.name : `${server.name} (to apps with extensions, ${kind.key.slice(0, 4)})`;
    const config = { ...server, name };
    this.#owners.set(name, server.name);
    const place = this.#store.forServer(config.name);
    const scope = { server: server.name, apps: kind?.apps };
    const pins = new ServerPins(config, scope, place, this.#rules, (server, program) => this.#twin(server, program));
    this.#pins.get(name)?.close();
    this.#pins.set(name, pins);
    pins.changed.on(() => this.changed.emit());
    return pins;
  }

  /** Names of the pins of these servers: their own, and those for some apps only. */
  names(configured: ReadonlySet<string>): readonly string[] {
    return [...this.#pins.keys()].filter((name) => configured.has(this.#owners.get(name) ?? name));
  }

  /** Returns the pins of a server by one of `names`. */
  find(name: string): ServerPins | undefined {
    return this.#pins.get(name);
  }

  /** Pending reviews, one per server. */
  pendingReviews(configured: ReadonlySet<string>): readonly PinReview[] {
    return this.names(configured).flatMap((name) => this.#pins.get(name)?.pendingReview ?? []);
  }

  /** Deletes pins of servers that were removed long ago. Never rejects. */
  removeStale(): Promise<void> {
    return this.#store.sweep();
  }

  #twin(server: string, program: string): PinnedServer | undefined {
    for (const [name, pins] of this.#pins) {
      const held = name === server ? undefined : pins.heldPinsOf(program);
      if (held !== undefined) return held;
    }
    return undefined;
  }
}
