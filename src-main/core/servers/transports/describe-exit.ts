/** Why a server's process is gone, in words. */
import { AppError } from '../../base/errors.ts';

export interface ExitFacts {
  readonly serverName: string;
  readonly code: number | null;
  readonly signal: string | null;
  /** What was seen before it ended: `it closed its output`. */
  readonly reason: string | undefined;
  /** Its last words, cleaned and masked. */
  readonly stderrLines: readonly string[];
}

const maxLastWords = 5;
/** What Node prints around the one line that matters: stack frames, lone brackets, its version. */
const isNoise = /^\s+at |^[\s{}[\](),;^]*$|^Node\.js v\d/;

export function describeExit(facts: ExitFacts): AppError {
  const { serverName, code, signal, reason, stderrLines } = facts;
  const how = signal === null ? `exited with code ${code ?? 'unknown'}` : `was ended by ${signal}`;
  const what = reason === undefined ? `${serverName} ${how}` : `${serverName} was stopped because ${reason}`;
  const said = stderrLines.filter((line) => !isNoise.test(line)).slice(-maxLastWords);
  const lastWords = said.length === 0 ? '.' : `. It last said: ${said.join(' ⏎ ')}`;
  return new AppError('server_exited', what + lastWords, {
    fix: 'Look at its log for the reason; it is started again by itself.',
    data: { code, signal, stderr: stderrLines },
  });
}
