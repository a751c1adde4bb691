/**
 * Mode `auto`: the mode that costs this client app least over a typical session, with the reason in a sentence.
 * Every tool is shown where that is cheap, or where the app loads tools only when it needs them itself; searching twice would
 * cost more than it saves. Costs are estimates at four characters a token, the same for every mode compared.
 */
import { clientApps, type ClientAppFacts, unknownApp } from './client-app-facts.ts';
import { findMode, modes } from './index.ts';
import type { Mode, ModeView } from './mode.ts';

export const autoMode = 'auto';

export interface ModeChoice {
  readonly mode: Mode;
  /** Why, for people; undefined where the person chose. */
  readonly reason: string | undefined;
}

export type ModeChooser = (view: ModeView) => ModeChoice;

/** Up to this share of the app's window a full list is no burden. */
const cheapShare = 0.02;
/** Tool uses in the session that modes are compared over. */
const typicalUses = 5;

/** Tokens that finding and wrapping one tool use costs in modes that do not list the tools. */
const perUse: ReadonlyMap<string, number> = new Map([
  ['proxy', 0],
  ['gateway', 180],
  ['meta', 250],
  ['search', 450],
  ['retrieve', 450],
]);

/** How to choose for a mode's name, as configured, and a client app. Throws AppError mode_unknown. */
export function modeChooser(name: string, app: string | undefined): ModeChooser {
  if (name === autoMode) return oncePerCatalog((view) => chooseMode(view, app));
  const mode = findMode(name);
  return () => ({ mode, reason: undefined });
}

/**
 * Chooses by a setting that may change while a session is open. Throws AppError mode_unknown for what it says at first; a
 * mistake made later keeps the mode there was.
 */
export function followMode(name: () => string, app: string | undefined): ModeChooser {
  let current = name();
  let choose = modeChooser(current, app);
  return (view) => {
    const wanted = name();
    if (wanted !== current && isMode(wanted)) choose = modeChooser(wanted, app);
    current = wanted;
    return choose(view);
  };
}

export function isMode(name: string): boolean {
  return name === autoMode || modes.some((mode) => mode.name === name);
}

/** Comparing modes means writing out every list; the answer changes with the catalog only. */
function oncePerCatalog(choose: ModeChooser): ModeChooser {
  let last: { readonly catalog: ModeView['catalog']; readonly choice: ModeChoice } | undefined;
  return (view) => {
    if (last?.catalog !== view.catalog) last = { catalog: view.catalog, choice: choose(view) };
    return last.choice;
  };
}

export function chooseMode(view: ModeView, app: string | undefined): ModeChoice {
  const facts = factsOf(app);
  const proxy = findMode('proxy');
  const { length } = view.catalog.tools;
  const all = cost(proxy, view);
  const share = all / facts.window;
  if (facts.defersTools) {
    return { mode: proxy, reason: `${facts.name} loads tools when it needs them, so all ${length} are shown.` };
  }
  if (share <= cheapShare) {
    return {
      mode: proxy,
      reason: `All ${length} tools cost about ${all} tokens, ${percent(share)} of the window of ${facts.name}.`,
    };
  }
  const [best] = [...candidates(view)].sort((a, b) => a.total - b.total);
  if (best === undefined || best.total >= all) {
    return { mode: proxy, reason: `No other mode costs less than all ${length} tools, about ${all} tokens.` };
  }
  const session = `a session of ${typicalUses} tool uses costs about ${best.total} tokens`;
  return {
    mode: best.mode,
    reason: `All ${length} tools would cost about ${all} tokens; in mode ${best.mode.name} ${session}.`,
  };
}

function* candidates(view: ModeView): Generator<{ mode: Mode; total: number }> {
  for (const mode of modes) {
    const use = perUse.get(mode.name);
    if (use !== undefined) yield { mode, total: cost(mode, view) + typicalUses * use };
  }
}

function cost(mode: Mode, view: ModeView): number {
  const tools = [...mode.helpers.map((helper) => helper.definition), ...mode.listed(view)];
  return Math.ceil((JSON.stringify(tools).length + mode.instructions(view).length) / 4);
}

function factsOf(app: string | undefined): ClientAppFacts {
  const name = app?.toLowerCase() ?? '';
  return clientApps.find(({ names }) => names.some((one) => name.includes(one))) ?? unknownApp;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.001 ? 2 : 1)} %`;
}
