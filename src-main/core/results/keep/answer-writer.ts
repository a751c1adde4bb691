/** Writes an answer into files of no name yet: short ones right here, long ones in a thread, and huge ones where they hold up nobody. */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AnswerDraft } from './answer-draft.ts';
import { DraftPlace } from './draft-place.ts';
import type { DraftedAnswer, DraftedPart } from './drafted-answer.ts';
import { KeepFailure } from './keep-failure.ts';
import type { KeepJob } from './keep-messages.ts';
import { KeepThread } from './keep-thread.ts';

export interface WrittenPart extends DraftedPart {
  readonly file: string;
}

/** About a millisecond of the main thread; starting a thread takes thirty. */
const longestHere = 128 * 1024;
/** Longer answers have a thread of their own, so that others do not wait seconds for them. */
const huge = 32 * 1024 * 1024;
const idleMs = 20_000;

export class AnswerWriter {
  readonly #usual: KeepThread;
  readonly #huge: KeepThread;

  constructor(workerUrl: URL) {
    this.#usual = new KeepThread(workerUrl, idleMs);
    this.#huge = new KeepThread(workerUrl, idleMs);
  }

  /** Rejects with KeepFailure, or what the file system throws; nothing is left over then. */
  async write(chunks: readonly Buffer[], job: KeepJob): Promise<{ parts: WrittenPart[]; remains: string }> {
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    try {
      const { parts, remains } = await this.#draft(chunks, bytes, job);
      const total = parts.reduce((sum, part) => sum + part.bytes, 0);
      if (total > job.mostBytes) throw new KeepFailure('too_large', 'Its parts are larger than may be kept.');
      const written = await Promise.all(parts.map((part, number) => inFile(part, `${job.stem}-m${number}.tmp`)));
      return { parts: written, remains };
    } catch (error) {
      await this.clear(job.stem);
      throw error;
    }
  }

  /** Takes away what was written under the stem. */
  async clear(stem: string): Promise<void> {
    const names = await readdir(dirname(stem)).catch((): string[] => []);
    const left = names.filter((name) => name.startsWith(`${basename(stem)}-`));
    await Promise.all(left.map((name) => rm(join(dirname(stem), name), { force: true }).catch(() => undefined)));
  }

  async close(): Promise<void> {
    await Promise.all([this.#usual.close(), this.#huge.close()]);
  }

  #draft(chunks: readonly Buffer[], bytes: number, job: KeepJob): Promise<DraftedAnswer> | DraftedAnswer {
    if (bytes <= longestHere) return draftHere(chunks, job);
    return (bytes > huge ? this.#huge : this.#usual).keep(job, chunks);
  }
}

function draftHere(chunks: readonly Buffer[], { stem, mostBytes, textKind }: KeepJob): DraftedAnswer {
  const draft = new AnswerDraft(new DraftPlace(stem, mostBytes, Infinity), textKind);
  for (;;) {
    for (const chunk of chunks) draft.push(chunk);
    const answer = draft.end();
    if (answer !== undefined) return answer;
  }
}

async function inFile(part: DraftedPart, path: string): Promise<WrittenPart> {
  if (part.file !== undefined) return { ...part, file: part.file };
  await writeFile(path, part.content ?? new Uint8Array(), { flag: 'wx', mode: 0o600 });
  return { ...part, file: path };
}
