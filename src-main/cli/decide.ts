/** What `approve` and `reject` share: the proposal is named, decided, and told. */
import { withCore } from './core-access.ts';
import { type AppError, toAppError } from '../core/base/errors.ts';
import type { ProposalSummary } from '../rpc/contract.ts';
import { oneLine } from './plain-text.ts';
import { paint, printJson, printLines } from './print.ts';
import { proposalLines } from './proposals.ts';
import { commonFlags, readFlags } from './read-flags.ts';

export async function decide(
  word: 'approve' | 'reject',
  done: string,
  args: readonly string[],
  form: string,
): Promise<number> {
  const { values, positionals } = readFlags(args, commonFlags, [1, 100], form);
  const { decided, refused } = await withCore(values.config, async (core) => {
    const decided: ProposalSummary[] = [];
    const refused: AppError[] = [];
    // One that is gone or refused is no reason to leave the others undecided.
    for (const id of new Set(positionals))
      await core.ask(word, { id }).then(
        (one) => decided.push(one),
        (error: unknown) => refused.push(toAppError(error)),
      );
    return { decided, refused };
  });
  const [first] = refused;
  if (first !== undefined && decided.length === 0) throw first;
  if (values.json === true)
    printJson(positionals.length === 1 ? decided[0] : { decided, refused: refused.map(({ text }) => text) });
  else
    printLines([
      `${done}:`,
      ...decided.flatMap(proposalLines),
      ...refused.map(({ text }) => paint('bad', oneLine(text))),
    ]);
  return refused.length === 0 ? 0 : 1;
}
