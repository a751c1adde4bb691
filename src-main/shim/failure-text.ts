/** Sentences with path and advice about failures of the operating system, for a client app and its user. */
import { systemErrorText, systemFailure } from '../core/base/system-errors.ts';

/** Describes an error; a failed start of a program names the program. */
export function failureText(error: Error): string {
  const { code, syscall = '', path = '', address = path } = error as NodeJS.ErrnoException & { address?: string };
  if (syscall.startsWith('spawn')) return spawnText(path, code) ?? error.message;
  if (syscall !== 'connect') return systemErrorText(error) ?? error.message;
  // To systemErrorText a connection is one of a network.
  const failure = systemFailure(Object.assign(new Error(error.message), { code }));
  return failure === undefined
    ? `Could not connect to Tooltray: ${error.message}.`
    : `Cannot connect to Tooltray at ${address}: ${failure.reason}. ${failure.fix}`;
}

function spawnText(program: string, code: string | undefined): string | undefined {
  if (code === 'ENOENT') return `the program ${program} does not exist`;
  if (code === 'EACCES' || code === 'EPERM') return `your user account may not run the program ${program}`;
  return undefined;
}

/** The error line of a process that ended; one that Node.js printed for the operating system becomes a sentence. */
export function errorLineText(line: string): string {
  const [, code, syscall, path] = /^(?:\w*Error: )?(E[A-Z0-9]+): .*?, (\w+)(?: '(.*)')?$/.exec(line) ?? [];
  if (code === undefined) return line;
  return systemErrorText(Object.assign(new Error(line), { code, syscall, path })) ?? line;
}
