/** The modes there are, and all helper tools by name. Adding a mode is one file and one line here. */
import { AppError } from '../base/errors.ts';
import { codeMode, codeTools } from './code.ts';
import { dispatchMode, resultTools } from './dispatch.ts';
import { gatewayMode } from './gateway.ts';
import { maggHelpers } from './magg/magg-helpers.ts';
import { metaMode } from './meta.ts';
import type { HelperTool, Mode, ModeView } from './mode.ts';
import type { OwnResource } from './own-resource.ts';
import { proxyMode } from './proxy.ts';
import { retrieveAdminTools, retrieveMode } from './retrieve.ts';
import { searchMode } from './search.ts';
import { universalMode } from './universal.ts';
import { toolmuxAdminTools } from './toolmux/admin-tools.ts';

export const modes: readonly Mode[] = [
  proxyMode,
  gatewayMode,
  metaMode,
  searchMode,
  codeMode,
  dispatchMode,
  universalMode,
  retrieveMode,
];

/** Callable in every mode, listed by none of its own accord. */
const unlisted: readonly HelperTool[] = [
  ...maggHelpers,
  ...toolmuxAdminTools,
  ...resultTools,
  ...retrieveAdminTools,
  ...codeTools,
];

export const helperTools: ReadonlyMap<string, HelperTool> = new Map(
  [...modes.flatMap((mode) => mode.helpers), ...unlisted].map((helper) => [helper.definition.name, helper] as const),
);

/** Resources of our own, readable in every mode. */
export const ownResources: readonly OwnResource[] = modes.flatMap((mode) => mode.resources ?? []);

/** Throws AppError mode_unknown. */
export function findMode(name: string): Mode {
  const mode = modes.find((one) => one.name === name);
  if (mode !== undefined) return mode;
  throw new AppError('mode_unknown', `There is no mode ${JSON.stringify(name)}.`, {
    fix: `Modes: ${modes.map((one) => one.name).join(', ')}.`,
  });
}

/** A helper tool that depends on the catalog, of whatever mode. */
export function findDynamicHelper(name: string, view: ModeView): HelperTool | undefined {
  for (const mode of modes) {
    const found = mode.find?.(name, view);
    if (found !== undefined) return found;
  }
  return undefined;
}
