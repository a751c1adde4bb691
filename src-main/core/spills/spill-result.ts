/** Stores one result: written to temporary files, described, renamed, and finally added to the index. */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { objectOrEmpty, parseJson } from '../base/json.ts';
import type { ResultWriter, WrittenPart } from './spill-writer.ts';
import type { ResultRemains, Payload } from './spill-writer-messages.ts';
import {
  tempFileStem,
  type SpilledResult,
  type SpilledPart,
  newSpillId,
  type OriginalResult,
  type Spill,
  spillFileName,
  type SpillOrigin,
} from './spill.ts';

/** A result to store. */
export interface SpillRequest {
  readonly chunks: readonly Buffer[];
  /** `OriginalResult` */
  readonly sent: OriginalResult | undefined;
  readonly origin: SpillOrigin;
  /** Kind of the texts that are not JSON. */
  readonly textKind: 'text' | 'toon';
}

export interface NamedSpill {
  readonly spill: Spill;
  readonly name: string;
}

interface KeepPlace {
  readonly folder: string;
  /** Records the parts; all or none. `name`: of the file in the folder. */
  readonly index: { insert(spills: readonly NamedSpill[]): void | Promise<void> };
  readonly writer: ResultWriter;
  readonly maxBytes: number;
  readonly now: () => number;
  readonly countTokens: CountText;
}

/** Rejects with SpillWriteError, or errors of the file system and SQLite; nothing is left over then. */
export async function spillResult(answer: SpillRequest, place: KeepPlace): Promise<SpilledResult> {
  const { chunks, textKind } = answer;
  const { folder, index, writer, maxBytes, now, countTokens } = place;
  const stem = tempFileStem(folder);
  const written = await writer.write(chunks, { stem, maxBytes, textKind });
  const files: string[] = [];
  try {
    const createdAt = Math.trunc(now());
    const { spilled, names } = await describeAnswer({ ...answer, ...written, createdAt }, folder, countTokens);
    for (const [at, { file }] of written.parts.entries()) {
      files.push(join(folder, names[at] as string));
      await rename(file, files[at] as string);
    }
    const noted = index.insert(spilled.parts.map(({ spill }, at) => ({ spill, name: names[at] as string })));
    if (noted !== undefined) await noted;
    return spilled;
  } catch (error) {
    await writer.clear(stem);
    await Promise.all(files.map((file) => rm(file, { force: true }).catch(() => undefined)));
    throw error;
  }
}

// Describes the written parts: an id and a name for each, its tokens, and what stays in the result.

interface WrittenAnswer extends SpillRequest {
  readonly parts: readonly WrittenPart[];
  readonly remains: string;
  readonly createdAt: number;
}

async function describeAnswer(
  written: WrittenAnswer,
  folder: string,
  count: CountText,
): Promise<{ readonly spilled: SpilledResult; readonly names: readonly string[] }> {
  const { parts, remains } = written;
  const { inline, rest } = parseJson(remains) as ResultRemains;
  const ids = parts.map(newSpillId);
  const answerId = ids[0] as string;
  const counts: CountedTokens[] = [];
  for (const part of parts) counts.push(await tokensOf(part.payload, count));
  const { bytes: resultBytes, tokens, estimated } = await sizeOf(written, inline, counts, count);
  const asSent = { sentBytes: resultBytes, sentTokens: tokens, sentEstimated: estimated };
  const described: SpilledPart[] = [];
  const names: string[] = [];
  for (const [at, part] of parts.entries()) {
    const id = ids[at] as string;
    const name = spillFileName({ ...written.origin, id, extension: part.extension });
    names.push(name);
    const place = { id, answerId, file: join(folder, name), ...asSent };
    described.push(describePart(part, place, written, counts[at] as CountedTokens));
  }
  const { isError, ...others } = rest;
  const spilled: SpilledResult = {
    parts: described as [SpilledPart, ...SpilledPart[]],
    inline,
    isError: isError === true,
    rest: others,
    resultBytes,
    resultTokens: tokens,
    tokensEstimated: estimated,
  };
  return { spilled: spilled, names };
}

function describePart(
  { kind, mimeType, bytes, lines, summary }: WrittenPart,
  place: Pick<Spill, 'id' | 'answerId' | 'file' | 'sentBytes' | 'sentTokens' | 'sentEstimated'>,
  { origin, createdAt }: WrittenAnswer,
  { tokens, estimated }: CountedTokens,
): SpilledPart {
  const { owner, sessionId, app, server, tool, preview, profiles } = origin;
  const fresh = { pinned: false, reads: 0, lastReadAt: undefined };
  const counted = { tokens, tokensEstimated: estimated };
  return {
    spill: {
      ...place,
      owner,
      sessionId,
      app,
      server,
      tool,
      preview,
      profiles,
      kind,
      mimeType,
      bytes,
      lines,
      createdAt,
      ...counted,
      ...fresh,
    },
    summary,
  };
}

/** Returns the size as sent by the server: parts and inline blocks once each, or the texts before conversion. */
async function sizeOf(
  { parts, sent }: WrittenAnswer,
  inline: readonly unknown[],
  counts: readonly CountedTokens[],
  count: CountText,
): Promise<CountedTokens & { readonly bytes: number }> {
  if (sent !== undefined) {
    const text = sent.payload.join('\n');
    return { ...(await count(text)), bytes: Buffer.byteLength(sent.payload.join('')) };
  }
  const left = inline.map((block) => textOfBlock(block)).join('\n');
  const others = left === '' ? { tokens: 0, estimated: false } : await count(left);
  const all = [...counts, others];
  return {
    bytes: parts.reduce((sum, { payload }) => sum + payload.bytes, 0) + Buffer.byteLength(left),
    tokens: all.reduce((sum, { tokens }) => sum + tokens, 0),
    estimated: all.some(({ estimated }) => estimated),
  };
}

function textOfBlock(block: unknown): string {
  const text = objectOrEmpty(block)['text'];
  return typeof text === 'string' ? text : JSON.stringify(block);
}

interface CountedTokens {
  readonly tokens: number;
  readonly estimated: boolean;
}

/** Counts tokens in a thread, and estimates them under load. */
export type CountText = (text: string) => Promise<CountedTokens>;

async function tokensOf({ texts, scale }: Payload, count: CountText): Promise<CountedTokens> {
  let [sum, isEstimated] = [0, scale !== 1];
  for (const text of texts) {
    const { tokens, estimated } = await count(text);
    sum += tokens;
    isEstimated ||= estimated;
  }
  return { tokens: Math.round(sum * scale), estimated: isEstimated };
}
