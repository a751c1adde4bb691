/** Estimated token cost of servers' lists; recomputed only for changes, since every call publishes new rows. */
import type { CoreGroups } from '../../core/core-groups.ts';
import type { Costs } from '../../core/choose-mode.ts';
import { displayNameOf } from '../../core/client-apps/app-traits.ts';
import { estimateTokens } from '../../core/condense/estimate-tokens.ts';
import type { CondenseLevel } from '../../core/config/app-config.ts';
import { type Mode, type ModeView, RenderCache } from '../../core/modes/mode.ts';
import { levelFor } from '../../core/modes/render-tools.ts';
import type { Listing } from '../../core/servers/listing.ts';
import type { ListedCost } from '../contract.ts';
import { effectiveMode, viewOf } from './modes-overview.ts';

/** A mode and view used by some of the connected apps. */
interface Way {
  readonly mode: Mode;
  readonly level: CondenseLevel;
  readonly apps: readonly string[];
}

interface Shown {
  readonly costs: Costs;
  readonly key: string;
  readonly byServer: ReadonlyMap<string, readonly ListedCost[]>;
}

type ListTokensDeps = Pick<CoreGroups, 'calls' | 'clients' | 'context'>;

export class ListTokens {
  readonly #groups: ListTokensDeps;
  readonly #whole = new WeakMap<Listing, number>();
  readonly #shapes = new RenderCache();
  #shown: Shown | undefined;

  constructor(groups: ListTokensDeps) {
    this.#groups = groups;
  }

  /** Tokens of a server's full list. */
  whole(listing: Listing): number {
    const tokens = this.#whole.get(listing) ?? estimateTokens(listing.tools);
    this.#whole.set(listing, tokens);
    return tokens;
  }

  /** Cost of the lists actually shown to apps, by server. */
  shown(): ReadonlyMap<string, readonly ListedCost[]> {
    const view = viewOf(this.#groups);
    const costs = this.#groups.calls.modeCosts.costsFor(view);
    const ways = this.#ways(view);
    const key = JSON.stringify(ways.map(({ mode, level, apps }) => [mode.name, level, apps]));
    if (this.#shown?.costs !== costs || this.#shown.key !== key)
      this.#shown = { costs, key, byServer: this.#byServer(ways, view) };
    return this.#shown.byServer;
  }

  /** Apps connected to a single server's endpoint see that server unchanged, and are not included. */
  #ways(view: ModeView): readonly Way[] {
    const { calls, clients, context } = this.#groups;
    const ways = new Map<string, { mode: Mode; level: CondenseLevel; apps: Set<string> }>();
    for (const { app, isHere, view: own } of clients.sessions.all) {
      const mode = calls.modes.modes.find(({ name }) => name === own.mode);
      if (!isHere || mode === undefined) continue;
      const level = levelFor(context.config.current, app);
      const way = ways.get(`${mode.name} ${level}`) ?? { mode, level, apps: new Set() };
      way.apps.add(displayNameOf(app));
      ways.set(`${mode.name} ${level}`, way);
    }
    if (ways.size === 0) return [{ mode: effectiveMode(this.#groups, view), level: view.level, apps: [] }];
    return [...ways.values()].map((way) => ({ ...way, apps: [...way.apps] }));
  }

  #byServer(ways: readonly Way[], view: ModeView): ReadonlyMap<string, readonly ListedCost[]> {
    const listed = new Map(view.catalog.servers.map((name): [string, ListedCost[]] => [name, []]));
    for (const { mode, level, apps } of ways) {
      const tokens = this.#tokensOf(mode, { ...view, level, shapes: this.#shapes });
      for (const [server, costs] of listed) costs.push({ apps, mode: mode.name, tokens: tokens.get(server) ?? 0 });
    }
    return listed;
  }

  /** Listed tokens of each server: its tools, or the tool that represents it. */
  #tokensOf(mode: Mode, view: ModeView): ReadonlyMap<string, number> {
    const { lookup } = view.catalog;
    const standIns = mode.serversByTool?.(view.catalog);
    const tokens = new Map<string, number>();
    for (const definition of mode.listed(view)) {
      const name = String(definition['name']);
      const server = lookup.tools.byListedName(name)?.server ?? standIns?.get(name);
      if (server !== undefined) tokens.set(server, (tokens.get(server) ?? 0) + estimateTokens([definition]));
    }
    return tokens;
  }
}
