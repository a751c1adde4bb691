/** `tooltray registry`: searches registries, previews a server's launch, and adds it. */
import { maskObject } from '../../core/base/mask.ts';
import { commandLine } from '../../core/base/text-format.ts';
import type {
  RegistryInput,
  InstallOption,
  InstallPreviewDetails,
  RegistryRow,
  RegistrySelection,
} from '../../rpc/contract.ts';
import { command, commonFlags, type ParsedFlags, usageError } from '../command.ts';
import { type RegistryClient, withRegistries } from '../local-registry.ts';
import {
  confirm,
  notAppliedMessage,
  oneLine,
  paint,
  plainText,
  printResult,
  printLines,
  printProgress,
  readSecret,
  table,
} from '../terminal.ts';

const flags = {
  registry: { value: 'R', help: 'Registry to use (default: first in list)' },
  limit: { value: 'N', from: 1, to: 100, usual: 30, help: 'search: maximum results' },
  cursor: { value: 'CURSOR', help: 'search: cursor of the next page' },
  version: { value: 'V', help: 'show, add: version (default latest)' },
  option: { value: 'ID', help: 'add: package or remote option from "show" (default: first supported)' },
  name: { value: 'NAME', help: 'add: name for the server' },
  set: { value: 'NAME=VALUE', many: true, help: 'add: input value (repeatable); secrets are stored in the vault' },
  noTest: { help: 'add: skip the test and add for review' },
  dryRun: { help: 'add: show the command without adding' },
  yes: { help: 'add: skip confirmation' },
  ...commonFlags,
} as const;

type RegistryFlags = ParsedFlags<typeof flags>;

export const registry = command({
  actions: {
    list: { help: 'List registries (default)' },
    search: { words: '[WORD]', help: 'Search servers by name' },
    show: { words: 'SERVER', help: 'Show publisher, packages and inputs of a server' },
    add: { words: 'SERVER', help: 'Test a server and add it if it works' },
  },
  usual: 'list',
  flags,
  notes: [
    'The official registry is built in. Add others in the config: "registries": [{ "name": "work", "url": "https://…" }].',
    '"url" can also be a local file. Missing required secrets are prompted for, or read from stdin.',
  ],
  async run(given, [word = ''], action) {
    return withRegistries(given.config, async (ask) => {
      if (action === 'list') return list(ask, given);
      if (action === 'search') return search(ask, word, given);
      return action === 'show' ? show(ask, word, given) : add(ask, word, given);
    });
  },
});

async function list(ask: RegistryClient, { json }: RegistryFlags): Promise<number> {
  const { registries } = await ask('registries', {});
  const rows = registries.map(({ name, url }) => [name, oneLine(url)]);
  printResult(json, { registries }, () => table(['NAME', 'URL'], rows));
  return 0;
}

async function search(
  ask: RegistryClient,
  query: string,
  { json, limit, cursor, ...given }: RegistryFlags,
): Promise<number> {
  const page = await ask('registrySearch', {
    ...inRegistry(given),
    ...(cursor !== undefined && { cursor }),
    query,
    limit,
  });
  printResult(json, page, () => [
    ...(page.servers.length === 0
      ? [`No servers match ${JSON.stringify(query)} in ${page.registry}.`]
      : table(['SERVER', 'VERSION', 'DESCRIPTION'], page.servers.map(toCells))),
    ...(page.unreadable === 0 ? [] : [paint('unsure', `Skipped ${page.unreadable} invalid entries.`)]),
    ...(page.next === undefined ? [] : ['', `There are more: add --cursor ${oneLine(page.next)}`]),
  ]);
  return 0;
}

function toCells({ name, version, status, title, description }: RegistryRow): string[] {
  const marked = status === 'active' ? '' : `(${status}) `;
  return [oneLine(name), oneLine(version), oneLine(`${marked}${description === '' ? title : description}`)];
}

async function show(ask: RegistryClient, name: string, given: RegistryFlags): Promise<number> {
  const found = await ask('registryServer', { ...inRegistry(given), ...inVersion(given), server: name });
  printResult(given.json, found, () => [
    ...aboutServer(found.server, found.registry),
    ...found.server.options.flatMap(aboutOption),
  ]);
  return 0;
}

function aboutServer(server: RegistryRow, registry: string): string[] {
  const { name, version, title, description, publisher, repository, website, status, statusMessage, publishedAt } =
    server;
  const facts = [
    ['Registry', registry],
    ['Publisher', publisher],
    ['Source', repository === '' ? 'not specified' : repository],
    ['Website', website],
    ['Published', publishedAt.slice(0, 10)],
  ].filter(([, value]) => value !== '');
  return [
    paint('head', oneLine(`${name} ${version}`)),
    ...(title === '' ? [] : [oneLine(title)]),
    ...(description === '' ? [] : [oneLine(description)]),
    ...(status === 'active' ? [] : [paint('bad', oneLine(`Status: ${status}. ${statusMessage}`))]),
    ...facts.map(([word = '', value = '']) => `${`${word}:`.padEnd(11)}${oneLine(value)}`),
  ];
}

function aboutOption({ id, title, target, inputs, notes, refusal }: InstallOption): string[] {
  return [
    '',
    `${paint('head', id)}  ${oneLine(`${title} ${target}`)}`,
    ...(refusal === undefined ? [] : [`  ${paint('bad', oneLine(refusal))}`]),
    ...notes.map((note) => `  ${paint('unsure', oneLine(note))}`),
    ...inputs.map((input) => `  input ${aboutInput(input)}`),
  ];
}

function aboutInput({ label, isRequired, isSecret, choices, default: usual, description }: RegistryInput): string {
  const words = [isRequired ? 'required' : 'optional', ...(isSecret ? ['secret'] : [])];
  const more = [
    ...(choices.length > 0 ? [`one of ${choices.join(', ')}`] : []),
    ...(usual === '' ? [] : [`default ${usual}`]),
  ];
  return oneLine(`${label} (${[...words, ...more].join(', ')})${description === '' ? '' : `: ${description}`}`);
}

async function add(ask: RegistryClient, name: string, given: RegistryFlags): Promise<number> {
  const { json, dryRun, noTest, yes } = given;
  const found = await ask('registryServer', { ...inRegistry(given), ...inVersion(given), server: name });
  const option = chosenOption(found.server, given.option);
  const inputs = await inputsFor(option, given.set);
  const wish: RegistrySelection = {
    registry: found.registry,
    server: found.server.name,
    version: found.server.version,
    option: option.id,
    inputs,
  };
  const own = given.name ?? found.name;
  const preview = await ask('registryPreview', wish);
  const { problems } = preview;
  if (problems.length > 0)
    throw usageError(`${problems.map(({ sentence }) => sentence).join(' ')} ${howToSet(problems)}`);
  if (!json) printLines([...aboutServer(found.server, found.registry), '', ...aboutLaunch(option, preview)]);
  const data = { name: own, wish: maskObject(wish), preview, added: false };
  const question = noTest ? `Add it as ${own}, in review?` : `Start it once, and save it as ${own} if it works?`;
  const agreed = dryRun ? undefined : await confirm(question, yes);
  if (agreed !== true) {
    printResult(json, data, () => (dryRun ? [] : [notAppliedMessage(agreed)]));
    return dryRun ? 0 : 1;
  }
  if (!noTest) printProgress('Testing; the first start may download the package…');
  const adding = await ask('registryAdd', { ...wish, name: own, untested: noTest });
  printResult(json, { ...data, ...adding, added: adding.kind === 'added' }, () =>
    adding.kind === 'failed'
      ? [
          paint('bad', oneLine(adding.trial.sentence)),
          ...adding.trial.stderr.map((line) => `  | ${plainText(line)}`),
          'It was not added. To add it all the same, in review: --no-test',
        ]
      : [adding.trial?.sentence ?? `It waits for your review: tooltray inbox show ${own}`, `Added as ${oneLine(own)}.`],
  );
  return adding.kind === 'failed' ? 1 : 0;
}

/** Describes the command to run, word by word. */
function aboutLaunch(option: InstallOption, { words, variables, headers, meanings }: InstallPreviewDetails): string[] {
  return [
    words.length === 1 ? 'URL:' : 'Command:',
    `  ${commandLine(words)}`,
    ...[...variables, ...headers].map(({ name, value }) => `  ${oneLine(name)}=${oneLine(value)}`),
    ...meanings.map(({ text, isGrave }) => paint(isGrave ? 'unsure' : 'quiet', oneLine(text))),
    ...option.notes.map((note) => paint('unsure', oneLine(note))),
  ];
}

/** Throws AppError `bad_request`. */
function chosenOption({ name, options }: RegistryRow, way: string | undefined): InstallOption {
  const option =
    way === undefined
      ? (options.find(({ refusal }) => refusal === undefined) ?? options[0])
      : options.find(({ id }) => id === way);
  if (option !== undefined) return option;
  const known = options.map(({ id }) => id).join(', ');
  throw usageError(known === '' ? `${name} has no package or remote` : `${name} supports --option: ${known}`);
}

async function inputsFor({ inputs }: InstallOption, given: readonly string[]): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const pair of given) {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    const input = inputs.find(({ id, label }) => id === name || label === name);
    if (input === undefined) throw usageError(`Unknown input ${JSON.stringify(name)}`);
    values[input.id] = input.isRepeated && values[input.id] !== undefined ? `${values[input.id]}\n${value}` : value;
  }
  const missing = inputs.filter(({ id, isRequired, isSecret }) => isRequired && isSecret && values[id] === undefined);
  // Only one value is read from stdin, because several could not be told apart.
  if (missing.length > 1 && !process.stdin.isTTY) return values;
  for (const { id, label } of missing) values[id] = await readSecret(`${oneLine(label)}:`);
  return values;
}

function howToSet(problems: InstallPreviewDetails['problems']): string {
  return `Set with: ${problems.map(({ label }) => `--set ${JSON.stringify(`${label}=…`)}`).join(' ')}`;
}

function inRegistry({ registry: name }: Pick<RegistryFlags, 'registry'>): { registry?: string } {
  return name === undefined ? {} : { registry: name };
}

function inVersion({ version }: RegistryFlags): { version?: string } {
  return version === undefined ? {} : { version };
}
