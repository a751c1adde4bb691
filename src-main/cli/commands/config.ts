/** `tooltray config`: validates the config file with the location of each problem, prints its path, and edits it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { AppError } from '../../core/base/errors.ts';
import { maskValues } from '../../core/base/mask.ts';
import { formatCount } from '../../core/base/text-format.ts';
import type { ConfigProblem } from '../../core/config/app-config.ts';
import { readConfigText } from '../../core/config/update-config-file.ts';
import { wholeFileProblem } from '../../host/open-config.ts';
import { checkConfig, openAnyConfig, serverNames, unknownServer } from '../cli-config.ts';
import { command, commonFlags, configFlag } from '../command.ts';
import { paint, plainText, printResult } from '../terminal.ts';

export const validateConfig = command({
  words: '[NAME]',
  flags: commonFlags,
  notes: ['Exits with 1 if the config has errors.'],
  run: ({ config, json }, [name]) => printProblems(config, name, json),
});

/** Resolves to the exit code. Rejects with AppError `not_found` for an unknown server. */
async function printProblems(config: string | undefined, name: string | undefined, json: boolean): Promise<number> {
  const store = await openAnyConfig(config);
  const isReadable = wholeFileProblem(store) === undefined;
  if (name !== undefined && isReadable && !serverNames(store).includes(name))
    throw unknownServer(name, serverNames(store));
  const { servers, problems } = await check(store.path, store.problems, isReadable ? name : undefined);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  printResult(json, { ok: errors === 0, file: store.path, servers, problems }, () => [
    ...problems.map(problemLine),
    summary(store.path, servers.length, errors, problems.length - errors),
  ]);
  return errors === 0 ? 0 : 1;
}

export const configPath = command({
  flags: commonFlags,
  async run({ config, json }) {
    const { path } = await openAnyConfig(config);
    printResult(json, { path }, () => [path]);
    return 0;
  },
});

export const editConfig = command({
  flags: { config: configFlag },
  notes: ['Uses $VISUAL, then $EDITOR. What the edit newly starts, reaches, or allows waits in the inbox.'],
  async run({ config }) {
    const { path } = await openAnyConfig(config);
    const editor = process.env['VISUAL'] ?? process.env['EDITOR'];
    if (editor === undefined || editor === '')
      throw new AppError('bad_request', 'No editor is set.', { fix: `Set EDITOR, or open ${path}.` });
    const [program = '', ...words] = editor.split(' ');
    const child = spawn(program, [...words, path], { stdio: 'inherit' });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) return 1;
    return printProblems(path, undefined, false);
  },
});

/** `file:line:column severity: reason. Suggestion.`, which editors and terminals turn into a link. */
function problemLine({ file, line, column, severity, path, reason, suggestion = '' }: ConfigProblem): string {
  // The path is not masked, although it may end in API_TOKEN: the reason follows, not a value.
  const why = maskValues(`${reason} ${suggestion}`.trimEnd());
  const what = path === '' ? why : `${path}: ${why}`;
  return `${file}:${line}:${column} ${paint(severity === 'error' ? 'bad' : 'unsure', severity)}: ${plainText(what)}`;
}

async function check(file: string, known: readonly ConfigProblem[], name: string | undefined) {
  const text = await readConfigText(file).catch(() => undefined);
  if (text === undefined) return { servers: [], problems: known };
  const found = await checkConfig(text, file, name);
  return { ...found, servers: found.servers.map((server) => server.name) };
}

function summary(file: string, servers: number, errors: number, warnings: number): string {
  const counts = [formatCount(servers, 'server'), formatCount(errors, 'error'), formatCount(warnings, 'warning')].join(
    ', ',
  );
  return `${file}: ${errors === 0 ? paint('good', 'valid') : paint('bad', 'invalid')} (${counts})`;
}
