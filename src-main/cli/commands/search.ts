/** `tooltray search QUERY`: searches tools by description, best match first, with the reason for each match. */
import { formatCount } from '../../core/base/text-format.ts';
import type { SearchHitSummary } from '../../rpc/contract.ts';
import { command, commonFlags } from '../command.ts';
import { withCore } from '../core-access.ts';
import { oneLine, paint, printResult } from '../terminal.ts';
import { singleLine } from './tools.ts';

export const search = command({
  words: 'QUERY …',
  flags: { limit: { value: 'N', from: 1, usual: 10, help: 'Maximum results' }, ...commonFlags },
  async run({ limit, config, json }, words) {
    const query = words.join(' ');
    const { total, hits } = await withCore(config, (core) => core.ask('search', { query, limit }));
    printResult(json, { query, total, hits }, () =>
      hits.length === 0
        ? [`No tool fits ${JSON.stringify(query)}. All there are: tooltray tools`]
        : hitLines(hits, total),
    );
    return 0;
  },
});

function hitLines(hits: readonly SearchHitSummary[], total: number): string[] {
  const lines = hits.flatMap(({ id, description, reason }) => [
    paint('head', oneLine(id)),
    ...[singleLine(description), paint('quiet', oneLine(reason))]
      .filter((line) => line !== '')
      .map((line) => `  ${line}`),
  ]);
  return total > hits.length
    ? [...lines, '', `${hits.length} of ${formatCount(total, 'tool')} that fit; more with --limit N.`]
    : lines;
}
