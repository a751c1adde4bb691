/** `tooltray proposals`: what models asked to change, and what other programs wrote into the config file, waiting for the person's word. */
import type { ProposalSummary } from '../rpc/contract.ts';
import { withCore } from './core-access.ts';
import { paint, printJson, printLines } from './print.ts';
import { commonFlags, readFlags } from './read-flags.ts';

export async function run(args: readonly string[], form: string): Promise<number> {
  const { values } = readFlags(args, commonFlags, [0, 0], form);
  const { proposals } = await withCore(values.config, (core) => core.ask('proposals', {}));
  if (values.json === true) printJson({ proposals });
  else if (proposals.length === 0) printLines(['Nothing is waiting for your decision.']);
  else printLines([...proposals.flatMap(proposalLines), '', 'Decide: tooltray approve ID, or tooltray reject ID.']);
  return 0;
}

/** A proposal for people: what, every line of it verbatim, and from whom. */
export function proposalLines({ id, at, origin, app, tool, sentence, changes }: ProposalSummary): string[] {
  const exact = changes.flatMap((change) => [
    ...(changes.length > 1 ? [`  ${change.sentence}`] : []),
    ...change.lines.map((line) => `  ${signs[line.change]} ${line.text}`),
  ]);
  const asked = origin === 'file' ? 'written into the config file, not by Tooltray' : `asked by ${app} through ${tool}`;
  return [
    `${paint('head', id)}  ${sentence}`,
    ...exact,
    `  ${paint('quiet', `${asked}, ${new Date(at).toLocaleString()}`)}`,
  ];
}

const signs = { same: ' ', new: '+', gone: '-', other: '~' } as const;
