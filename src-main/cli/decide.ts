/** What `approve` and `reject` share: the proposal is named, decided, and told. */
import { withCore } from './core-access.ts';
import { printJson, printLines } from './print.ts';
import { proposalLines } from './proposals.ts';
import { commonFlags, readFlags } from './read-flags.ts';

export async function decide(
  word: 'approve' | 'reject',
  done: string,
  args: readonly string[],
  form: string,
): Promise<number> {
  const { values, positionals } = readFlags(args, commonFlags, [1, 1], form);
  const proposal = await withCore(values.config, (core) => core.ask(word, { id: positionals[0] ?? '' }));
  if (values.json === true) printJson(proposal);
  else printLines([`${done}:`, ...proposalLines(proposal)]);
  return 0;
}
