/**
 * Mode `auto`: chooses how tools are shown to a client app, with the reason in a sentence. Every tool is listed if
 * that is cheap, or if the app loads tools on demand itself, because searching twice would cost more than it saves.
 * Otherwise the app gets search, calls, and programs together.
 */
import { formatCount } from './base/text-format.ts';
import type { Catalog } from './catalog/catalog.ts';
import { appTraits } from './client-apps/app-traits.ts';
import { estimateTokens } from './condense/estimate-tokens.ts';
import { autoMode, parseModeName } from './config/mode-names.ts';
import { isMode, type ModeRegistry } from './modes/mode-registry.ts';
import { searchAndCodeMode } from './modes/auto-mode.ts';
import { proxyMode } from './modes/proxy-mode.ts';
import { searchMode } from './modes/search-mode.ts';
import type { Mode, ModeView } from './modes/mode.ts';

interface ModeChoice {
  readonly mode: Mode;
  /** The reason, for users; undefined if the user chose. */
  readonly reason: string | undefined;
}

export type ModeChooser = (view: ModeView) => ModeChoice;

/** Up to this share of the app's context window, a full list is acceptable. */
const freeListShare = 0.02;

/** Number of tokens that may be listed for an app in addition to a mode's own. */
export function freeListTokens(app: string | undefined): number {
  return appTraits(app).window * freeListShare;
}

/** Returns the chooser for a configured mode and a client app. Throws AppError `mode_unknown`. */
export function modeChooser(name: string, app: string | undefined, costs: ModeCosts): ModeChooser {
  if (parseModeName(name) === autoMode) return (view) => chooseMode(costs.costsFor(view), app);
  const mode = costs.modes.find(name);
  return () => ({ mode, reason: undefined });
}

/**
 * Follows a setting that may change during a session. Throws AppError `mode_unknown` for its initial value; a later
 * invalid value keeps the current mode.
 */
export function modeChooserFollowing(name: () => string, app: string | undefined, costs: ModeCosts): ModeChooser {
  let current = name();
  let choose = modeChooser(current, app, costs);
  return (view) => {
    const wanted = name();
    if (wanted !== current && isMode(wanted)) choose = modeChooser(wanted, app, costs);
    current = wanted;
    return choose(view);
  };
}

export function chooseMode({ tools, all, best, views }: Costs, app: string | undefined): ModeChoice {
  const facts = appTraits(app);
  const share = all / facts.window;
  if (facts.defersTools) {
    return { mode: proxyMode, reason: `${facts.name} loads tools on demand, so all tools are listed.` };
  }
  if (share <= freeListShare) {
    return {
      mode: proxyMode,
      reason: `Listing every tool costs about ${whole(all)} tokens, ${percent(share)} of the context window of ${facts.name}.`,
    };
  }
  if (best.mode === proxyMode) {
    return {
      mode: proxyMode,
      reason: `Search is not sure to cost less than listing every tool, about ${whole(all)} tokens.`,
    };
  }
  const session = `a session of ${typicalUses} tool uses costs about ${whole(best.total)} tokens, ${whole(all - best.total)} fewer`;
  return {
    mode: best.mode,
    reason: `All ${tools} tools would cost about ${whole(all)} tokens; with search${best.mode === searchAndCodeMode ? ' and programs' : ''}, ${session}.${viewsText(views)}`,
  };
}

/** Explains tools that `auto` lists because they have a user interface. */
function viewsText(views: Costs['views']): string {
  if (views === undefined || views.count + views.leftOut === 0) return '';
  const { count: listed, tokens, leftOut } = views;
  const cost = ` Of that, ${formatCount(listed, 'tool')} with a user interface cost about ${whole(tokens)}.`;
  return leftOut === 0 ? cost : `${cost} ${leftOut} more did not fit and can be found by search.`;
}

function whole(tokens: number): string {
  return tokens.toLocaleString('en');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.001 ? 2 : 1)}%`;
}

/**
 * Estimated cost of modes for a client app over a typical session: four characters a token for listed text, equal for
 * every mode compared, and measured figures for the overhead of finding and wrapping a tool use. Computed once a
 * catalog for all sessions, because it requires writing out every list.
 */
export interface Costs {
  readonly tools: number;
  /** Tokens of the full list. */
  readonly all: number;
  /** The chosen mode, and the tokens of a typical session in it. */
  readonly best: { readonly mode: Mode; readonly total: number };
  /** The part of that total listed for its user interface. */
  readonly views?: ModeView['views'];
}

interface ListCost {
  readonly tools: number;
  readonly tokens: number;
}

interface Known {
  /** List costs by mode. */
  readonly lists: Map<string, ListCost>;
  costs: Costs | undefined;
}

/** Number of tool uses in a typical session. */
const typicalUses = 5;
/** Tokens per use in addition to the list: searching, wrapping. Measured by `npm run bench -- tasks`. */
const tokensPerUse = 180;
/**
 * In a session with this many uses, search must not cost more than the full list, even if all its searches find
 * similar tools.
 */
const heavySessionUses = 20;
const expensiveUseTokens = 360;

export class ModeCosts {
  readonly modes: ModeRegistry;
  #known = new WeakMap<Catalog, Map<string, Known>>();
  #revision = 0;

  constructor(modes: ModeRegistry) {
    this.modes = modes;
  }

  /** Increases with each `invalidate`. */
  get revision(): number {
    return this.#revision;
  }

  /** Returns the same object while nothing changes. */
  costsFor(view: ModeView): Costs {
    const known = this.#of(view);
    known.costs ??= compare(view, (mode) => this.listCost(mode, view).tokens);
    return known.costs;
  }

  /** Cost of a mode's list and its instructions. */
  listCost(mode: Mode, view: ModeView): ListCost {
    const { lists } = this.#of(view);
    const cost = lists.get(mode.name) ?? listCost(mode, view);
    lists.set(mode.name, cost);
    return cost;
  }

  /** Call it when rewritten descriptions have changed with an unchanged catalog. */
  invalidate(): void {
    this.#revision++;
    this.#known = new WeakMap();
  }

  #of(view: ModeView): Known {
    const ofCatalog = this.#known.get(view.catalog) ?? new Map<string, Known>();
    this.#known.set(view.catalog, ofCatalog);
    const settings = `${view.level} ${view.spills} ${view.programs} ${view.views?.tokens ?? 0}`;
    const known: Known = ofCatalog.get(settings) ?? { lists: new Map(), costs: undefined };
    ofCatalog.set(settings, known);
    return known;
  }
}

function compare(view: ModeView, tokensOf: (mode: Mode) => number): Costs {
  const { length: tools } = view.catalog.tools;
  const all = tokensOf(proxyMode);
  const mode = view.programs === false ? searchMode : searchAndCodeMode;
  const list = tokensOf(mode) + (view.views?.tokens ?? 0);
  const isSafe = list + heavySessionUses * expensiveUseTokens <= all;
  const best = isSafe ? { mode, total: list + typicalUses * tokensPerUse } : { mode: proxyMode, total: all };
  return { tools, all, best, views: view.views };
}

function listCost(mode: Mode, view: ModeView): ListCost {
  const listed = [...mode.helpers.map((helper) => helper.definition), ...mode.listed(view)];
  return { tools: listed.length, tokens: estimateTokens(listed) + Math.ceil(mode.instructions(view).length / 4) };
}
