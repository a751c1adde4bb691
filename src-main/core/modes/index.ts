/** The modes there are, and all helper tools by name. Adding a mode is one file and one line here. */
import { AppError } from '../base/errors.ts';
import type { HelperTool, Mode, ModeView } from './mode.ts';
import { proxyMode } from './proxy.ts';
import { searchMode } from './search.ts';

export const modes: readonly Mode[] = [proxyMode, searchMode];

export const helperTools: ReadonlyMap<string, HelperTool> = new Map(
  modes.flatMap((mode) => mode.helpers.map((helper) => [helper.definition.name, helper] as const)),
);

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
