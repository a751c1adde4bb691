/** Describes what was written of an answer: an id and a name for each part, its tokens, and what stays in the answer. */
import { join } from 'node:path';
import { parseJson } from '../base/json.ts';
import type { WrittenPart } from './keep/answer-writer.ts';
import type { AnswerRemains } from './keep/drafted-answer.ts';
import { isTextKind } from './keep/media-types.ts';
import type { KeptAnswer, KeptPart, SpillOrigin } from './spill.ts';
import { newSpillId, spillFileName } from './spill-names.ts';
import { type CountedTokens, type CountText, tokensOfChunks, tokensOfFile } from './spill-tokens.ts';

export interface WrittenAnswer {
  readonly parts: readonly WrittenPart[];
  readonly remains: string;
  /** The whole result as it came. */
  readonly chunks: readonly Buffer[];
  readonly origin: SpillOrigin;
  readonly createdAt: number;
}

export async function describeAnswer(
  written: WrittenAnswer,
  folder: string,
  count: CountText,
): Promise<{ readonly kept: KeptAnswer; readonly names: readonly string[] }> {
  const { parts, remains, chunks } = written;
  const { inline, rest } = parseJson(remains) as AnswerRemains;
  const ids = parts.map(newSpillId);
  const answerId = ids[0] as string;
  const described: KeptPart[] = [];
  const names: string[] = [];
  for (const [at, part] of parts.entries()) {
    const id = ids[at] as string;
    const name = spillFileName({ ...written.origin, id, extension: part.extension });
    names.push(name);
    described.push(
      describePart(part, { id, answerId, file: join(folder, name) }, written, await tokensOf(part, count)),
    );
  }
  const { tokens, estimated } = await resultTokens(written, described, count);
  const { isError, ...others } = rest;
  const kept: KeptAnswer = {
    parts: described as [KeptPart, ...KeptPart[]],
    inline,
    isError: isError === true,
    rest: others,
    resultBytes: chunks.reduce((sum, chunk) => sum + chunk.length, 0),
    resultTokens: tokens,
    tokensEstimated: estimated,
  };
  return { kept, names };
}

function describePart(
  { kind, mimeType, bytes, lines, summary }: WrittenPart,
  place: { readonly id: string; readonly answerId: string; readonly file: string },
  { origin, createdAt }: WrittenAnswer,
  { tokens, estimated }: CountedTokens,
): KeptPart {
  const { sessionId, app, server, tool } = origin;
  const fresh = { pinned: false, reads: 0, lastReadAt: undefined };
  const counted = { tokens, tokensEstimated: estimated };
  return {
    spill: { ...place, sessionId, app, server, tool, kind, mimeType, bytes, lines, createdAt, ...counted, ...fresh },
    summary,
  };
}

/** What pictures and sound cost depends on the model; as none, nothing is claimed to be saved by keeping them. */
async function tokensOf(part: WrittenPart, count: CountText): Promise<CountedTokens> {
  if (!isTextKind(part.kind)) return { tokens: 0, estimated: true };
  const { content } = part;
  return content === undefined ? tokensOfFile(part.file, part.bytes, count) : tokensOfChunks([content], count);
}

async function resultTokens(
  { parts, remains, chunks }: WrittenAnswer,
  described: readonly KeptPart[],
  count: CountText,
): Promise<CountedTokens> {
  if (parts.every(({ kind }) => isTextKind(kind))) return tokensOfChunks(chunks, count);
  const inParts = described.reduce((sum, { spill }) => sum + spill.tokens, 0);
  return { tokens: inParts + (await count(remains)).tokens, estimated: true };
}
