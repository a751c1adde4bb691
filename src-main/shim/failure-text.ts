/** Sentences with path and advice for operating system errors, for a client app and its user. */
import { systemErrorText, systemFailure } from '../core/base/system-errors.ts';

/** Describes an error; a failed program start names the program. */
export function failureText(error: Error): string {
  const { code, syscall = '', path = '', address = path } = error as NodeJS.ErrnoException & { address?: string };
  if (syscall.startsWith('spawn')) return spawnText(path, code) ?? error.message;
  if (syscall !== 'connect') return systemErrorText(error) ?? error.message;
  // systemErrorText assumes network connections.
  const failure = systemFailure(Object.assign(new Error(error.message), { code }));
  return failure === undefined
    ? `Could not connect to Tooltray: ${error.message}.`
    : `Cannot connect to Tooltray at ${address}: ${failure.reason}. ${failure.fix}`;
}

function spawnText(program: string, code: string | undefined): string | undefined {
  if (code === 'ENOENT') return `the program ${program} does not exist`;
  if (code === 'EACCES' || code === 'EPERM') return `your user account is not allowed to run the program ${program}`;
  return undefined;
}

/** The error line of an ended process; operating system errors printed by Node.js become sentences. */
export function errorLineText(line: string): string {
  const [, code, syscall, path] = /^(?:\w*Error: )?(E[A-Z0-9]+): .*?, (\w+)(?: '(.*)')?$/.exec(line) ?? [];
  if (code === undefined) return line;
  return systemErrorText(Object.assign(new Error(line), { code, syscall, path })) ?? line;
}
