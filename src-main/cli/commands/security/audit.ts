/**
 * `tooltray audit [list | verify | export | digest]`: reads the audit log of decisions, refusals, changes, and calls,
 * and
 * verifies its integrity.
 */
import { createWriteStream } from 'node:fs';
import { text as readText } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import packageJson from '../../../../package.json' with { type: 'json' };
import { AppError, toAppError } from '../../../core/base/errors.ts';
import { formatCount } from '../../../core/base/text-format.ts';
import type { ChainLink } from '../../../core/trust/audit/hash-chain.ts';
import {
  type AuditFilter,
  type AuditKind,
  auditKinds,
  type AuditRecord,
} from '../../../core/trust/audit/audit-entries.ts';
import { parseOtlpHeaders } from '../../../core/base/otlp.ts';
import { logsUrl, exportRecords } from '../../../core/trust/audit/export-otlp.ts';
import { readAll, readPage, type RecordLine } from '../../../core/trust/audit/read-audit-log.ts';
import { describeRecord } from '../../../core/trust/audit/describe-record.ts';
import type { AuditLog } from '../../../core/trust/audit/audit-log.ts';
import { type Verification, verifyLog } from '../../../core/trust/audit/verify-audit-log.ts';
import { type AuditSource, openAuditSource } from '../../audit-source.ts';
import { command, databaseFlag, jsonFlag, sinceFlag, usageError } from '../../command.ts';
import { oneLine, paint, printResult, printLines, table } from '../../terminal.ts';

const defaultLimit = 20;

export const audit = command({
  actions: {
    list: { help: 'List recent records (default)' },
    verify: { help: 'Verify the hash chain and signatures' },
    export: { help: 'Export records, oldest first, to a file or a collector' },
    digest: { help: 'Compute the digest of text on stdin' },
  },
  usual: 'list',
  flags: {
    kind: { value: 'K', many: true, help: `Only records of this kind (repeatable): ${auditKinds.join(', ')}` },
    server: { value: 'NAME', help: 'Only this server' },
    app: { value: 'NAME', help: 'Only this client app' },
    since: sinceFlag,
    limit: { value: 'N', from: 1, help: `list: maximum records (default ${defaultLimit})` },
    jsonl: { help: 'export: JSON lines (default)' },
    output: { value: 'F', help: 'export: output file' },
    otlp: { value: 'URL', help: 'export: OpenTelemetry collector URL (OTLP/HTTP JSON)' },
    after: { value: 'SEQ', from: 0, help: 'export: only records after this sequence number' },
    head: { value: 'SEQ:HASH', help: 'verify: check against a saved head' },
    team: { help: 'The audit log of a team; verify and digest require TOOLTRAY_TEAM_KEYS_FILE' },
    database: databaseFlag,
    json: jsonFlag,
  },
  notes: [
    'Records are in the data folder; the signing key is in the vault. "audit verify" also prints its limits.',
    'Honors OTEL_EXPORTER_OTLP_HEADERS. Records contain sizes and digests, never payloads.',
  ],
  async run({ kind, server, app, since, limit, output, otlp, after, head, json, jsonl, ...of }, _, action) {
    if (jsonl && otlp !== undefined) throw usageError('--jsonl and --otlp are mutually exclusive');
    await using place = await openAuditSource(of.team || of.database !== undefined, of.database);
    const filter = filterOf({ kind, server, app, since });
    if (action === 'digest') return await digest(place);
    await place.settle();
    if (action === 'verify') return await verify(place, head, json);
    if (action === 'list') return await list(place.log, filter, limit ?? defaultLimit, json);
    // Exports all entries with their signed heads, without which the chain cannot be verified elsewhere.
    const lines = readAll(place.log, { kinds: auditKinds, ...filter }, after);
    return await (otlp === undefined ? exportLines(lines, output) : send(lines, otlp, json));
  },
});

interface FilterFlags {
  readonly kind: readonly string[];
  readonly server: string | undefined;
  readonly app: string | undefined;
  readonly since: number | undefined;
}

function filterOf({ kind, server, app, since }: FilterFlags): AuditFilter {
  const unknown = kind.find((one) => !auditKinds.some((known) => known === one));
  if (unknown !== undefined) throw usageError(`--kind must be one of: ${auditKinds.join(', ')}`);
  return {
    ...(kind.length > 0 && { kinds: kind as readonly AuditKind[] }),
    ...(server !== undefined && { server }),
    ...(app !== undefined && { app }),
    ...(since !== undefined && { since }),
  };
}

async function list(log: AuditLog, filter: AuditFilter, limit: number, json: boolean): Promise<number> {
  const entries: AuditRecord[] = [];
  for (let before: number | undefined; ;) {
    const page = await readPage(log, filter, limit - entries.length, before);
    entries.push(...page.entries);
    before = page.next;
    if (before === undefined || entries.length >= limit) break;
  }
  printResult(json, { entries: entries.map((record) => ({ ...record, summary: describeRecord(record) })) }, () =>
    entries.length === 0 ? ['No matching records.'] : table(['SEQ', 'TIME', 'KIND', 'APP', 'EVENT'], entries.map(row)),
  );
  return 0;
}

function row(record: AuditRecord): string[] {
  const when = new Date(record.at).toISOString().slice(0, 19).replace('T', ' ');
  const isBad = record.kind === 'refusal' || record.kind === 'cut' || record.kind === 'lost';
  const kind = isBad ? paint('bad', record.kind) : record.kind;
  const app = 'app' in record ? oneLine(record.app ?? '') : '';
  return [String(record.seq), when, kind, app, oneLine(describeRecord(record))];
}

async function verify(place: AuditSource, head: string | undefined, json: boolean): Promise<number> {
  const known = head === undefined ? undefined : readHead(head);
  const keys = await place.keys().catch((error: unknown) => {
    if (toAppError(error).code === 'secret_locked') return 'locked' as const;
    throw error;
  });
  const isLocked = keys === 'locked';
  const ownKey = isLocked ? undefined : keys?.publicKey;
  const answer = await verifyLog({ ...place, otherKeys: place.otherKeys?.(), ownKey, isLocked, known });
  printResult(json, answer, () => verdictLines(answer));
  return answer.holds ? 0 : 1;
}

function readHead(text: string): ChainLink {
  const [, seq, hash] = /^(\d{1,15}):([\w-]{43})$/.exec(text) ?? [];
  if (seq === undefined || hash === undefined) throw usageError('--head must be SEQ:HASH as printed by verify');
  return { seq: Number(seq), hash };
}

function verdictLines({
  holds,
  records,
  first,
  last,
  findings,
  found,
  notes,
  limits,
  head,
  keys,
}: Verification): string[] {
  if (records === 0 && holds) return ['No records yet.'];
  const what = `${formatCount(records, 'record')}, ${first} to ${last}`;
  const verdict = holds
    ? paint('good', `Audit log verified: ${what}.`)
    : paint('bad', `Audit log verification failed (${what}): ${found === 1 ? '1 finding' : `${found} findings`}.`);
  const more = found > findings.length ? [`  and ${found - findings.length} more`] : [];
  const signed = head === undefined ? [] : [`Last head: ${head.seq}:${head.hash} (${new Date(head.at).toISOString()})`];
  return [
    verdict,
    ...findings.map(({ sentence }) => `  ${oneLine(sentence)}`),
    ...more,
    ...notes.map(oneLine),
    ...signed,
    ...keys.map((key) => `Signed by: ${key}`),
    '',
    paint('quiet', 'Limitations:'),
    ...limits.map((limit) => paint('quiet', `- ${limit}`)),
  ];
}

async function exportLines(lines: AsyncIterable<RecordLine>, output: string | undefined): Promise<number> {
  let written = 0;
  const texts = async function* (): AsyncGenerator<string> {
    for await (const { text } of lines) {
      written++;
      yield `${text}\n`;
    }
  };
  if (output === undefined) {
    await pipeline(texts, process.stdout, { end: false });
    return 0;
  }
  await pipeline(texts, createWriteStream(output, { mode: 0o600 }));
  printLines([`${formatCount(written, 'record')} written to ${output}.`]);
  return 0;
}

async function send(lines: AsyncIterable<RecordLine>, url: string, json: boolean): Promise<number> {
  const headers = parseOtlpHeaders(process.env['OTEL_EXPORTER_OTLP_HEADERS']);
  const outcome = await exportRecords(lines, { url: logsUrl(url), headers, version: packageJson.version });
  const { sent, rejected, message, last } = outcome;
  printResult(json, outcome, () => [
    sent === 0 ? 'No matching records.' : `${formatCount(sent, 'record')} sent. Go on later with --after ${last}.`,
    ...(rejected > 0 ? [paint('bad', `The collector rejected ${rejected} of them. ${oneLine(message)}`)] : []),
  ]);
  return rejected > 0 ? 1 : 0;
}

async function digest(place: AuditSource): Promise<number> {
  const keys = await place.keys();
  if (keys === undefined) throw new AppError('not_found', 'No audit log yet.');
  const { bytes, hmac } = keys.digest(await readText(process.stdin));
  printLines([`${hmac}  ${formatCount(bytes, 'byte')}`]);
  return 0;
}
