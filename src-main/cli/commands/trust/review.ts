/** `tooltray review [NAME]`: what a server would run, reach and be given, before it may; and the person's word on it. */
import { AppError } from '../../../core/base/errors.ts';
import { markHidden } from '../../../core/base/shown-text.ts';
import type { ServerReview } from '../../../rpc/contract.ts';
import { withCore } from '../../core-access.ts';
import { command, commonFlags } from '../../command.ts';
import { diffLines } from '../../diff-lines.ts';
import { oneLine, paint, printAnswer } from '../../terminal.ts';

const choices = ['accept', 'refuse', 'block'] as const;

export const review = command({
  words: '[NAME]',
  flags: {
    accept: { value: 'ID', help: 'let it start as it was shown under this id' },
    refuse: { value: 'ID', help: 'take its entry out again, or put back what was accepted before' },
    block: { value: 'ID', help: 'keep it off for good; its entry stays' },
    ...commonFlags,
  },
  async run({ config, json, ...given }, [server]) {
    const chosen = choices.flatMap((choice) => (given[choice] === undefined ? [] : [{ choice, id: given[choice] }]));
    const [word] = chosen;
    if (word === undefined) {
      const input = server === undefined ? {} : { server };
      const found = await withCore(config, (core) => core.ask('reviews', input));
      printAnswer(json, found, () => shown(found.reviews));
      return 0;
    }
    if (server === undefined || chosen.length > 1) {
      throw new AppError('bad_request', 'One word about one server at a time.', {
        fix: 'tooltray review NAME --accept ID',
      });
    }
    const done = await withCore(config, (core) => core.ask('reviewServer', { server, ...word }));
    printAnswer(json, { server, ...word, ...done }, () => [done.sentence]);
    return 0;
  },
});

const standings: Readonly<Record<ServerReview['standing'], string>> = {
  accepted: 'accepted',
  changed: 'changed outside of Tooltray; what was accepted stays in use',
  'in-review': 'in review: not started',
  blocked: 'blocked: not started',
};

function shown(reviews: readonly ServerReview[]): string[] {
  if (reviews.length === 0) return ['No server waits for your review.'];
  return [...reviews.flatMap(reviewLines), '', 'Decide: tooltray review NAME --accept ID, --refuse ID or --block ID.'];
}

function reviewLines({ server, standing, id, lines, meanings }: ServerReview): string[] {
  return [
    `${paint('head', id)}  ${oneLine(markHidden(server))}: ${standings[standing]}`,
    ...diffLines(lines),
    ...meanings.map(({ text, isGrave }) => `  ${isGrave ? paint('bad', '!') : ' '} ${oneLine(text)}`),
  ];
}
