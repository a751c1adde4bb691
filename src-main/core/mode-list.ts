/** The modes there are, and all helper tools by name. What else a new one needs: CONTRIBUTING.md, _Add something_. */
import { AppError } from './base/errors.ts';
import { closestWord } from './base/wording.ts';
import { modeWords, readModeName } from './config/app-config.ts';
import type { CallerContext } from './calls/call-tool.ts';
import type { ReadHint } from './calls/shape-result.ts';
import { awaitResult, isCalledByName } from './modes/await-result.ts';
import { codeMode } from './modes/code.ts';
import { dispatchMode, resultTools } from './compat/mini-a/dispatch.ts';
import { gatewayMode, metaMode } from './compat/toolmux/modes.ts';
import { maggHelpers } from './compat/magg/magg-helpers.ts';
import type { HelperTool, Mode, ModeView, OwnPrompt, OwnResource } from './modes/mode.ts';
import { instructionsResource, proxyMode } from './modes/proxy.ts';
import { nextLook, readResultTool, spillResource } from './modes/read-spill.ts';
import { retrieveAdminTools, retrieveMode } from './compat/mcpproxy/retrieve.ts';
import { searchMode, searchTools } from './modes/search.ts';
import { universalMode } from './compat/magg/universal.ts';
import { toolmuxAdminTools } from './compat/toolmux/admin-tools.ts';
import { catalogTools, getToolCount, getToolSchema, listAllTools } from './compat/toolmux/catalog-tools.ts';
import { invoke } from './compat/toolmux/invoke.ts';
import { codeExecution } from './compat/mcpproxy/code-execution.ts';
import { setProfile } from './compat/mcpproxy/set-profile.ts';

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
  codeExecution,
  setProfile,
  readResultTool,
  awaitResult,
];

export const helperTools: ReadonlyMap<string, HelperTool> = new Map(
  [...modes.flatMap((mode) => mode.helpers), ...unlisted].map((helper) => [helper.definition.name, helper] as const),
);

/** ToolMux's helper tools, which programs of its models call as functions, or by `call_tool`. */
export const programTools: ReadonlyMap<string, HelperTool> = new Map(
  [listAllTools, getToolCount, catalogTools, getToolSchema, searchTools, invoke, ...toolmuxAdminTools].map(
    (helper) => [helper.definition.name, helper] as const,
  ),
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
export const ownResources: readonly OwnResource[] = [
  ...modes.flatMap((mode) => mode.resources ?? []),
  instructionsResource,
  spillResource,
];

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

/**
 * How a model reads on in an answer on disk, by a tool that its session is shown: the mode's own, one that leads to `read_result`, or
 * that itself. undefined where there is none. Plainly in a mode there is not: the command line's, an endpoint's.
 */
export function readHint({ mode, lists }: Pick<CallerContext, 'mode' | 'lists'>): ReadHint | undefined {
  const shown = modes.find(({ name }) => name === mode) ?? proxyMode;
  const { name } = readResultTool.definition;
  if (shown.readLine !== undefined) return (id, example) => [`Read on: ${shown.readLine?.(id, example)}`];
  if (isCalledByName(shown) && lists?.(name) === false) return undefined;
  return (id, example) => {
    const { look, others } = nextLook(example);
    return [`Read on: ${shown.callLine(name, { resultFile: id, ...look })}`, others];
  };
}

/** A helper tool that depends on the catalog, of whatever mode. */
export function findDynamicHelper(name: string, view: ModeView): HelperTool | undefined {
  for (const mode of modes) {
    const found = mode.find?.(name, view);
    if (found !== undefined) return found;
  }
  return undefined;
}
