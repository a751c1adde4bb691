/** Describes the consequences of a config entry or setting: the access a server gains, in sentences for the user. */
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, objectOrEmpty } from '../../base/json.ts';
import { isSecretName } from '../../base/mask.ts';
import { truncateText, markInvisible } from '../../base/visible-text.ts';
import { fieldOfKey } from '../../config/dialects/read-entry.ts';
import { secretNamesIn } from '../../config/replace-variables.ts';
import type { Isolation } from '../../config/server-config.ts';
import { unpinnedPackage, packagePlace, programName } from '../pins/launch-fingerprint.ts';
import {
  containerOptions,
  inlineProgram,
  mixesScripts,
  type Runner,
  runnerOf,
  steeringOf,
  steeringWords,
  waysOut,
} from '../runner-words.ts';
import type { Consequence } from './inbox-item.ts';
import { isolationOfEntry, describeIsolation } from './describe-isolation.ts';

/**
 * Consequences gained by `after` compared with `before`, most severe first; undefined `before`: a new entry. Looks
 * nothing up and never rejects.
 */
export function entryConsequences(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): readonly Consequence[] {
  if (after === undefined) return [];
  const isOnAnyway = before !== undefined && (isOn(before) || !isOn(after));
  const known = new Set(isOnAnyway ? reachOf(before).map(({ text }) => text) : []);
  const reach = reachOf(after).filter(({ text }) => !known.has(text));
  const given = [...leavesBox(before, after), ...becomesShared(before, after), ...secretConsequences(before, after)];
  return mostSevereFirst([...given, ...reach, ...toolsBack(before, after)]);
}

function becomesShared(before: JsonObject | undefined, after: JsonObject): readonly Consequence[] {
  if (before?.['placement'] !== 'per-user' || after['placement'] === 'per-user') return [];
  return [grave('All users then share one process instead of having one each.')];
}

/** Secrets of the vault that a server would newly receive, or receive as another program or at another address. */
export function secretConsequences(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): readonly Consequence[] {
  if (after === undefined || isDeepStrictEqual(launchOf(before ?? {}), launchOf(after))) return [];
  const { command, url } = launchOf(after);
  const where =
    typeof command !== 'string' && typeof url === 'string'
      ? `which is sent to ${shownWord(hostOf(url))}`
      : `which ${shownWord(typeof command === 'string' ? programName(command) : 'it')} can read and forward`;
  return secretNamesIn(after).map((name) => grave(`It receives the secret ${shownWord(name)}, ${where}.`));
}

/** Returns the entry without members that only affect Tooltray. */
function launchOf(entry: JsonObject): JsonObject {
  const fields = Object.entries(entry).map(([key, value]) => [fieldOfKey(key), value] as const);
  return Object.fromEntries(fields.filter(([field]) => reaching.has(field)));
}

const reaching: ReadonlySet<string> = new Set([
  'command',
  'args',
  'env',
  'cwd',
  'url',
  'headers',
  'transport',
  'type',
  'oauth',
  'source',
]);

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** Consequences of a guarded setting; empty if its line is self-explanatory. */
export function settingConsequences(key: string, value: unknown): readonly Consequence[] {
  return Object.hasOwn(settingWords, key) ? (settingWords[key]?.(value) ?? []) : [];
}

export function mostSevereFirst(meanings: readonly Consequence[]): readonly Consequence[] {
  const once = new Map(meanings.map((meaning) => [meaning.text, meaning]));
  return [...once.values()].toSorted((one, other) => Number(other.isGrave) - Number(one.isGrave));
}

const settingWords: Readonly<Record<string, (value: unknown) => readonly Consequence[]>> = {
  trustEdits: () => [grave('Any program on this computer can then add servers here without your approval.')],
  policy: (value) =>
    objectOrEmpty(value)['agentChanges'] === 'allow'
      ? [grave('Models can then change servers without your approval.')]
      : [plain('Models can then request more changes from you.')],
  heal: () => [
    grave('The command of a server can then be replaced with one from another app’s config, without your approval.'),
  ],
  isolateCommands: () => [grave('Commands meant for a container are then started without one.')],
  reviews: () => [grave('Changed server texts can then reach models before you have reviewed them.')],
  dataFlow: () => [grave('Data can then be sent with fewer approvals.')],
  code: () => [plain('Models can then run programs in a sandbox.')],
  'results.folders': (value) => textsOf(value).flatMap(reachOfPath),
};

// Determines what an entry can access.

function isOn({ enabled, disabled, quarantined }: JsonObject): boolean {
  return enabled !== false && disabled !== true && quarantined !== true;
}

function reachOf(entry: JsonObject): readonly Consequence[] {
  const fields = ourNames(entry);
  const { url } = Object.fromEntries(fields);
  const { command, args, env } = withoutEnvCommand(Object.fromEntries(fields));
  const box = isolationOfEntry(fields);
  const given = [...secretsIn(fields.get('env')), ...secretsIn(fields.get('headers'))];
  const folders = textsOf(fields.get('folders')).flatMap(reachOfPath);
  return [
    ...(typeof command === 'string' ? ofCommand(command, textsOf(args), box) : []),
    ...(typeof command !== 'string' && typeof url === 'string' ? ofAddress(url) : []),
    ...folders,
    ...(given.length === 0 ? [] : [plain(`Receives ${joinNames(given)}.`)]),
    ...inherited(fields.get('inheritEnv')),
    ...takenOver(command, env),
  ];
}

/** `env NAME=value npx x` starts npx with a further variable. */
function withoutEnvCommand({ command, args, env }: JsonObject): JsonObject {
  const words = textsOf(args);
  const at = words.findIndex((word) => !/^(?:-i?|--|--ignore-environment)$|^\w+=/.test(word));
  if (typeof command !== 'string' || programName(command) !== 'env' || (words[at] ?? '-').startsWith('-'))
    return { command, args, env };
  const added = words.slice(0, at).flatMap((word) => {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(word) ?? [];
    return name === undefined ? [] : [[name, value] as const];
  });
  return {
    command: words[at],
    args: words.slice(at + 1),
    env: { ...objectOrEmpty(env), ...Object.fromEntries(added) },
  };
}

const raising = /^(?:sudo|doas|pkexec|runas|gsudo)$/;

function ofCommand(command: string, args: readonly string[], box: Isolation | undefined): readonly Consequence[] {
  const words = [command, ...args];
  const program = programName(command);
  const floats = unpinnedPackage(command, args);
  const runner = runnerOf(command);
  const inline = inlineProgram(words);
  const ofContainer = box === undefined ? (runner === 'container' ? args : []) : box.extraArgs;
  const outside = waysOut(ofContainer);
  const named = box === undefined ? args : [...(box.write ?? args), ...box.read, ...box.extraArgs];
  const paths = [...named.flatMap(pathsIn), ...mountedBy(ofContainer)];
  return [
    plain(
      runner === 'container'
        ? `Starts a container with ${shownWord(program)}.`
        : `Starts ${shownWord(program)} on this computer${box === undefined ? ', with your permissions' : ''}.`,
    ),
    ...(words.some((word) => raising.test(programName(word))) ? [grave('Requests administrator permissions.')] : []),
    ...(inline === undefined ? [] : [grave(inlineText(words, inline))]),
    ...(outside.length === 0
      ? []
      : [grave(`Its container can access your whole computer: ${joinNames(outside.map(shownWord))}.`)]),
    ...(runner === undefined ? [] : ofRunner(runner, program, args)),
    ...(box === undefined ? [] : describeIsolation(box).map(plain)),
    ...paths.flatMap(reachOfPath),
    ...(floats === undefined
      ? []
      : [
          plain(
            `Fetches the newest ${shownWord(floats)} at each start, so later starts may run different code. Once it has run, "tooltray pin" locks its version.`,
          ),
        ]),
  ];
}

const shells = /^(?:sh|bash|zsh|dash|fish|ksh|ash|cmd|powershell|pwsh)$/;

function inlineText(words: readonly string[], option: string): string {
  return words.some((word) => shells.test(programName(word)))
    ? 'Runs a shell command, which can do anything that you can.'
    : `Runs a program from its arguments (${shownWord(option)}), which can do anything that you can.`;
}

function ofRunner(runner: Runner, program: string, args: readonly string[]): readonly Consequence[] {
  const at = packagePlace(program, args);
  const name = args[at] ?? '';
  const steering = [...steeringWords(runner, args.slice(0, at)), ...(name.includes('@npm:') ? [name] : [])];
  return [
    ...(steering.length === 0
      ? []
      : [
          grave(
            `${joinNames(steering.map(shownWord))} can make ${shownWord(program)} fetch or run something other than what it names.`,
          ),
        ]),
    ...(mixesScripts(name)
      ? [grave(`${shownWord(name)} mixes letters of several scripts: it may imitate the name of another package.`)]
      : []),
  ];
}

/** Folders of this computer that a container can access, whatever the spelling of the option. */
function mountedBy(args: readonly string[]): readonly string[] {
  return containerOptions(args).flatMap(({ name, value = '' }) =>
    name === '--volume' || name === '--mount' ? pathsIn(value) : [],
  );
}

function ofAddress(written: string): readonly Consequence[] {
  if (!URL.canParse(written)) return [plain(`The arguments of its tools are sent to ${shownWord(written)}.`)];
  const { protocol, hostname, host } = new URL(written);
  const isOwn = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
  const where = isOwn ? `a program on this computer, at ${host}` : host;
  return [
    plain(`The arguments of its tools are sent to ${shownWord(where)}.`),
    ...(protocol === 'http:' && !isOwn
      ? [grave('They are sent unencrypted: others on the network can read them.')]
      : []),
  ];
}

/** Paths that an argument may contain: `/`, `--root=/`, `/:/host:ro`. */
function pathsIn(arg: string): readonly string[] {
  const value = /^--?[\w-]+=(.*)$/s.exec(arg)?.[1] ?? arg;
  const mounted = /^(?:type=\w+,)?(?:source|src)=([^,]+)/.exec(value)?.[1] ?? /^([/~][^:]*):[/\w]/.exec(value)?.[1];
  return [mounted ?? value];
}

const homes =
  /^(?:~|\$HOME|\$\{(?:env:)?HOME\}|%USERPROFILE%|\/home\/[^/]+|\/Users\/[^/]+|\/root|[A-Z]:\\Users\\[^\\]+)$/i;
const disks = /^(?:\/|[A-Z]:[\\/]?)$/i;
const keysIn = /[\\/]\.(?:ssh|aws|gnupg|kube|docker|config[\\/]gcloud|password-store)(?:[\\/]|$)/;
/** Matches paths; `hasEnding` excludes those with an extension, often a program or its settings. */
const isFolder = /^(?:[/~]|\$\{?(?:env:)?HOME|[A-Z]:\\)[^\n]*$/i;
const hasEnding = /\.[A-Za-z][\w]{0,5}$/;

function reachOfPath(written: string): readonly Consequence[] {
  const path = written.length > 1 ? written.replace(/(?<!:)[\\/]+$/, '') : written;
  if (disks.test(path)) return [grave('Gains access to your whole disk.')];
  if (homes.test(path)) return [grave('Gains access to your whole home folder, including keys and passwords in it.')];
  if (keysIn.test(path)) return [grave(`Gains access to keys: ${shownWord(path)}.`)];
  return isFolder.test(path) && !hasEnding.test(path) ? [plain(`Gains access to ${shownWord(path)}.`)] : [];
}

function takenOver(command: unknown, env: unknown): readonly Consequence[] {
  const runner = typeof command === 'string' ? runnerOf(command) : undefined;
  const names = Object.keys(objectOrEmpty(env)).filter((name) => {
    const steering = steeringOf(runner, name);
    // Proxies and certificates are needed to reach anything at all in many networks.
    return steering !== undefined && steering !== 'trust';
  });
  return names.length === 0 ? [] : [grave(`${joinNames(names.map(shownWord))} can make it run different code.`)];
}

function inherited(value: unknown): readonly Consequence[] {
  if (value === 'all') return [grave('Receives all your environment variables, including keys.')];
  const names = textsOf(value).map(shownWord);
  return names.length === 0 ? [] : [plain(`Receives ${joinNames(names)} from your environment.`)];
}

/** Names of members that look like a secret, or refer to one outside the entry. */
function secretsIn(value: unknown): readonly string[] {
  return Object.entries(objectOrEmpty(value)).flatMap(([name, item]) =>
    isSecretName(name) || (typeof item === 'string' && item.includes('${')) ? [shownWord(name)] : [],
  );
}

function leavesBox(before: JsonObject | undefined, after: JsonObject): readonly Consequence[] {
  const [was, is] = [before ?? {}, after].map((entry) => isolationOfEntry(ourNames(entry)));
  if (was === undefined || is !== undefined || after['command'] === undefined) return [];
  return [grave('Leaves its sandbox: it then has your permissions.')];
}

function ourNames(entry: JsonObject): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(entry).map(([key, value]) => [fieldOfKey(key), value]));
}

/** Tools that become callable. */
function toolsBack(before: JsonObject | undefined, after: JsonObject): readonly Consequence[] {
  if (before === undefined) return [];
  const off = (entry: JsonObject): readonly string[] =>
    Object.entries(entry).flatMap(([key, value]) => (fieldOfKey(key) === 'disabledTools' ? textsOf(value) : []));
  const still = new Set(off(after));
  const back = off(before).filter((tool) => !still.has(tool));
  return back.length === 0 ? [] : [plain(`Models can call ${joinNames(back.map(shownWord))}, which you had disabled.`)];
}

function plain(text: string): Consequence {
  return { text, isGrave: false };
}

function grave(text: string): Consequence {
  return { text, isGrave: true };
}

function textsOf(value: unknown): readonly string[] {
  if (isObject(value) || !Array.isArray(value)) return [];
  return value.map(String);
}

/** `a, b and 3 more`. */
export function joinNames(names: readonly string[], most = 4): string {
  const shown = names.slice(0, most);
  const left = names.length - shown.length;
  if (left > 0) return `${shown.join(', ')} and ${left} more`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1) ?? ''}`;
}

function shownWord(text: string): string {
  return truncateText(markInvisible(text), 200);
}
