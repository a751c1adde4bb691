/**
 * Entry of the thread that stores long results: receives the bytes of a result, and returns a list of written parts.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { DraftedResult, FromSpillWriter, SpillWriteJob, ToSpillWriter } from '../spill-writer-messages.ts';
import { draftResult } from './draft-result.ts';
import { excerptOf, measureResult } from './excerpt.ts';
import { RawText, ResultTooLarge } from './raw-text.ts';

/** Longer results are not parsed, in bytes. */
const maxParsedBytes = 64 * 1024 * 1024;

interface Work {
  readonly job: SpillWriteJob;
  /** The bytes of a result that will be parsed. */
  readonly whole: Buffer | undefined;
  used: number;
  /** The text of a result that is too long to parse. */
  readonly raw: RawText | undefined;
  hasFailed: boolean;
}

let work: Work | undefined;

parentPort?.on('message', (message: ToSpillWriter) => {
  try {
    if (message.kind === 'begin') work = begin(message.job, message.bytes);
    else if (work !== undefined && !work.hasFailed) advance(work, message);
  } catch (error) {
    fail(error);
  }
  if (message.kind === 'bytes') post({ kind: 'taken' });
});

function begin(job: SpillWriteJob, bytes: number): Work {
  const isParsed = bytes <= maxParsedBytes;
  work = { job, whole: undefined, raw: undefined, used: 0, hasFailed: false };
  if (isParsed) return { ...work, whole: Buffer.allocUnsafeSlow(bytes) };
  if (job.do !== 'store') throw new ResultTooLarge();
  return { ...work, raw: new RawText(`${job.stem}-1.tmp`, job.maxBytes) };
}

function advance(current: Work, message: Exclude<ToSpillWriter, { kind: 'begin' }>): void {
  const { job, whole, raw } = current;
  if (message.kind === 'bytes') {
    raw?.push(Buffer.from(message.bytes.buffer));
    whole?.set(message.bytes, current.used);
    current.used += message.bytes.length;
    return;
  }
  work = undefined;
  if (raw !== undefined) return post({ kind: 'stored', result: raw.end() });
  const json = whole ?? Buffer.alloc(0);
  if (job.do === 'excerpt') post({ kind: 'excerpt', excerpt: excerptOf(json, job.bytes) });
  else if (job.do === 'measure') post({ kind: 'measured', size: measureResult(json) });
  else post({ kind: 'stored', result: written(draftResult(json, job.textKind), job) });
}

/** Throws ResultTooLarge, or file system errors. */
function written(
  { parts, remains }: DraftedResult,
  { stem, maxBytes }: Extract<SpillWriteJob, { do: 'store' }>,
): DraftedResult {
  if (parts.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes) throw new ResultTooLarge();
  const files = parts.map((_, at) => `${stem}-${at + 1}.tmp`);
  try {
    for (const [at, { content }] of parts.entries()) {
      writeFileSync(files[at] as string, content ?? '', { flag: 'wx', mode: 0o600 });
    }
  } catch (error) {
    for (const file of files) rmSync(file, { force: true });
    throw error;
  }
  return { parts: parts.map(({ content: _, ...part }, at) => ({ ...part, file: files[at] })), remains };
}

function fail(error: unknown): void {
  if (work !== undefined) {
    work.raw?.stop();
    work.hasFailed = true;
  }
  const code = error instanceof ResultTooLarge ? 'too_large' : ((error as NodeJS.ErrnoException).code ?? '');
  post({ kind: 'failed', code, message: error instanceof Error ? error.message : String(error) });
}

function post(message: FromSpillWriter): void {
  parentPort?.postMessage(message);
}
