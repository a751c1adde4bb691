/** Finds the command that the first word names, loads only that, and turns errors into one clear line and an exit code. */
import { AppError, errorText } from '../core/base/errors.ts';
import { commands } from './commands.ts';
import { usage } from './usage.ts';

/** Resolves to the exit code: 0 done, 1 failed, 2 used wrongly. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  const [word = '--help', ...rest] = argv;
  const command = commands.find(({ name, aliases }) => name === word || aliases?.includes(word));
  if (command === undefined) {
    process.stderr.write(`tooltray: there is no command ${JSON.stringify(word)}.\n\n${usage()}`);
    return 2;
  }
  try {
    const { run } = await command.load();
    return await run(rest);
  } catch (error) {
    process.stderr.write(`tooltray: ${errorText(error)}\n`);
    return error instanceof AppError && error.code === 'bad_request' ? 2 : 1;
  }
}
