/**
 * Mode `auto`: the mode that costs this client app least over a typical session, with the reason in a sentence.
 * Every tool is shown where that is cheap, or where the app loads tools only when it needs them itself; searching twice would
 * cost more than it saves.
 */
import { factsOfApp } from './client-app-facts.ts';
import { autoMode, readModeName } from '../config/mode-names.ts';
import { findMode } from './index.ts';
import type { Mode, ModeView } from './mode.ts';
import { type Costs, type ModeCosts, typicalUses } from './mode-costs.ts';

export interface ModeChoice {
  readonly mode: Mode;
  /** Why, for people; undefined where the person chose. */
  readonly reason: string | undefined;
}

export type ModeChooser = (view: ModeView) => ModeChoice;

/** Up to this share of the app's window a full list is no burden. */
const cheapShare = 0.02;

/** How to choose for a mode's name, as configured, and a client app. Throws AppError mode_unknown. */
export function modeChooser(name: string, app: string | undefined, costs: ModeCosts): ModeChooser {
  if (readModeName(name) === autoMode) return (view) => chooseMode(costs.of(view), app);
  const mode = findMode(name);
  return () => ({ mode, reason: undefined });
}

/**
 * Chooses by a setting that may change while a session is open. Throws AppError mode_unknown for what it says at first; a
 * mistake made later keeps the mode there was.
 */
export function followMode(name: () => string, app: string | undefined, costs: ModeCosts): ModeChooser {
  let current = name();
  let choose = modeChooser(current, app, costs);
  return (view) => {
    const wanted = name();
    if (wanted !== current && isMode(wanted)) choose = modeChooser(wanted, app, costs);
    current = wanted;
    return choose(view);
  };
}

export function isMode(name: string): boolean {
  return readModeName(name) !== undefined;
}

/** Throws AppError mode_unknown. */
export function requireMode(name: string): void {
  if (!isMode(name)) findMode(name);
}

export function chooseMode({ tools, all, best }: Costs, app: string | undefined): ModeChoice {
  const facts = factsOfApp(app);
  const proxy = findMode('proxy');
  const share = all / facts.window;
  if (facts.defersTools) {
    return { mode: proxy, reason: `${facts.name} loads tools when it needs them, so every one is shown.` };
  }
  if (share <= cheapShare) {
    const what = tools === 1 ? 'The only tool costs' : `All ${tools} tools cost`;
    return {
      mode: proxy,
      reason: `${what} about ${whole(all)} tokens, ${percent(share)} of the window of ${facts.name}.`,
    };
  }
  if (best.mode === proxy) {
    return { mode: proxy, reason: `No other mode costs less than listing every tool, about ${whole(all)} tokens.` };
  }
  const session = `a session of ${typicalUses} tool uses costs about ${whole(best.total)} tokens`;
  return {
    mode: best.mode,
    reason: `All ${tools} tools would cost about ${whole(all)} tokens; in mode ${best.mode.name} ${session}.`,
  };
}

function whole(tokens: number): string {
  return tokens.toLocaleString('en');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.001 ? 2 : 1)} %`;
}
