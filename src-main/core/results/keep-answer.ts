/** Keeps one answer: written under no name, described, named, and put into the index last of all. */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnswerWriter } from './keep/answer-writer.ts';
import { describeAnswer } from './kept-answer.ts';
import type { KeptAnswer, SpillOrigin } from './spill.ts';
import type { SpillIndex } from './spill-index.ts';
import { draftStem } from './spill-names.ts';
import type { CountText } from './spill-tokens.ts';

/** An answer that is to be kept. */
export interface WantedAnswer {
  readonly chunks: readonly Buffer[];
  readonly origin: SpillOrigin;
  /** What its texts are that are no JSON. */
  readonly textKind: 'text' | 'toon';
}

export interface KeepPlace {
  readonly folder: string;
  readonly index: SpillIndex;
  readonly writer: AnswerWriter;
  readonly mostBytes: number;
  readonly now: () => number;
  readonly countTokens: CountText;
}

/** Rejects with KeepFailure, or what the file system and SQLite throw; nothing is left over then. */
export async function keepAnswer({ chunks, origin, textKind }: WantedAnswer, place: KeepPlace): Promise<KeptAnswer> {
  const { folder, index, writer, mostBytes, now, countTokens } = place;
  const stem = draftStem(folder);
  const written = await writer.write(chunks, { stem, mostBytes, textKind });
  const files: string[] = [];
  try {
    const createdAt = Math.trunc(now());
    const { kept, names } = await describeAnswer({ ...written, chunks, origin, createdAt }, folder, countTokens);
    for (const [at, { file }] of written.parts.entries()) {
      files.push(join(folder, names[at] as string));
      await rename(file, files[at] as string);
    }
    index.insert(kept.parts.map(({ spill }, at) => ({ spill, name: names[at] as string })));
    return kept;
  } catch (error) {
    await writer.clear(stem);
    await Promise.all(files.map((file) => rm(file, { force: true }).catch(() => undefined)));
    throw error;
  }
}
