/**
 * What modes cost a client app over a typical session, by estimate: four characters a token for what is listed, the same for
 * every mode compared, and measured figures (`npm run bench -- tokens`) for what finding and wrapping a tool use adds.
 * Worked out once for each catalog, however many sessions ask: it means writing out every list.
 */
import type { JsonObject } from '../base/json.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { findMode, modes } from './index.ts';
import type { Mode, ModeView } from './mode.ts';

export interface Costs {
  readonly tools: number;
  /** Tokens of listing every tool. */
  readonly all: number;
  /** The mode with the cheapest session, and its tokens. */
  readonly best: { readonly mode: Mode; readonly total: number };
}

export interface ListCost {
  readonly tools: number;
  readonly tokens: number;
}

interface Known {
  /** By mode. */
  readonly lists: Map<string, ListCost>;
  costs: Costs | undefined;
}

/** Tool uses in the session that modes are compared over. */
export const typicalUses = 5;

/** What a session adds to the list. */
interface Surplus {
  /** Tokens, once for each tool there is. */
  readonly perTool: number;
  /** Tokens at each use. */
  readonly perUse: number;
  /** At each use, too, in definitions of usual size: what searches show, those that miss included. */
  readonly definitions: number;
}

/** Modes not named here ask more of a model than tokens, or are there for client apps that ask for them. */
const surplus: ReadonlyMap<string, Surplus> = new Map([
  ['gateway', { perTool: 0, perUse: 200, definitions: 0 }],
  ['meta', { perTool: 20, perUse: 300, definitions: 0.2 }],
  ['search', { perTool: 0, perUse: 100, definitions: 3 }],
  ['retrieve', { perTool: 0, perUse: 100, definitions: 3 }],
]);

export class ModeCosts {
  #known = new WeakMap<Catalog, Map<string, Known>>();

  /** The same object for as long as nothing changed. */
  of(view: ModeView): Costs {
    const known = this.#of(view);
    known.costs ??= compare(view, (mode) => this.list(mode, view).tokens);
    return known.costs;
  }

  /** What a mode lists, and its instructions. */
  list(mode: Mode, view: ModeView): ListCost {
    const { lists } = this.#of(view);
    const cost = lists.get(mode.name) ?? listCost(mode, view);
    lists.set(mode.name, cost);
    return cost;
  }

  /** Texts that were written for tools have changed, while the catalog is the same. */
  forget(): void {
    this.#known = new WeakMap();
  }

  #of(view: ModeView): Known {
    const ofCatalog = this.#known.get(view.catalog) ?? new Map<string, Known>();
    this.#known.set(view.catalog, ofCatalog);
    const settings = `${view.level} ${view.spills}`;
    const known: Known = ofCatalog.get(settings) ?? { lists: new Map(), costs: undefined };
    ofCatalog.set(settings, known);
    return known;
  }
}

function compare(view: ModeView, tokensOf: (mode: Mode) => number): Costs {
  const { length: tools } = view.catalog.tools;
  const proxy = findMode('proxy');
  const all = tokensOf(proxy);
  const usual = estimateTokens(view.catalog.tools.map(({ definition }) => definition)) / Math.max(1, tools);
  let best = { mode: proxy, total: all };
  for (const mode of modes) {
    const added = surplus.get(mode.name);
    if (added === undefined) continue;
    const { perTool, perUse, definitions } = added;
    const total = Math.ceil(tokensOf(mode) + tools * perTool + typicalUses * (perUse + definitions * usual));
    if (total < best.total) best = { mode, total };
  }
  return { tools, all, best };
}

function listCost(mode: Mode, view: ModeView): ListCost {
  const listed = [...mode.helpers.map((helper) => helper.definition), ...mode.listed(view)];
  return { tools: listed.length, tokens: estimateTokens(listed) + Math.ceil(mode.instructions(view).length / 4) };
}

/** Of tools as they are listed. */
export function estimateTokens(listed: readonly JsonObject[]): number {
  return Math.ceil(JSON.stringify(listed).length / 4);
}
