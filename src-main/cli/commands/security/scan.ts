/**
 * `tooltray scan [SERVER]`: scans servers' texts for attack patterns; `--file` scans definitions and
 * results from a file.
 */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { AppError } from '../../../core/base/errors.ts';
import { formatCount } from '../../../core/base/text-format.ts';
import type { ScanFinding } from '../../../core/trust/scan/scan-finding.ts';
import { showInvisible } from '../../../core/trust/scan/invisible-text.ts';
import type { ScannedDefinition } from '../../../rpc/contract.ts';
import { command, commonFlags, usageError } from '../../command.ts';
import { withCore } from '../../core-access.ts';
import { splitLines, scanLine, type ScannedLine } from '../../scan-lines.ts';
import { jsonText, oneLine, paint, printResult } from '../../terminal.ts';

export const scan = command({
  words: '[SERVER]',
  flags: {
    file: { value: 'F', help: 'Scan definitions or results from a JSON lines file; - for stdin' },
    ...commonFlags,
  },
  notes: [
    'Each line of --file is {id, tool} or {id, text}; prompt, resource and instructions are also supported.',
    'Add peers, [{server, tool}], to compare with tools of other servers. Output: {id, verdict, findings} per line.',
    'Verdicts: clean, review, block. Read-only.',
  ],
  async run({ file, config, json }, [server]) {
    if (file !== undefined && server !== undefined) throw usageError('--file and SERVER are mutually exclusive');
    if (file !== undefined) return scanFile(file, json);
    const answer = await withCore(config, (core) => core.ask('scan', server === undefined ? {} : { server }));
    printResult(json, answer, () => [...answer.found.flatMap(definitionLines), summary(answer)]);
    return 0;
  },
});

/** Line by line, so that files may have any length. */
async function scanFile(file: string, json: boolean): Promise<number> {
  const input = file === '-' ? process.stdin : createReadStream(file);
  try {
    for await (const line of splitLines(input)) {
      const scanned = scanLine(line);
      if (scanned === undefined) continue;
      const text = json ? jsonText(scanned) : lineText(scanned).join('\n');
      if (text !== '' && !process.stdout.write(`${text}\n`)) await once(process.stdout, 'drain');
    }
  } catch (cause) {
    const { code } = cause as { code?: unknown };
    if (code === 'EPIPE') return 0;
    if (typeof code !== 'string') throw cause;
    throw new AppError('not_found', `Cannot read ${file} (${code}).`, { fix: 'Check the path.', cause });
  }
  return 0;
}

function lineText(scanned: ScannedLine): string[] {
  if ('error' in scanned) return [`${paint('bad', 'error')} ${oneLine(scanned.error)}`];
  const { id, verdict, findings } = scanned;
  return [`${paintVerdict(verdict)} ${oneLine(String(id))}`, ...findings.map(findingLine)];
}

function definitionLines({ server, kind, name, waits, verdict, findings }: ScannedDefinition): string[] {
  const what = kind === 'resourceTemplate' ? 'resource template' : kind;
  const held = waits ? ` ${paint('quiet', '(pending approval, hidden from models)')}` : '';
  return [`${paintVerdict(verdict)} ${oneLine(`${server}: ${what} ${name}`)}${held}`, ...findings.map(findingLine), ''];
}

function findingLine({ rule, place, words, sentence }: ScanFinding): string {
  const where = place === '' ? '' : ` ${oneLine(place)}`;
  const quoted = words === '' ? '' : ` “${oneLine(showInvisible(words))}”`;
  return `  ${sentence} ${paint('quiet', `(${rule}${where})`)}${quoted}`;
}

function paintVerdict(verdict: ScannedDefinition['verdict']): string {
  return paint(verdict === 'block' ? 'bad' : verdict === 'review' ? 'unsure' : 'good', verdict.padEnd(6));
}

function summary({ scanned, found }: { scanned: number; found: readonly ScannedDefinition[] }): string {
  const looked = `${formatCount(scanned, 'definition')} scanned`;
  if (found.length === 0) return `${looked}, no findings.`;
  const blocked = found.filter(({ verdict }) => verdict === 'block').length;
  return `${looked}: ${found.length - blocked} for review, ${blocked} to block.`;
}
