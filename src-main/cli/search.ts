/** `tooltray search QUERY`: tools by what they do, best first, with the reason. */
import type { SearchHitSummary } from '../rpc/contract.ts';
import { withCore } from './core-access.ts';
import { count } from './count.ts';
import { firstSentence } from './list.ts';
import { oneLine } from './plain-text.ts';
import { paint, printJson, printLines } from './print.ts';
import { commonFlags, readFlags, wrongUse } from './read-flags.ts';

export async function run(args: readonly string[], form: string): Promise<number> {
  const { values, positionals } = readFlags(args, { ...commonFlags, limit: { type: 'string' } }, [1, Infinity], form);
  const limit = Number(values.limit ?? 10);
  if (!Number.isInteger(limit) || limit < 1) throw wrongUse('--limit needs a whole number from 1 up', form);
  const query = positionals.join(' ');
  const { total, hits } = await withCore(values.config, (core) => core.ask('search', { query, limit }));
  if (values.json === true) printJson({ query, total, hits });
  else
    printLines(
      hits.length === 0
        ? [`No tool fits ${JSON.stringify(query)}. All there are: tooltray list --tools`]
        : hitLines(hits, total),
    );
  return 0;
}

function hitLines(hits: readonly SearchHitSummary[], total: number): string[] {
  const lines = hits.flatMap(({ id, description, why }) => [
    paint('head', oneLine(id)),
    ...[firstSentence(description), paint('quiet', oneLine(why))]
      .filter((line) => line !== '')
      .map((line) => `  ${line}`),
  ]);
  return total > hits.length
    ? [...lines, '', `${hits.length} of ${count(total, 'tool')} that fit; more with --limit N.`]
    : lines;
}
