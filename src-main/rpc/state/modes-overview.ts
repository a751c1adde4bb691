/** The modes with what each costs for these servers, and what `auto` would choose and why. */
import type { Core } from '../../core/create-core.ts';
import { maySpill } from '../../core/calls/shape-result.ts';
import { autoMode } from '../../core/config/app-config.ts';
import { chooseMode } from '../../core/choose-mode.ts';
import type { Mode, ModeView } from '../../core/modes/mode.ts';
import { levelFor } from '../../core/modes/render-tools.ts';
import type { ModeCard, ModesOverview } from '../contract.ts';

export function modesOverview(core: Core): ModesOverview {
  return { mode: configuredMode(core), modes: modeCards(core, undefined) };
}

/** `app`: as it calls itself; undefined: one that nothing is known of. */
export function modeCards(core: Core, app: string | undefined): readonly ModeCard[] {
  const view = viewOf(core, app);
  const { mode: best, reason } = chooseMode(core.calls.modeCosts.costsFor(view), app);
  const card = (mode: Mode): ModeCard => {
    const { name, line } = mode;
    return { name, line, ...core.calls.modeCosts.listCost(mode, view), reason: undefined };
  };
  const auto: ModeCard = { ...card(best), name: autoMode, line: 'The best of the others for each app', reason };
  return [auto, ...core.calls.modes.modes.map(card)];
}

/** The mode of an app that nothing is known of. */
export function effectiveMode(core: Core, view: ModeView): Mode {
  const name = configuredMode(core);
  return (
    core.calls.modes.modes.find((mode) => mode.name === name) ??
    chooseMode(core.calls.modeCosts.costsFor(view), undefined).mode
  );
}

/** Builds the same view as a session of such an app, so that the two share cached figures. */
export function viewOf({ calls: { catalog, descriptions }, context: options }: Core, app?: string): ModeView {
  const config = options.config.current;
  const level = levelFor(config, app);
  return { catalog: catalog.current, index: catalog.index, level, spills: maySpill(config.results), descriptions };
}

/** The mode of apps that have none of their own. */
export function configuredMode({ context: options }: Core): string {
  return options.mode ?? options.config.current.mode;
}
