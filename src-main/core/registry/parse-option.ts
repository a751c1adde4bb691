/** One way to run or reach a server of a registry: its inputs, and the plan to create a config entry from them. */
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import { truncateText, markInvisible } from '../base/visible-text.ts';
import { isExactVersion } from '../trust/pins/launch-fingerprint.ts';
import {
  answered,
  hasImageTag,
  joinedWord,
  privilegedOptions,
  customSource,
  type PackageKind,
  packageKinds,
  runtimeProblem,
  secureSource,
  sourceVariable,
  variableProblem,
} from './package-kinds.ts';
import { optionalText, type TemplatePart, parseTemplate, parseValue, type RegistryInput } from './parse-input.ts';

/** An install option, as shown to users. */
export interface InstallOption {
  /** Its position in the server: `package-0`, `remote-1`. */
  readonly id: string;
  /** npm package, address on the network … */
  readonly title: string;
  /** The package with its version, or the address. */
  readonly target: string;
  readonly inputs: readonly RegistryInput[];
  /** Notes for the user before choosing it, one sentence each. */
  readonly notes: readonly string[];
  /** Why it cannot be added here; absent if it can. */
  readonly refusal?: string;
}

export interface ParsedOption extends InstallOption {
  /** Absent if refused. */
  readonly plan?: LaunchPlan;
}

/** One value or, if it is repeated, several; nothing if the value is empty. */
export interface PlannedArgument {
  /** The option before it: `--port`. */
  readonly name?: string;
  readonly pieces: readonly TemplatePart[];
  /** Whether the option is a switch without a value. */
  readonly isSwitch?: true;
}

export interface NamedValue {
  readonly name: string;
  readonly pieces: readonly TemplatePart[];
}

export type LaunchPlan =
  | {
      readonly way: 'command';
      readonly command: string;
      readonly kind: PackageKind;
      readonly name: string;
      readonly version: string | undefined;
      readonly source: string | undefined;
      readonly runtime: readonly PlannedArgument[];
      readonly args: readonly PlannedArgument[];
      readonly env: readonly NamedValue[];
    }
  | {
      readonly way: 'address';
      readonly isSse: boolean;
      readonly url: readonly TemplatePart[];
      readonly headers: readonly NamedValue[];
    };

const maxInputs = 100;

/** Parses an item of `packages`. */
export function parsePackage(raw: JsonObject, index: number): ParsedOption {
  const type = optionalText(raw['registryType']) ?? '';
  const kind = Object.hasOwn(packageKinds, type) ? packageKinds[type] : undefined;
  const [name, version] = [optionalText(raw['identifier']) ?? '', optionalText(raw['version'])];
  const shown = {
    id: `package-${index}`,
    title: kind?.title ?? (type === 'mcpb' ? 'MCP bundle' : `${short(type) || 'unknown'} package`),
    target: short(version === undefined || hasImageTag(name) ? name : `${name} ${version}`, 300),
  };
  if (kind === undefined) return refused(shown, unknownKind(type));
  const command = optionalText(raw['runtimeHint']) || kind.runner;
  const source = customSource(type, raw);
  const runtime = readArguments(raw['runtimeArguments'], 'run', 'runner argument');
  const args = readArguments(raw['packageArguments'], 'arg', 'argument');
  const env = readNamed(raw['environmentVariables'], 'env', 'variable');
  const before = runtime.words.flatMap(writtenWord);
  const inputs = [...env.inputs, ...args.inputs, ...runtime.inputs];
  const problem =
    packageProblem(kind, { command, name, version, source, raw }) ??
    (env.values.every((one) => /^[A-Za-z_]\w*$/.test(one.name)) ? undefined : 'It has an invalid variable name.') ??
    runtimeProblem(kind, before) ??
    env.values
      .map((one) => variableProblem(kind, one.name, fixedValue(one, env.inputs)))
      .find((found) => found !== undefined) ??
    fixedProblem([...runtime.words, ...args.words, ...env.values], inputs);
  if (problem !== undefined) return refused(shown, problem);
  const plan = { way: 'command', command, kind, name, version, source } as const;
  return {
    ...shown,
    inputs,
    notes: [
      ...packageNotes(kind, { name, version, source }, before),
      ...env.values.flatMap((one) => {
        const other = sourceVariable(type, kind, one.name, fixedValue(one, env.inputs) ?? '');
        return other === undefined ? [] : [fetchedFrom(other)];
      }),
    ],
    plan: { ...plan, runtime: runtime.words, args: args.words, env: env.values },
  };
}

/** Parses an item of `remotes`. */
export function parseRemote(raw: JsonObject, index: number): ParsedOption {
  const [type, url] = [optionalText(raw['type']) ?? '', optionalText(raw['url']) ?? ''];
  const shown = { id: `remote-${index}`, title: 'address on the network', target: short(url, 300) };
  if (type !== 'streamable-http' && type !== 'sse') {
    return refused(shown, `It is reached by "${short(type)}", which is not an MCP transport.`);
  }
  const place = { id: 'url', label: 'Address', where: 'address' } as const;
  const address = parseTemplate(url, objectOrEmpty(raw['variables']), place, false);
  const headers = readNamed(raw['headers'], 'header', 'header');
  const inputs = [...address.inputs, ...headers.inputs];
  const areHeaders = headers.values.every((one) => /^[!#$%&'*+.^_`|~\w-]+$/.test(one.name));
  const problem = areHeaders
    ? fixedProblem([{ pieces: address.pieces }, ...headers.values], inputs)
    : 'It has an invalid header.';
  if (problem !== undefined) return refused(shown, problem);
  const isOpen = /^http:\/\/(?!localhost[:/]|127\.)/i.test(url);
  return {
    ...shown,
    inputs,
    notes: isOpen ? ['Its URL does not use HTTPS, so others on the network can read the traffic.'] : [],
    plan: { way: 'address', isSse: type === 'sse', url: address.pieces, headers: headers.values },
  };
}

function refused(shown: Pick<InstallOption, 'id' | 'title' | 'target'>, refusal: string): ParsedOption {
  return { ...shown, inputs: [], notes: [], refusal };
}

interface Package {
  readonly name: string;
  readonly version: string | undefined;
  readonly source: string | undefined;
}

/** Why a package cannot be run here; undefined if it can. */
function packageProblem(
  { title, hints, name: names }: PackageKind,
  { command, name, version, source, raw }: Package & { readonly command: string; readonly raw: JsonObject },
): string | undefined {
  if (!hints.includes(command)) {
    return `Its entry wants "${short(command)}" to run it; here each ${title} is run by ${hints.join(' or ')}.`;
  }
  if (!names.test(name)) return `Its identifier is not a valid ${title}.`;
  if (version !== undefined && !/^\w[\w.+!-]*$/.test(version)) return 'Its version is not an exact version.';
  if (source !== undefined && !secureSource.test(source)) {
    return 'It is downloaded without HTTPS.';
  }
  const transport = optionalText(objectOrEmpty(raw['transport'])['type']) ?? 'stdio';
  return transport === 'stdio' ? undefined : 'It has both a command and a URL; Tooltray supports only one of them.';
}

function packageNotes(kind: PackageKind, { name, version, source }: Package, before: readonly string[]): string[] {
  const isDigest = /@sha256:/.test(name);
  const floats = kind.isOwnBox ? !isDigest : version === undefined || !isExactVersion(version);
  const why = kind.isOwnBox
    ? 'Its tag can be moved to another image; only a digest is fixed.'
    : 'No exact version is set: each start may download another one.';
  return [
    ...(floats ? [why] : []),
    ...(source === undefined ? [] : [fetchedFrom(source)]),
    ...privilegedOptions(kind, before).map(
      (word) => `It requests more than a container usually has: ${markInvisible(word)}.`,
    ),
  ];
}

function fetchedFrom(source: string): string {
  return `It is fetched from ${markInvisible(source)}, not from the default source.`;
}

/** Returns the argument for the runner, with a marker for the user's input. */
function writtenWord({ name, pieces, isSwitch }: PlannedArgument): readonly string[] {
  const value = pieces.map((piece) => (typeof piece === 'string' ? piece : answered)).join('');
  return joinedWord(name, value, isSwitch === true);
}

/** Returns the publisher's fixed or default value of a variable; undefined if the user provides it. */
function fixedValue({ pieces }: NamedValue, inputs: readonly RegistryInput[]): string | undefined {
  const texts = pieces.map((piece) => {
    if (typeof piece === 'string') return piece;
    const input = inputs.find(({ id }) => id === piece.input);
    return input === undefined || input.default !== '' ? (input?.default ?? '') : (input.choices[0] ?? '');
  });
  return texts.join('') === '' ? undefined : texts.join('');
}

interface ReadWords {
  readonly words: readonly PlannedArgument[];
  readonly inputs: readonly RegistryInput[];
}

function readArguments(value: unknown, prefix: string, where: RegistryInput['where']): ReadWords {
  const read = list(value).map((raw, at) => readArgument(raw, `${prefix}-${at}`, where, `Argument ${at + 1}`));
  return { words: read.flatMap(({ words }) => words), inputs: read.flatMap(({ inputs }) => inputs) };
}

const asks = ['value', 'default', 'choices', 'placeholder', 'format', 'isRequired', 'isSecret', 'description'];

function readArgument(raw: JsonObject, id: string, where: RegistryInput['where'], usual: string): ReadWords {
  const name = raw['type'] === 'named' ? optionalText(raw['name']) : undefined;
  // Without any value, the word itself is the argument.
  if (name !== undefined && asks.every((key) => raw[key] === undefined))
    return { words: [{ pieces: [name] }], inputs: [] };
  const { pieces, inputs } = parseValue(raw, { id, label: name ?? optionalText(raw['valueHint']) ?? usual, where });
  const isSwitch = name !== undefined && raw['format'] === 'boolean';
  return { words: [{ ...(name !== undefined && { name }), pieces, ...(isSwitch && { isSwitch }) }], inputs };
}

function readNamed(
  value: unknown,
  prefix: string,
  where: RegistryInput['where'],
): { readonly values: readonly NamedValue[]; readonly inputs: readonly RegistryInput[] } {
  const read = list(value).map((raw) => {
    const name = optionalText(raw['name']) ?? '';
    return { name, ...parseValue({ ...raw, isRepeated: false }, { id: `${prefix}-${name}`, label: name, where }) };
  });
  return {
    values: read.map(({ name, pieces }) => ({ name, pieces })),
    inputs: read.flatMap(({ inputs }) => inputs),
  };
}

/**
 * Why the publisher's own words are refused. They must not refer to anything of the user:
 * `${env:AWS_SECRET_ACCESS_KEY}` in a header would send that away. Nor may they contain the beginning of such a
 * reference, which an input could complete.
 */
function fixedProblem(
  values: readonly { readonly name?: string; readonly pieces: readonly TemplatePart[] }[],
  inputs: readonly RegistryInput[],
): string | undefined {
  const texts = [
    ...values.flatMap(({ name = '', pieces }) => [name, ...pieces.filter((piece) => typeof piece === 'string')]),
    ...inputs.flatMap(({ default: usual, choices }) => [usual, ...choices]),
  ];
  if (inputs.length > maxInputs) return `It requires more than ${maxInputs} values.`;
  if (texts.some((text) => /\$(?:\{|$)/.test(text))) return 'Its entry refers to your variables or secrets with "$".';
  return texts.some((text) => markInvisible(text) !== text) ? 'Its entry contains invisible characters.' : undefined;
}

function unknownKind(type: string): string {
  return type === 'mcpb'
    ? 'Tooltray does not unpack bundles. Install it in an app that does, then import it: Servers, Add, From your apps.'
    : 'Tooltray cannot run packages of this type.';
}

function short(text: string, length: number = 60): string {
  return markInvisible(truncateText(text, length));
}

function list(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? (value as unknown[]).filter(isObject) : [];
}
