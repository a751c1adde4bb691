/** The registry of modes and helper tools. The core only knows what is registered here, not who registers it. */
import type { HelperKind } from '../activity/ledger/ledger-entry.ts';
import { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { closestMatch } from '../base/text-format.ts';
import type { CallerContext } from '../calls/call-tool.ts';
import type { ReadHint } from '../calls/shape-result.ts';
import { modeValues, parseModeName } from '../config/mode-names.ts';
import { searchAndCodeMode } from './auto-mode.ts';
import { awaitResult, isCalledByName } from './await-result-tool.ts';
import { codeMode } from './code-mode.ts';
import type { HelperTool, Mode, ModeView, OwnResource } from './mode.ts';
import { instructionsResource, proxyMode } from './proxy-mode.ts';
import { readResourceTool } from './read-resource.ts';
import { readSkillTool } from './read-skill.ts';
import { suggestNextRead, readResultTool, spillResource } from './read-spill.ts';
import { searchMode } from './search-mode.ts';

/** Registrations of one folder: its modes, and helper tools that none of them lists. */
export interface ModeSet {
  readonly modes: readonly Mode[];
  /** Tools that can be called in every mode and that no mode lists by default. */
  readonly tools?: readonly HelperTool[];
  /** Resources that can be read in every mode. */
  readonly resources?: readonly OwnResource[];
}

const ownModes: ModeSet = {
  modes: [proxyMode, searchMode, codeMode],
  tools: [readResultTool, readResourceTool, readSkillTool, awaitResult],
  resources: [instructionsResource, spillResource],
};

export class ModeRegistry {
  readonly modes: readonly Mode[];
  /** All helper tools by name; each can be called in every mode. */
  readonly helpers: ReadonlyMap<string, HelperTool>;
  /** Helper tools that a model's programs may call as functions, or by `call_tool`. */
  readonly programTools: ReadonlyMap<string, HelperTool>;
  readonly resources: readonly OwnResource[];

  /** `sets` are registered after Tooltray's own modes. */
  constructor(sets: readonly ModeSet[] = []) {
    const all = [ownModes, ...sets];
    this.modes = all.flatMap(({ modes }) => modes);
    const tools = [...this.modes.flatMap(({ helpers }) => helpers), ...all.flatMap((set) => set.tools ?? [])];
    this.helpers = byName(tools);
    this.programTools = byName(tools.filter((tool) => tool.inPrograms === true));
    this.resources = [
      ...this.modes.flatMap((mode) => mode.resources ?? []),
      ...all.flatMap((set) => set.resources ?? []),
    ];
  }

  /** The mode of that name, ignoring case. Throws AppError `mode_unknown`. */
  find(name: string): Mode {
    const wanted = parseModeName(name);
    const mode = this.modes.find((one) => one.name === wanted);
    if (mode === undefined) throw unknownMode(name);
    return mode;
  }

  /** A helper tool that depends on the catalog, of any mode. */
  findDynamic(name: string, view: ModeView): HelperTool | undefined {
    for (const mode of this.modes) {
      const found = mode.find?.(name, view);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Returns the purpose of a helper tool's use; undefined for any other name. */
  readonly kindOf = (tool: string, input: JsonObject): HelperKind | undefined => {
    const kind = this.helpers.get(tool)?.kind;
    return typeof kind === 'function' ? kind(input) : kind;
  };

  /**
   * How a model reads more of a spill, by a listed tool: one that leads to `read_result`, or that itself. Undefined if
   * neither is listed.
   */
  readonly readHint = ({ mode, lists }: Pick<CallerContext, 'mode' | 'lists'>): ReadHint | undefined => {
    const shown = [searchAndCodeMode, ...this.modes].find(({ name }) => name === mode) ?? proxyMode;
    const { name } = readResultTool.definition;
    if (isCalledByName(shown) && lists?.(name) === false) return undefined;
    return (id, examples) => {
      const { look, others } = suggestNextRead(examples);
      return [`Read on: ${shown.callLine(name, { resultFile: id, ...look })}`, others];
    };
  };
}

function byName(tools: readonly HelperTool[]): ReadonlyMap<string, HelperTool> {
  return new Map(tools.map((tool) => [tool.definition.name, tool] as const));
}

export function isMode(name: string): boolean {
  return parseModeName(name) !== undefined;
}

/** Throws AppError `mode_unknown`. */
export function requireMode(name: string): void {
  if (!isMode(name)) throw unknownMode(name);
}

function unknownMode(name: string): AppError {
  const meant = closestMatch(name, modeValues);
  return new AppError('mode_unknown', `Unknown mode ${JSON.stringify(name)}.`, {
    fix: `${meant === undefined ? '' : `Did you mean "${meant}"? `}Modes: ${modeValues.join(', ')}.`,
  });
}
