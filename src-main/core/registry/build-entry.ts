/** Creates a config entry from an install option of a registry server and the user's inputs. Pure. */
import { defaultSandbox } from '../admin/default-sandbox.ts';
import { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { RegistryOrigin } from '../config/server-config.ts';
import { joinedWord, runtimeProblem } from './package-kinds.ts';
import type { TemplatePart, RegistryInput } from './parse-input.ts';
import type { LaunchPlan, NamedValue, PlannedArgument, ParsedOption } from './parse-option.ts';

/** Values by input id; the default applies if absent. Several values of one input are on separate lines. */
export type InputValues = Readonly<Record<string, string>>;

/** A missing or invalid input. */
export interface InputProblem {
  /** The input. */
  readonly id: string;
  readonly label: string;
  readonly sentence: string;
}

/** Returns the text that replaces a secret value in an entry. */
type SecretOf = (input: RegistryInput, value: string) => string;

const maxInputLength = 10_000;

/** Returns missing or invalid inputs; empty if an entry can be made. */
export function validateInputs({ inputs }: ParsedOption, values: InputValues): readonly InputProblem[] {
  return inputs.flatMap((input) => {
    const sentence = problemOf(input, valueOf(input, values));
    return sentence === undefined ? [] : [{ id: input.id, label: input.label, sentence }];
  });
}

function problemOf(input: RegistryInput, value: string): string | undefined {
  const { isRequired, choices, format } = input;
  if (value === '') return isRequired ? `${input.label} is required.` : undefined;
  if (value.length > maxInputLength) return `${input.label} is longer than ${maxInputLength} characters.`;
  if (choices.length > 0 && !choices.includes(value)) return `${input.label} is one of: ${choices.join(', ')}.`;
  if (format === 'number' && !linesOf(input, value).every((line) => Number.isFinite(Number(line)))) {
    return `${input.label} is a number.`;
  }
  return format === 'boolean' && !/^(?:true|false)$/.test(value) ? `${input.label} is true or false.` : undefined;
}

/** The values of its secret inputs. */
export function secretInputValues(
  { inputs }: ParsedOption,
  values: InputValues,
): readonly { input: RegistryInput; value: string }[] {
  return inputs.flatMap((input) => {
    const value = input.isSecret ? valueOf(input, values) : '';
    return value === '' ? [] : [{ input, value }];
  });
}

/**
 * Sandboxed if it is a command that does not bring its own sandbox. The inputs must be valid. Throws AppError
 * `bad_request` for an input that would make the runner run something else.
 */
export function buildEntry(
  { inputs, plan }: ParsedOption & { readonly plan: LaunchPlan },
  inputValues: InputValues,
  registry: RegistryOrigin,
  secretOf: SecretOf,
): JsonObject {
  const byId = new Map(inputs.map((input) => [input.id, input]));
  const values = (pieces: readonly TemplatePart[]): readonly string[] => fill(pieces, byId, inputValues, secretOf);
  if (plan.way === 'address') {
    const headers = named(plan.headers, values);
    return {
      ...(plan.isSse && { type: 'sse' }),
      url: values(plan.url)[0] ?? '',
      ...(Object.keys(headers).length > 0 && { headers }),
      registry,
    };
  }
  const { command, kind, name, version, source } = plan;
  const env = named(plan.env, values);
  const runtime = plan.runtime.flatMap((word) => wordsOf(word, values, true));
  const problem = runtimeProblem(kind, runtime);
  if (problem !== undefined) throw new AppError('bad_request', problem, { fix: 'Enter another value.' });
  const args = plan.args.flatMap((word) => wordsOf(word, values, false));
  return {
    command,
    args: [...kind.words({ runtime, name, version, source, variables: Object.keys(env) }), ...args],
    ...(Object.keys(env).length > 0 && { env }),
    // A container is already isolated, and in a sandbox the runner could not reach the container engine.
    isolation: kind.isOwnBox ? { mode: 'none' } : defaultSandbox,
    registry,
  };
}

type Values = (pieces: readonly TemplatePart[]) => readonly string[];

function wordsOf({ name, pieces, isSwitch }: PlannedArgument, values: Values, isRuntime: boolean): readonly string[] {
  return values(pieces).flatMap((value) => {
    if (isSwitch && value !== 'true') return [];
    if (isRuntime) return joinedWord(name, value, isSwitch === true);
    if (name === undefined) return [value];
    if (isSwitch) return [name];
    return name.endsWith('=') ? [`${name}${value}`] : [name, value];
  });
}

function named(list: readonly NamedValue[], values: Values): Record<string, string> {
  return Object.fromEntries(list.flatMap(({ name, pieces }) => values(pieces).map((value) => [name, value] as const)));
}

/** One text, or several for a single repeated input; none if an input is empty. */
function fill(
  pieces: readonly TemplatePart[],
  inputs: ReadonlyMap<string, RegistryInput>,
  values: InputValues,
  secretOf: SecretOf,
): readonly string[] {
  const [only] = pieces;
  const repeated = pieces.length === 1 && typeof only === 'object' ? inputs.get(only.input) : undefined;
  if (repeated?.isRepeated) {
    return linesOf(repeated, valueOf(repeated, values)).map((line) => inputValue(repeated, line, secretOf));
  }
  const texts = pieces.map((piece) => {
    if (typeof piece === 'string') return piece;
    const input = inputs.get(piece.input);
    const value = input === undefined ? '' : valueOf(input, values);
    return input === undefined || value === '' ? undefined : inputValue(input, value, secretOf);
  });
  return texts.includes(undefined) ? [] : [texts.join('')];
}

function inputValue(input: RegistryInput, value: string, secretOf: SecretOf): string {
  return input.isSecret ? secretOf(input, value) : value;
}

function valueOf({ id, default: usual }: RegistryInput, values: InputValues): string {
  return Object.hasOwn(values, id) ? (values[id] ?? '') : usual;
}

function linesOf({ isRepeated }: RegistryInput, value: string): readonly string[] {
  return isRepeated ? value.split('\n').filter((line) => line.trim() !== '') : [value];
}
