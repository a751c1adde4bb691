/** How packages of each kind are run: program, words, and valid names. A table. */
import type { JsonObject } from '../base/json.ts';
import { containerOptions, runnerOf, steeringOf } from '../trust/runner-words.ts';
import { optionalText } from './parse-input.ts';

export interface PackageKind {
  /** The display name. */
  readonly title: string;
  /** The program that fetches and runs it. */
  readonly runner: string;
  /** Names that publishers use for that program; other programs are unsupported. */
  readonly hints: readonly string[];
  readonly name: RegExp;
  /** The words before the package's own arguments. `variables`: names that its process should receive. */
  readonly words: (one: NamedPackage) => readonly string[];
  /** Whether it is already isolated. */
  readonly isOwnBox?: true;
}

interface NamedPackage {
  /** The publisher's arguments for the program. */
  readonly runtime: readonly string[];
  readonly name: string;
  /** Undefined if unspecified. */
  readonly version: string | undefined;
  /** The source it is fetched from, if not the default. */
  readonly source: string | undefined;
  readonly variables: readonly string[];
}

const without = (words: readonly string[], ...known: readonly string[]): readonly string[] =>
  words.filter((word) => !known.includes(word));

const joined = (name: string, version: string | undefined): string =>
  version === undefined ? name : `${name}@${version}`;

export const packageKinds: Readonly<Record<string, PackageKind>> = {
  npm: {
    title: 'npm package',
    runner: 'npx',
    hints: ['npx'],
    name: /^(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*$/i,
    words: ({ runtime, name, version, source }) => [
      ...without(runtime, '-y', '--yes'),
      '-y',
      ...(source === undefined ? [] : [`--registry=${source}`]),
      joined(name, version),
    ],
  },
  pypi: {
    title: 'Python package',
    runner: 'uvx',
    hints: ['uvx'],
    name: /^[a-z0-9][\w.-]*$/i,
    words: ({ runtime, name, version, source }) => [
      ...runtime,
      ...(source === undefined ? [] : [`--default-index=${source}`]),
      joined(name, version),
    ],
  },
  oci: {
    title: 'container image',
    runner: 'docker',
    hints: ['docker', 'podman'],
    name: /^[a-z0-9][\w.-]*(?::\d+)?(?:\/[a-z0-9][\w.-]*)*(?::[\w][\w.-]*)?(?:@sha256:[0-9a-f]{64})?$/i,
    isOwnBox: true,
    words: ({ runtime, name, version, variables }) => [
      ...['run', '-i', '--rm'],
      ...without(runtime, 'run', '-i', '--interactive', '--rm'),
      // By name only, so that values stay out of the command line.
      ...variables.flatMap((variable) => ['-e', variable]),
      // Current publishers write the tag into the name.
      hasImageTag(name) || version === undefined ? name : `${name}:${version}`,
    ],
  },
  nuget: {
    title: 'NuGet package',
    runner: 'dnx',
    hints: ['dnx'],
    name: /^[a-z0-9_][\w.-]*$/i,
    words: ({ runtime, name, version, source }) => [
      joined(name, version),
      ...without(runtime, '--yes', '-y'),
      '--yes',
      ...(source === undefined ? [] : ['--source', source]),
      '--',
    ],
  },
};

/** The default package sources by kind. */
const defaultSources: Readonly<Record<string, RegExp>> = {
  npm: /^https:\/\/registry\.npmjs\.org\/?$/,
  pypi: /^https:\/\/pypi\.org(?:\/simple)?\/?$/,
  nuget: /^https:\/\/api\.nuget\.org(?:\/v3(?:\/index\.json)?)?\/?$/,
};

/** A non-default source of the package; undefined: the default. Images have theirs in their name. */
export function customSource(kind: string, raw: JsonObject): string | undefined {
  const source = optionalText(raw['registryBaseUrl']);
  const usual = Object.hasOwn(defaultSources, kind) ? defaultSources[kind] : undefined;
  return source === undefined || usual === undefined || usual.test(source) ? undefined : source;
}

/** `image:1.2` and `image@sha256:…`; a colon before a slash precedes a port. */
export function hasImageTag(image: string): boolean {
  return /[:@][^/]*$/.test(image);
}

/** How an option of a runner is written: alone, or with a value that matches. */
type OptionRule = 'switch' | RegExp;

const any = /^/;
/** A Python version, not the path of a program. */
const pythonVersion =
  /^(?:(?:c?python|pypy|graalpy)?[@-]?)?(?:[<>=~!]=?)?\d+(?:\.\d+){0,2}(?:,?[<>=~!]=?\d+(?:\.\d+){0,2})*$/i;

/** Options that a publisher may pass to a runner. Any other could make it fetch or run something else. */
const allowed: Readonly<Record<string, Readonly<Record<string, OptionRule>>>> = {
  npx: {
    '-y': 'switch',
    '--yes': 'switch',
    '-q': 'switch',
    '--quiet': 'switch',
    '--silent': 'switch',
    '-s': 'switch',
    '--prefer-offline': 'switch',
    '--prefer-online': 'switch',
    '--offline': 'switch',
    '--no-audit': 'switch',
    '--no-fund': 'switch',
    '--no-update-notifier': 'switch',
    '--ignore-scripts': 'switch',
    '--loglevel': any,
    '--legacy-peer-deps': 'switch',
    '--no-install': 'switch',
  },
  uvx: {
    '--python': pythonVersion,
    '-p': pythonVersion,
    '-q': 'switch',
    '--quiet': 'switch',
    '-v': 'switch',
    '--verbose': 'switch',
    '--isolated': 'switch',
    '-n': 'switch',
    '--no-cache': 'switch',
    '--refresh': 'switch',
    '--offline': 'switch',
    '--no-progress': 'switch',
    '--managed-python': 'switch',
    '--no-config': 'switch',
    '--no-python-downloads': 'switch',
    '--native-tls': 'switch',
    '--prerelease': /^[a-z-]+$/,
    '--no-env-file': 'switch',
    '--upgrade': 'switch',
    '-U': 'switch',
  },
  dnx: {
    '-y': 'switch',
    '--yes': 'switch',
    '--prerelease': 'switch',
    '--no-http-cache': 'switch',
    '--disable-parallel': 'switch',
    '--verbosity': any,
    '-v': any,
    '--interactive': 'switch',
  },
  docker: {
    '-i': 'switch',
    '--interactive': 'switch',
    '--rm': 'switch',
    '--init': 'switch',
    '--read-only': 'switch',
    '-t': 'switch',
    '--tty': 'switch',
    '--privileged': 'switch',
    '-q': 'switch',
    '--quiet': 'switch',
    '-e': any,
    '--env': any,
    '-v': any,
    '--volume': any,
    '--mount': any,
    '--tmpfs': any,
    '-p': any,
    '--publish': any,
    '-w': any,
    '--workdir': any,
    '-u': any,
    '--user': any,
    '-l': any,
    '--label': any,
    '-m': any,
    '--memory': any,
    '--memory-swap': any,
    '--cpus': any,
    '--pids-limit': any,
    '--shm-size': any,
    '--ulimit': any,
    '--gpus': any,
    '--name': any,
    '-h': any,
    '--hostname': any,
    '--network': any,
    '--net': any,
    '--add-host': any,
    '--dns': any,
    '--platform': any,
    '--pull': /^(?:always|missing|never)$/,
    '--cap-add': any,
    '--cap-drop': any,
    '--device': any,
    '--security-opt': any,
    '--pid': any,
    '--ipc': any,
    '--uts': any,
    '--userns': any,
    '--cgroupns': any,
    '--restart': any,
    '--stop-timeout': any,
    '--log-driver': /^none$/,
    '--group-add': any,
  },
};

/** Represents the user's input in a word. */
export const answered = '\0';

/**
 * Why the words for a runner are refused, because it could run something else; undefined if permitted. `words`: as
 * passed.
 */
export function runtimeProblem(kind: PackageKind, words: readonly string[]): string | undefined {
  const word = refusedWord(kind, words);
  return word === undefined
    ? undefined
    : `Its entry gives ${kind.runner} the argument ${JSON.stringify(word.replaceAll(answered, '…'))}, which may run something other than the ${kind.title} it names.`;
}

function refusedWord({ runner, isOwnBox }: PackageKind, words: readonly string[]): string | undefined {
  const rules = allowed[runner] ?? {};
  const ruleOf = (name: string): OptionRule | undefined => (Object.hasOwn(rules, name) ? rules[name] : undefined);
  for (let at = isOwnBox === true && words[0] === 'run' ? 1 : 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const [, name = '', joined] = /^(--[a-z][a-z-]*)(?:=(.*))?$/s.exec(word) ?? /^(-[a-zA-Z])(.+)?$/s.exec(word) ?? [];
    const rule = ruleOf(name);
    if (rule === undefined) return word;
    if (rule === 'switch') {
      if (joined === undefined) continue;
      const areSwitches = !name.startsWith('--') && [...joined].every((letter) => ruleOf(`-${letter}`) === 'switch');
      if (areSwitches || (name.startsWith('--') && /^(?:true|false)$/.test(joined))) continue;
      return word;
    }
    // The next word is only a value if the runner treats it as one, too.
    const value = joined ?? words[++at];
    if (value === undefined || (joined === undefined && value.startsWith('-'))) return word;
    if (!value.includes(answered) && !rule.test(value)) return joined === undefined ? `${word} ${value}` : word;
  }
  return undefined;
}

/**
 * A named word of a runner with its value. A long option and its value are one word, because two could be taken for an
 * option and a package.
 */
export function joinedWord(name: string | undefined, value: string, isSwitch: boolean): readonly string[] {
  if (name === undefined) return [value];
  if (isSwitch) return [name];
  if (name.endsWith('=')) return [`${name}${value}`];
  return name.startsWith('--') ? [`${name}=${value}`] : [name, value];
}

/** Why a variable is refused, because the runner would fetch or run something else; undefined if permitted. */
export function variableProblem(kind: PackageKind, name: string, fixed: string | undefined): string | undefined {
  const runner = runnerOf(kind.runner);
  const steering = steeringOf(runner, name);
  if (steering === undefined || (steering === 'trust' && fixed === undefined)) return undefined;
  if (steering === 'source' && kind.isOwnBox !== true && fixed !== undefined && secureSource.test(fixed))
    return undefined;
  return steering === 'source' && fixed !== undefined
    ? 'It is downloaded without HTTPS.'
    : `Its entry sets the variable ${name}, which may make ${kind.runner} run something other than the ${kind.title} it names.`;
}

/** Returns the non-default source that a variable sets for the package. */
export function sourceVariable(kind: string, { runner }: PackageKind, name: string, fixed: string): string | undefined {
  const isSource = steeringOf(runnerOf(runner), name) === 'source';
  return isSource && defaultSources[kind]?.test(fixed) !== true ? fixed : undefined;
}

/** A registry address that is permitted. */
export const secureSource = /^https:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/;

/** Options that give an image additional privileges. */
const opens = new Set([
  ...['--volume', '--mount', '--privileged', '--network', '--net', '--pid', '--ipc', '--uts', '--userns', '--cap-add'],
  ...['--device', '--security-opt', '--volumes-from', '--env-file', '--cgroupns', '--runtime', '--publish', '--gpus'],
]);

/** Options of `docker run`, by their long names, that give the image additional privileges. */
export function privilegedOptions({ isOwnBox }: PackageKind, words: readonly string[]): readonly string[] {
  const options = isOwnBox === true ? containerOptions(words) : [];
  return options.flatMap(({ name, value }) => {
    if (!opens.has(name)) return [];
    return name === '--privileged' || value === undefined ? [name] : [`${name} ${value.replaceAll(answered, '…')}`];
  });
}
