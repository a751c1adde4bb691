/** `tooltray logs [NAME]`: the last lines that a server wrote on stderr, or of our own log, and on with what comes. */
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../core/base/errors.ts';
import { serverLogFile } from '../core/servers/transports/transport-factory.ts';
import { cliPaths, openAnyConfig } from './open-cli-config.ts';
import { plainText } from './plain-text.ts';
import { printJson, printLines } from './print.ts';
import { commonFlags, readFlags, wrongUse } from './read-flags.ts';
import { serverNames, unknownServer } from './unknown-server.ts';

const usualLines = 50;
/** Read at once, in bytes: the last lines of a log are in there, or it has lines that nobody reads. */
const tailBytes = 1024 * 1024;
const pollMs = 300;

export async function run(args: readonly string[], form: string): Promise<number> {
  const flags = { ...commonFlags, lines: { type: 'string' }, follow: { type: 'boolean', short: 'f' } } as const;
  const { values, positionals } = readFlags(args, flags, [0, 1], form);
  const wanted = Number(values.lines ?? usualLines);
  if (!Number.isInteger(wanted) || wanted < 0) throw wrongUse('--lines takes a whole number', form);
  const follow = values.follow === true;
  if (follow && values.json === true) throw wrongUse('--follow and --json exclude each other', form);
  const file = await fileOf(positionals[0], values.config);
  const { text, end } = await readFrom(file, -tailBytes);
  const lines = linesOf(text).slice(wanted === 0 ? Infinity : -wanted);
  if (values.json === true) printJson({ file, lines });
  else
    printLines(
      lines.length === 0 && !follow ? [`Nothing was written yet. It would stand in ${file}.`] : lines.map(plainText),
    );
  if (follow) await followFile(file, end);
  return 0;
}

/** Rejects with AppError server_not_found. */
async function fileOf(name: string | undefined, config: string | undefined): Promise<string> {
  const { logDir } = cliPaths();
  if (name === undefined) return join(logDir, 'core.log');
  const names = serverNames(await openAnyConfig(config));
  if (!names.includes(name)) throw unknownServer(name, names);
  return serverLogFile(join(logDir, 'servers'), name);
}

/** Until the process is ended. A file that is another one or shorter than before was begun anew. */
async function followFile(file: string, from: number): Promise<void> {
  let [at, rest] = [from, ''];
  for (;;) {
    await sleep(pollMs);
    const { text, end } = await readFrom(file, at);
    at = end;
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    printLines(parts.map(plainText));
  }
}

/** From `offset` on, counted from the end where it is negative. Rejects with AppError for what is no log to be read. */
async function readFrom(file: string, offset: number): Promise<{ readonly text: string; readonly end: number }> {
  try {
    await using handle = await open(file);
    const { size } = await handle.stat();
    const start = offset < 0 ? Math.max(0, size + offset) : offset <= size ? offset : 0;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
    return { text: buffer.toString('utf8', 0, bytesRead), end: start + bytesRead };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return { text: '', end: 0 };
    throw new AppError('internal', `The log ${basename(file)} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
