/** `tooltray logs [NAME]`: the last lines that a server wrote on stderr, or of our own log, and on with what comes. */
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../core/base/errors.ts';
import { serverLogFile } from '../../core/servers/transports/create-transport.ts';
import { cliPaths, openAnyConfig, serverNames, unknownServer } from '../cli-config.ts';
import { command, configFlag, jsonFlag, wrongUse } from '../command.ts';
import { plainText, printAnswer, printLines } from '../terminal.ts';

/** Read at once, in bytes: the last lines of a log are in there, or it has lines that nobody reads. */
const tailBytes = 1024 * 1024;
const pollMs = 300;

export const logs = command({
  words: '[NAME]',
  flags: {
    lines: { value: 'N', from: 0, usual: 50, help: 'the last N lines' },
    config: configFlag,
    follow: { short: 'f', help: 'go on with what comes' },
    json: { ...jsonFlag, isInstead: true },
  },
  async run({ lines: wanted, follow, config, json }, [name]) {
    if (follow && json) throw wrongUse('--follow and --json exclude each other');
    const file = await fileOf(name, config);
    const { text, end } = await readFrom(file, -tailBytes);
    const lines = linesOf(text).slice(wanted === 0 ? Infinity : -wanted);
    const isEmpty = lines.length === 0 && !follow;
    printAnswer(json, { file, lines }, () =>
      isEmpty ? [`Nothing was written yet. It would stand in ${file}.`] : lines.map(plainText),
    );
    if (follow) await followFile(file, end);
    return 0;
  },
});

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
