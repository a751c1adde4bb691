/**
 * `tooltray logs [NAME]`: prints the last lines of a server's log (its output and Tooltray's status messages), or of
 * Tooltray's own, and
 * follows it with `--follow`.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readLogTail } from '../../core/base/log-tail.ts';
import { serverLogFile } from '../../core/servers/transports/create-transport.ts';
import { cliPaths, openAnyConfig, serverNames, unknownServer } from '../cli-config.ts';
import { command, configFlag, jsonFlag, usageError } from '../command.ts';
import { plainText, printResult, printLines } from '../terminal.ts';

/** Bytes read from the end of a log; enough for the last lines. */
const tailBytes = 1024 * 1024;
const pollMs = 300;

export const logs = command({
  words: '[NAME]',
  flags: {
    lines: { value: 'N', from: 0, usual: 50, help: 'Number of lines from the end; 0 for all' },
    config: configFlag,
    follow: { short: 'f', help: 'Follow the log' },
    json: { ...jsonFlag, isInstead: true },
  },
  async run({ lines: wanted, follow, config, json }, [name]) {
    if (follow && json) throw usageError('--follow and --json are mutually exclusive');
    const file = await fileOf(name, config);
    const { lines: last, mark } = await readLogTail(file, tailBytes);
    const lines = last.slice(wanted === 0 ? Infinity : -wanted);
    const isEmpty = lines.length === 0 && !follow;
    printResult(json, { file, lines }, () => (isEmpty ? [`Log is empty: ${file}`] : lines.map(plainText)));
    if (follow) await followFile(file, mark);
    return 0;
  },
});

/** Rejects with AppError `server_not_found`. */
async function fileOf(name: string | undefined, config: string | undefined): Promise<string> {
  const { logDir } = cliPaths();
  if (name === undefined) return join(logDir, 'core.log');
  const names = serverNames(await openAnyConfig(config));
  if (!names.includes(name)) throw unknownServer(name, names);
  return serverLogFile(join(logDir, 'servers'), name);
}

/** Runs until the process ends. */
async function followFile(file: string, from: string): Promise<void> {
  for (let mark = from; ;) {
    await sleep(pollMs);
    const come = await readLogTail(file, tailBytes, mark);
    mark = come.mark;
    printLines(come.lines.map(plainText));
  }
}
