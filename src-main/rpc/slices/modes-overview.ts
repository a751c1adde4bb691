/** The modes with what each costs for these servers, and what `auto` would choose and why. */
import type { Aggregator } from '../../core/aggregator.ts';
import { autoMode, chooseMode } from '../../core/modes/choose-mode.ts';
import { modes } from '../../core/modes/index.ts';
import type { Mode, ModeView } from '../../core/modes/mode.ts';
import { listCost, ModeCosts } from '../../core/modes/mode-costs.ts';
import type { ModeCard, ModesOverview } from '../contract.ts';

export function modesOverview(core: Aggregator): ModesOverview {
  const view = viewOf(core);
  const { mode: best, reason } = chooseMode(new ModeCosts().of(view), undefined);
  const auto: ModeCard = { ...card(best, view), name: autoMode, line: 'The best of the others for each app', reason };
  return { mode: configuredMode(core), modes: [auto, ...modes.map((mode) => card(mode, view))] };
}

/** The mode of an app that nothing is known of. */
export function modeInForce(core: Aggregator, view: ModeView): Mode {
  const name = configuredMode(core);
  return modes.find((mode) => mode.name === name) ?? chooseMode(new ModeCosts().of(view), undefined).mode;
}

export function viewOf({ catalog, descriptions, options }: Aggregator): ModeView {
  const { raw } = options.config.current;
  return { catalog: catalog.current, index: catalog.index, raw, descriptions };
}

function configuredMode({ options }: Aggregator): string {
  return options.mode ?? options.config.current.mode;
}

function card(mode: Mode, view: ModeView): ModeCard {
  const tools = mode.helpers.length + mode.listed(view).length;
  return { name: mode.name, line: mode.line, tools, tokens: listCost(mode, view), reason: undefined };
}
