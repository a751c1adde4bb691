/** How packages of each kind are run: by which program, with which words, and which names they may have. A table. */
import type { JsonObject } from '../base/json.ts';
import { asText } from './read-input.ts';

export interface PackageKind {
  /** As people know it. */
  readonly title: string;
  /** The program that fetches and runs it. */
  readonly runner: string;
  /** What the publisher may call that program; another one is none that we know how to use. */
  readonly hints: readonly string[];
  readonly name: RegExp;
  /** The words up to the package's own arguments. `variables`: names that its process is to have. */
  readonly words: (one: NamedPackage) => readonly string[];
  /** It is a box of its own already. */
  readonly isOwnBox?: true;
}

interface NamedPackage {
  /** What the publisher gives the program. */
  readonly runtime: readonly string[];
  readonly name: string;
  /** undefined: none is written down. */
  readonly version: string | undefined;
  /** Where it is fetched from, where that is not the usual place. */
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
      // By name alone: values stay out of the command line.
      ...variables.flatMap((variable) => ['-e', variable]),
      // Publishers of today write the tag into the name.
      hasTag(name) || version === undefined ? name : `${name}:${version}`,
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

/** Where packages of a kind come from unless an entry says otherwise. */
const usualSources: Readonly<Record<string, RegExp>> = {
  npm: /^https:\/\/registry\.npmjs\.org\/?$/,
  pypi: /^https:\/\/pypi\.org(?:\/simple)?\/?$/,
  nuget: /^https:\/\/api\.nuget\.org(?:\/v3(?:\/index\.json)?)?\/?$/,
};

/** Another place that a package is fetched from; undefined: the usual one. Images have theirs in their name. */
export function otherSource(kind: string, raw: JsonObject): string | undefined {
  const source = asText(raw['registryBaseUrl']);
  const usual = Object.hasOwn(usualSources, kind) ? usualSources[kind] : undefined;
  return source === undefined || usual === undefined || usual.test(source) ? undefined : source;
}

/** `image:1.2` and `image@sha256:…`; a colon before a slash is a port. */
export function hasTag(image: string): boolean {
  return /[:@][^/]*$/.test(image);
}

/** Of `npx`, `uvx` and `dnx`: options with which they run something else than the package. */
const runsOther =
  /^(?:--$|(?:-p|--package|-c|--call|--from|--with(?:-\w+)*|--spec|--script|--index(?:-url)?|--source|--registry)(?:=|$))/;

/** Of `docker run`: options whose value is the next word. Behind any other one, a word is the image. */
const takesValue =
  /^(?:-[evpwuhlm]|--(?:env|env-file|volume|mount|publish|workdir|user|hostname|label|memory|cpus|name|network|net|entrypoint|platform|cap-add|cap-drop|device|security-opt|tmpfs|add-host|pid|ipc|uts|userns|volumes-from|shm-size|ulimit|gpus|runtime|pull|dns|group-add))$/;

/** A word before the package: what is fixed of it, empty where it begins with an answer. `isNamed`: an option with a value of its own. */
export interface RuntimeWord {
  readonly text: string;
  readonly isNamed: boolean;
}

/** Why the words for a runner cannot be used: with them it could run something else; undefined: they can. */
export function runtimeProblem(kind: PackageKind, words: readonly RuntimeWord[]): string | undefined {
  const other = words.find((word, at) => !isHarmless(kind, word, words[at - 1]));
  return other === undefined
    ? undefined
    : `Its entry gives ${kind.runner} the word ${JSON.stringify(other.text)}, which may run something else than the ${kind.title} it names.`;
}

function isHarmless(
  { isOwnBox }: PackageKind,
  { text, isNamed }: RuntimeWord,
  before: RuntimeWord | undefined,
): boolean {
  if (isOwnBox !== true) return text.startsWith('-') && !runsOther.test(text);
  if (text === 'run') return before === undefined;
  if (isNamed) return text.startsWith('--') || takesValue.test(text);
  const isValue = before !== undefined && !before.isNamed && takesValue.test(before.text);
  return isValue || (text.startsWith('-') && text !== '--');
}

/** Whether an option of a runner and its value are one word: two could be taken for an option and a package. */
export function isJoined(name: string): boolean {
  return name.startsWith('--') || !takesValue.test(name);
}

/** What opens a container to the machine. */
const opens =
  /^(?:-v|--volume|--mount|--privileged|--network|--net|--pid|--ipc|--uts|--userns|--cap-add|--device|--security-opt|--volumes-from|--env-file|--cgroupns|--runtime)(?:=|$)|^-v./;

/** Options of `docker run` that give the image more than a container usually has. */
export function openings({ isOwnBox }: PackageKind, words: readonly string[]): readonly string[] {
  return isOwnBox ? words.filter((word) => opens.test(word)) : [];
}
