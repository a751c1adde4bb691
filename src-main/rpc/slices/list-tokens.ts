/** What servers' lists cost an app, by estimate; worked out again only for what changed, since every call brings new rows. */
import type { Aggregator } from '../../core/aggregator.ts';
import type { Mode, ModeView } from '../../core/modes/mode.ts';
import { type Costs, estimateTokens } from '../../core/modes/mode-costs.ts';
import { shownTool } from '../../core/modes/shown-tool.ts';
import type { Listing } from '../../core/servers/listing.ts';
import { modeInForce, viewOf } from './modes-overview.ts';

export class ListTokens {
  readonly #core: Aggregator;
  readonly #whole = new WeakMap<Listing, number>();
  #shown: { readonly costs: Costs; readonly mode: string; readonly tokens: ReadonlyMap<string, number> } | undefined;

  constructor(core: Aggregator) {
    this.#core = core;
  }

  /** Of a server's own list, whole. */
  whole(listing: Listing): number {
    const tokens = this.#whole.get(listing) ?? estimateTokens(listing.tools);
    this.#whole.set(listing, tokens);
    return tokens;
  }

  /** By server: what of the list of the mode in force it is the reason for. */
  shown(): ReadonlyMap<string, number> {
    const view = viewOf(this.#core);
    const mode = modeInForce(this.#core, view);
    const costs = this.#core.modeCosts.of(view);
    if (this.#shown?.costs !== costs || this.#shown.mode !== mode.name)
      this.#shown = { costs, mode: mode.name, tokens: this.#byServer(mode, view) };
    return this.#shown.tokens;
  }

  #byServer(mode: Mode, view: ModeView): ReadonlyMap<string, number> {
    const { servers, lookup } = view.catalog;
    const share = Math.round(this.#core.modeCosts.list(mode, view).tokens / Math.max(1, servers.length));
    if (mode.name !== 'proxy') return new Map(servers.map((name) => [name, share]));
    return new Map(
      servers.map((name) => [name, estimateTokens(lookup.tools.of(name).map((tool) => shownTool(tool, view)))]),
    );
  }
}
