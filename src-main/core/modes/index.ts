/** The modes there are, and all helper tools by name. Adding a mode is one file and one line here. */
import { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { closestWord } from '../config/closest-word.ts';
import { modeWords, readModeName } from '../config/mode-names.ts';
import { awaitResult } from './await-result.ts';
import { codeMode, codeTools } from './code.ts';
import { dispatchMode, resultTools } from './dispatch.ts';
import { gatewayMode } from './gateway.ts';
import { maggHelpers } from './magg/magg-helpers.ts';
import { metaMode } from './meta.ts';
import type { HelperTool, Mode, ModeView } from './mode.ts';
import type { OwnPrompt } from './own-prompt.ts';
import type { OwnResource } from './own-resource.ts';
import { proxyMode } from './proxy.ts';
import { readResultTool } from './results/read-result-tool.ts';
import { spillResource } from './results/spill-resource.ts';
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
  readResultTool,
  awaitResult,
];

export const helperTools: ReadonlyMap<string, HelperTool> = new Map(
  [...modes.flatMap((mode) => mode.helpers), ...unlisted].map((helper) => [helper.definition.name, helper] as const),
);

/** Magg's variable MAGG_SELF_PREFIX: what its tools are called in place of `magg`. Any other word is none of its rule. */
const selfPrefix = /^[A-Za-z][A-Za-z0-9]*$/;

/** The helper tools where Magg's are called by another prefix: `hub_status` for `magg_status`. */
export function helpersNamed(prefix: string | undefined): ReadonlyMap<string, HelperTool> {
  if (prefix === undefined || !selfPrefix.test(prefix)) return helperTools;
  const named = (helper: HelperTool): HelperTool => {
    const name = helper.definition.name.replace(/^magg_/, `${prefix}_`);
    return { ...helper, definition: { ...helper.definition, name } };
  };
  const all = [...helperTools.values()].map((helper) => (maggHelpers.includes(helper) ? named(helper) : helper));
  return new Map(all.map((helper) => [helper.definition.name, helper] as const));
}

/** Resources of our own, readable in every mode. */
export const ownResources: readonly OwnResource[] = [...modes.flatMap((mode) => mode.resources ?? []), spillResource];

/** Prompts of our own, to be had in every mode. */
export const ownPrompts: readonly OwnPrompt[] = modes.flatMap((mode) => mode.prompts ?? []);

/** In any case of letters. Throws AppError mode_unknown. */
export function findMode(name: string): Mode {
  const wanted = readModeName(name);
  const mode = modes.find((one) => one.name === wanted);
  if (mode !== undefined) return mode;
  const meant = closestWord(name, modeWords);
  throw new AppError('mode_unknown', `There is no mode ${JSON.stringify(name)}.`, {
    fix: `${meant === undefined ? '' : `Did you mean "${meant}"? `}Modes: ${modeWords.join(', ')}.`,
  });
}

/** How a tool is called in a mode, as a model writes it; plainly in one there is not: the command line's, an endpoint's. */
export function callLine(mode: string, tool: string, args: JsonObject): string {
  const shown = modes.find(({ name }) => name === mode) ?? proxyMode;
  return shown.callLine(tool, args);
}

/** A helper tool that depends on the catalog, of whatever mode. */
export function findDynamicHelper(name: string, view: ModeView): HelperTool | undefined {
  for (const mode of modes) {
    const found = mode.find?.(name, view);
    if (found !== undefined) return found;
  }
  return undefined;
}
