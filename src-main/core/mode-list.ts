/** The modes there are, and all helper tools by name. What else a new one needs: CONTRIBUTING.md, _Add something_. */
import { AppError } from './base/errors.ts';
import { closestWord } from './base/wording.ts';
import { modeWords, readModeName } from './config/app-config.ts';
import type { CallerContext } from './calls/call-tool.ts';
import type { ReadHint } from './calls/shape-result.ts';
import { awaitResult, isCalledByName } from './modes/await-result.ts';
import { codeMode } from './modes/code.ts';
import { dispatchMode } from './compat/mini-a/dispatch.ts';
import { gatewayMode, metaMode } from './compat/toolmux/modes.ts';
import type { HelperTool, Mode, ModeView, OwnResource } from './modes/mode.ts';
import { instructionsResource, proxyMode } from './modes/proxy.ts';
import { nextLook, readResultTool, spillResource } from './modes/read-spill.ts';
import { retrieveMode } from './compat/mcpproxy/retrieve.ts';
import { upstreamServers } from './compat/mcpproxy/upstream-servers.ts';
import { searchMode, searchTools } from './modes/search.ts';
import { universalMode } from './compat/magg/universal.ts';
import { toolmuxAdminTools } from './compat/toolmux/admin-tools.ts';
import { catalogTools, getToolCount, getToolSchema, listAllTools } from './compat/toolmux/catalog-tools.ts';
import { invoke } from './compat/toolmux/invoke.ts';
import { codeExecution } from './compat/mcpproxy/code-execution.ts';

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
  ...toolmuxAdminTools,
  upstreamServers,
  codeExecution,
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

/** Resources of our own, readable in every mode. */
export const ownResources: readonly OwnResource[] = [
  ...modes.flatMap((mode) => mode.resources ?? []),
  instructionsResource,
  spillResource,
];

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
  if (isCalledByName(shown) && lists?.(name) === false) return undefined;
  return (id, examples) => {
    const { look, others } = nextLook(examples);
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
