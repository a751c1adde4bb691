/**
 * `tooltray proposals`, `approve`, `reject`: what models asked to change, and others wrote into the config file, and
 * the person's word on it.
 */
import { type AppError, toAppError } from '../../../core/base/errors.ts';
import type { ProposalSummary } from '../../../rpc/contract.ts';
import { withCore } from '../../core-access.ts';
import { type Command, command, commonFlags } from '../../command.ts';
import { diffLines } from '../../diff-lines.ts';
import { oneLine, paint, printResult } from '../../terminal.ts';

export const proposals = command({
  flags: commonFlags,
  async run({ config, json }) {
    const found = await withCore(config, (core) => core.ask('proposals', {}));
    printResult(json, found, () =>
      found.proposals.length === 0
        ? ['Nothing is waiting for your decision.']
        : [...found.proposals.flatMap(proposalLines), '', 'Decide: tooltray approve ID, or tooltray reject ID.'],
    );
    return 0;
  },
});

export const approve = deciding('approve', 'Approved');
export const reject = deciding('reject', 'Rejected');

function deciding(word: 'approve' | 'reject', done: string): Command {
  return command({
    words: 'ID …',
    flags: commonFlags,
    async run({ config, json }, ids) {
      const decided: ProposalSummary[] = [];
      const refused: AppError[] = [];
      await withCore(config, async (core) => {
        // One that is gone or refused is no reason to leave the others undecided.
        for (const id of new Set(ids))
          await core.ask(word, { id }).then(
            (one) => decided.push(one),
            (error: unknown) => refused.push(toAppError(error)),
          );
      });
      const [first] = refused;
      if (first !== undefined && decided.length === 0) throw first;
      const data = ids.length === 1 ? decided[0] : { decided, refused: refused.map(({ text }) => text) };
      printResult(json, data, () => [
        `${done}:`,
        ...decided.flatMap(proposalLines),
        ...refused.map(({ text }) => paint('bad', oneLine(text))),
      ]);
      return refused.length === 0 ? 0 : 1;
    },
  });
}

/** A proposal for people: what, every line of it verbatim, and from whom. */
function proposalLines({ id, at, origin, app, tool, sentence, changes }: ProposalSummary): string[] {
  const exact = changes.flatMap((change) => [
    ...(changes.length > 1 ? [`  ${change.sentence}`] : []),
    ...diffLines(change.lines),
  ]);
  const asked = origin === 'file' ? 'written into the config file, not by Tooltray' : `asked by ${app} through ${tool}`;
  return [
    `${paint('head', id)}  ${sentence}`,
    ...exact,
    `  ${paint('quiet', `${asked}, ${new Date(at).toLocaleString()}`)}`,
  ];
}
