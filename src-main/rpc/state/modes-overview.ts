/** The modes with their cost for the current servers, and what `auto` would choose and why. */
import type { CoreGroups } from '../../core/core-groups.ts';
import { maySpill } from '../../core/calls/shape-result.ts';
import { autoMode } from '../../core/config/mode-names.ts';
import { chooseMode } from '../../core/choose-mode.ts';
import type { Mode, ModeView } from '../../core/modes/mode.ts';
import { levelFor } from '../../core/modes/render-tools.ts';
import type { ModeCard, ModesOverview } from '../contract.ts';

export function modesOverview({ context, calls }: Pick<CoreGroups, 'context' | 'calls'>): ModesOverview {
  return { mode: configuredMode({ context }), modes: modeCards({ context, calls }, undefined) };
}

/** `app`: the name that it reports; undefined: an unknown app. */
export function modeCards(
  { context, calls }: Pick<CoreGroups, 'context' | 'calls'>,
  app: string | undefined,
): readonly ModeCard[] {
  const view = viewOf({ context, calls }, app);
  const { mode: best, reason } = chooseMode(calls.modeCosts.costsFor(view), app);
  const card = (mode: Mode): ModeCard => {
    const { name, line } = mode;
    return { name, line, ...calls.modeCosts.listCost(mode, view), reason: undefined };
  };
  const auto: ModeCard = { ...card(best), name: autoMode, line: 'Chooses the best mode for each app', reason };
  return [auto, ...calls.modes.modes.map(card)];
}

/** Mode of an unknown app. */
export function effectiveMode({ context, calls }: Pick<CoreGroups, 'context' | 'calls'>, view: ModeView): Mode {
  const name = configuredMode({ context });
  return (
    calls.modes.modes.find((mode) => mode.name === name) ?? chooseMode(calls.modeCosts.costsFor(view), undefined).mode
  );
}

/** Builds the same view as a session of this app, so that both share cached figures. */
export function viewOf(
  { calls: { catalog, descriptions }, context }: Pick<CoreGroups, 'calls' | 'context'>,
  app?: string,
): ModeView {
  const config = context.config.current;
  const level = levelFor(config, app);
  return {
    catalog: catalog.current,
    index: catalog.index,
    level,
    spills: maySpill(config.results),
    programs: config.code.enabled,
    descriptions,
  };
}

/** Mode of apps without their own. */
export function configuredMode({ context }: Pick<CoreGroups, 'context'>): string {
  return context.mode ?? context.config.current.mode;
}
