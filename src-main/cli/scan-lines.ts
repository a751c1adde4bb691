/** Scans JSON Lines input. Every non-empty line gives a result; an invalid one gives an error. */
import { isObject, textOrEmpty, tryParsePlainJson } from '../core/base/json.ts';
import { type ScanFinding, type ScanReport, type ScanVerdict } from '../core/trust/scan/scan-finding.ts';
import type { DefinitionKind } from '../core/trust/scan/definition-texts.ts';
import { scanDefinition, scanResult } from '../core/trust/scan/scan.ts';
import { type CatalogTool, scanCatalog } from '../core/trust/scan/shadowing.ts';

export type ScannedLine =
  | { readonly id: string | number | null; readonly verdict: ScanVerdict; readonly findings: readonly ScanFinding[] }
  | { readonly id: string | number | null; readonly error: string };

/** Maximum line length, in bytes. */
const maxLineLength = 16 * 1024 * 1024;

export interface Line {
  /** 1-based. */
  readonly number: number;
  /** undefined if the line is too long. */
  readonly text: string | undefined;
}

/** Splits UTF-8 input into lines. */
export async function* splitLines(input: AsyncIterable<Buffer | string>): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let length = 0;
  let number = 1;
  const take = (): Line => {
    const text = length > maxLineLength ? undefined : Buffer.concat(parts).toString('utf8');
    [parts, length] = [[], 0];
    return { number: number++, text };
  };
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk);
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      keep(bytes.subarray(start, end));
      yield take();
      start = end + 1;
    }
    keep(bytes.subarray(start));
  }
  if (length > 0) yield take();

  function keep(part: Buffer): void {
    length += part.length;
    if (length > maxLineLength) parts = [];
    else if (part.length > 0) parts.push(part);
  }
}

const kinds: readonly (readonly [member: string, kind: DefinitionKind])[] = [
  ['tool', 'tool'],
  ['prompt', 'prompt'],
  ['resource', 'resource'],
  ['resourceTemplate', 'resourceTemplate'],
];

/** Undefined for an empty line. */
export function scanLine({ number, text }: Line): ScannedLine | undefined {
  if (text === undefined) return { id: null, error: `Line ${number} is longer than 16 MB.` };
  if (text.trim() === '') return undefined;
  const value = tryParsePlainJson(text);
  if (value === undefined) return { id: null, error: `Line ${number} is not valid JSON.` };
  if (!isObject(value)) return { id: null, error: `Line ${number} is not a JSON object.` };
  const id = typeof value['id'] === 'string' || typeof value['id'] === 'number' ? value['id'] : null;
  const report = reportOf(value);
  if (report === undefined)
    return {
      id,
      error: `Line ${number} must have one of: tool, text, prompt, resource, resourceTemplate, instructions.`,
    };
  return { id, verdict: report.verdict, findings: report.findings };
}

function reportOf(line: Record<string, unknown>): ScanReport | undefined {
  const { text, instructions } = line;
  if (typeof text === 'string') return resultReport(text);
  if (typeof instructions === 'string') return scanDefinition({ instructions }, 'instructions');
  const [member, kind] = kinds.find(([name]) => isObject(line[name])) ?? [];
  if (member === undefined || kind === undefined) return undefined;
  const report = scanDefinition(line[member], kind);
  return kind === 'tool' ? withPeers(report, line) : report;
}

function resultReport(text: string): ScanReport {
  const findings = scanResult(text).map(({ rule, words, sentence }): ScanFinding => {
    return { rule, place: '', words, tier: 'review', sentence };
  });
  return { verdict: findings.length > 0 ? 'review' : 'clean', findings };
}

/** Adds findings on other servers' tools (`peers`) that the tool may impersonate or mention. */
function withPeers(report: ScanReport, { server, tool, peers }: Record<string, unknown>): ScanReport {
  if (!Array.isArray(peers)) return report;
  const own: CatalogTool = { server: textOrEmpty(server), tool };
  const others = peers.flatMap((peer): CatalogTool[] =>
    isObject(peer) && textOrEmpty(peer['server']) !== own.server
      ? [{ server: textOrEmpty(peer['server']), tool: isObject(peer['tool']) ? peer['tool'] : peer }]
      : [],
  );
  const found = scanCatalog([own, ...others]).filter((finding) => finding.server === own.server);
  const findings = found.map(({ rule, place, words, tier, sentence }): ScanFinding => ({
    rule,
    place,
    words,
    tier,
    sentence,
  }));
  if (findings.length === 0) return report;
  return {
    verdict: report.verdict === 'clean' ? 'review' : report.verdict,
    findings: [...report.findings, ...findings],
  };
}
