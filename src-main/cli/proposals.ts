/** `tooltray proposals`: what models asked to change, waiting for the person's word. */
import type { ProposalSummary } from '../rpc/contract.ts';
import { withCore } from './core-access.ts';
import { oneLine } from './plain-text.ts';
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

/** A proposal for people: what, exactly what, and from whom. */
export function proposalLines({ id, at, app, tool, sentence, changes }: ProposalSummary): string[] {
  const exact = changes.flatMap(({ kind: _kind, server: _server, ...details }) =>
    Object.keys(details).length === 0 ? [] : [`  ${oneLine(JSON.stringify(details))}`],
  );
  const origin = `asked by ${oneLine(app)} through ${tool}, ${new Date(at).toLocaleString()}`;
  return [`${paint('head', id)}  ${oneLine(sentence)}`, ...exact, `  ${paint('quiet', origin)}`];
}
