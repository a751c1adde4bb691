/** `tooltray tools`: lists the tools of all servers, and descriptions rewritten by models. */
import { formatCount } from '../../core/base/text-format.ts';
import { firstSentence } from '../../core/condense/clauses.ts';
import type { ToolSummary } from '../../rpc/contract.ts';
import { command, commonFlags } from '../command.ts';
import { withCore } from '../core-access.ts';
import { columns, oneLine, paint, printResult } from '../terminal.ts';

export const tools = command({
  flags: { rewritten: { help: 'List only descriptions that models rewrote' }, ...commonFlags },
  run: ({ rewritten, config, json }) => (rewritten ? listRewritten(config, json) : listTools(config, json)),
});

async function listTools(config: string | undefined, json: boolean): Promise<number> {
  const { tools } = await withCore(config, (core) => core.ask('tools', {}));
  printResult(json, { tools }, () => toolLines(tools));
  return 0;
}

/** Prints each rewritten description above the server's own. */
async function listRewritten(config: string | undefined, json: boolean): Promise<number> {
  const { descriptions } = await withCore(config, (core) => core.ask('rewrittenDescriptions', {}));
  const lines = descriptions.flatMap(({ server, tool, rewritten, original }) => [
    paint('head', oneLine(`${server}:${tool}`)),
    `  rewritten: ${oneLine(rewritten)}`,
    `  original: ${oneLine(original)}`,
  ]);
  printResult(json, { descriptions }, () =>
    descriptions.length === 0
      ? ['No rewritten descriptions.']
      : [...lines, '', 'Restore one: tooltray undo SERVER:TOOL'],
  );
  return 0;
}

function toolLines(tools: readonly ToolSummary[]): string[] {
  const rows = tools.map(({ id, description }) => [oneLine(id), singleLine(description)]);
  return [...columns(rows), ...(tools.length > 0 ? [''] : []), formatCount(tools.length, 'tool')];
}

/** A tool's description on one line. */
export function singleLine(description: string): string {
  return firstSentence(oneLine(description.split('\n').find((line) => line.trim() !== '') ?? ''), 160);
}
