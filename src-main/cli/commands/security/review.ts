/**
 * `tooltray review [NAME]`: what a server would run, reach and be given, before it may; and the person's word on it.
 */
import { formatCount } from '../../../core/base/text-format.ts';
import { AppError } from '../../../core/base/errors.ts';
import { markInvisible } from '../../../core/base/visible-text.ts';
import type { ServerReview } from '../../../rpc/contract.ts';
import { withCore } from '../../core-access.ts';
import { command, commonFlags } from '../../command.ts';
import { diffLines, partLines } from '../../diff-lines.ts';
import { oneLine, paint, printResult, printProgress } from '../../terminal.ts';

const choices = ['accept', 'refuse', 'block'] as const;

export const review = command({
  words: '[NAME]',
  flags: {
    look: { help: 'Start it once in a sandbox without network and variables, and show its tools' },
    accept: { value: 'ID', help: 'Approve the revision with this ID' },
    refuse: { value: 'ID', help: 'Reject: remove the entry, or restore the approved one' },
    block: { value: 'ID', help: 'Block the server permanently' },
    ...commonFlags,
  },
  async run({ config, json, ...given }, [server]) {
    const chosen = choices.flatMap((choice) => (given[choice] === undefined ? [] : [{ choice, id: given[choice] }]));
    const [word] = chosen;
    if (word === undefined) {
      const input = server === undefined ? {} : { server };
      if (given.look && server === undefined) throw whichOne('--look');
      const found = await withCore(config, async (core) => {
        const waiting = await core.ask('reviews', input);
        const [one] = waiting.reviews;
        if (!given.look || one === undefined) return waiting;
        printProgress(`Looking inside ${oneLine(markInvisible(one.server))} …`);
        return { reviews: [await core.ask('previewServer', { server: one.server, id: one.id })] };
      });
      printResult(json, found, () => shown(found.reviews));
      return given.look && found.reviews[0]?.look?.isDone !== true ? 1 : 0;
    }
    if (server === undefined || chosen.length > 1 || given.look) throw whichOne('--accept ID');
    const done = await withCore(config, (core) => core.ask('reviewServer', { server, ...word }));
    printResult(json, { server, ...word, ...done }, () => [done.sentence]);
    return 0;
  },
});

const statuses: Readonly<Record<ServerReview['standing'], string>> = {
  accepted: 'accepted',
  changed: 'changed outside of Tooltray; what was accepted stays in use',
  'in-review': 'in review: not started',
  blocked: 'blocked: not started',
};

function whichOne(flag: string): AppError {
  return new AppError('bad_request', 'One word about one server at a time.', { fix: `tooltray review NAME ${flag}` });
}

function shown(reviews: readonly ServerReview[]): string[] {
  if (reviews.length === 0) return ['No server waits for your review.'];
  return [
    ...reviews.flatMap(reviewLines),
    '',
    'Decide: tooltray review NAME --accept ID, --refuse ID or --block ID. See what it lists before: --look.',
  ];
}

function reviewLines({ server, standing, id, lines, meanings, look }: ServerReview): string[] {
  return [
    `${paint('head', id)}  ${oneLine(markInvisible(server))}: ${statuses[standing]}`,
    ...diffLines(lines),
    ...meanings.map(({ text, isGrave }) => `  ${isGrave ? paint('bad', '!') : ' '} ${oneLine(text)}`),
    ...(look === undefined ? [] : previewLines(look)),
  ];
}

function previewLines({ sentence, parts, moreParts }: NonNullable<ServerReview['look']>): string[] {
  return [
    '',
    oneLine(sentence),
    ...parts.flatMap(partLines),
    ...(moreParts === 0 ? [] : ['', `… and ${formatCount(moreParts, 'more part')}.`]),
  ];
}
