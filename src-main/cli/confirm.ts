/** A person's yes, asked for in the terminal. */
import { createInterface } from 'node:readline/promises';

/** True when `given` says so already. Without a terminal nobody can be asked: undefined. */
export async function confirm(question: string, given: boolean | undefined): Promise<boolean | undefined> {
  if (given === true) return true;
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  // On stderr: what a command prints on stdout is for whoever reads on.
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^\s*y(es)?\s*$/i.test(await terminal.question(`${question} [y/N] `));
  } finally {
    terminal.close();
  }
}

/** What to say where nothing was done, and whether that was the person's wish. */
export function notDone(answer: boolean | undefined): string {
  return answer === false ? 'Nothing was changed.' : 'Nothing was changed. Add --yes to do it.';
}
