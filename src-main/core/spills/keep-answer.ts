/** Keeps one answer: written under no name, described, named, and put into the index last of all. */
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../base/json.ts';
import type { AnswerWriter, WrittenPart } from './keep-thread.ts';
import { type AnswerRemains, isTextKind } from './messages.ts';
import {
  draftStem,
  type KeptAnswer,
  type KeptPart,
  newSpillId,
  type Spill,
  spillFileName,
  type SpillOrigin,
} from './spill.ts';

/** An answer that is to be kept. */
export interface WantedAnswer {
  readonly chunks: readonly Buffer[];
  /** The whole result as the server sent it. */
  readonly sent: readonly Buffer[];
  /** `SentAnswer` */
  readonly showsMedia: boolean;
  readonly origin: SpillOrigin;
  /** What its texts are that are no JSON. */
  readonly textKind: 'text' | 'toon';
}

export interface NamedSpill {
  readonly spill: Spill;
  readonly name: string;
}

interface KeepPlace {
  readonly folder: string;
  /** Notes what is known of the parts; all or none. `name`: of the file in the folder. */
  readonly index: { insert(spills: readonly NamedSpill[]): void | Promise<void> };
  readonly writer: AnswerWriter;
  readonly mostBytes: number;
  readonly now: () => number;
  readonly countTokens: CountText;
}

/** Rejects with KeepFailure, or what the file system and SQLite throw; nothing is left over then. */
export async function keepAnswer(answer: WantedAnswer, place: KeepPlace): Promise<KeptAnswer> {
  const { chunks, textKind } = answer;
  const { folder, index, writer, mostBytes, now, countTokens } = place;
  const stem = draftStem(folder);
  const written = await writer.write(chunks, { stem, mostBytes, textKind });
  const files: string[] = [];
  try {
    const createdAt = Math.trunc(now());
    const { kept, names } = await describeAnswer({ ...answer, ...written, createdAt }, folder, countTokens);
    for (const [at, { file }] of written.parts.entries()) {
      files.push(join(folder, names[at] as string));
      await rename(file, files[at] as string);
    }
    const noted = index.insert(kept.parts.map(({ spill }, at) => ({ spill, name: names[at] as string })));
    if (noted !== undefined) await noted;
    return kept;
  } catch (error) {
    await writer.clear(stem);
    await Promise.all(files.map((file) => rm(file, { force: true }).catch(() => undefined)));
    throw error;
  }
}

// Describes what was written of an answer: an id and a name for each part, its tokens, and what stays in the answer.

interface WrittenAnswer extends WantedAnswer {
  readonly parts: readonly WrittenPart[];
  readonly remains: string;
  readonly createdAt: number;
}

async function describeAnswer(
  written: WrittenAnswer,
  folder: string,
  count: CountText,
): Promise<{ readonly kept: KeptAnswer; readonly names: readonly string[] }> {
  const { parts, remains, sent } = written;
  const { inline, rest } = parseJson(remains) as AnswerRemains;
  const ids = parts.map(newSpillId);
  const answerId = ids[0] as string;
  const counts: CountedTokens[] = [];
  for (const part of parts) counts.push(await tokensOf(part, count));
  const { tokens, estimated } = await resultTokens(written, counts, count);
  const resultBytes = sent.reduce((sum, chunk) => sum + chunk.length, 0);
  const asSent = { sentBytes: resultBytes, sentTokens: tokens, sentEstimated: estimated };
  const described: KeptPart[] = [];
  const names: string[] = [];
  for (const [at, part] of parts.entries()) {
    const id = ids[at] as string;
    const name = spillFileName({ ...written.origin, id, extension: part.extension });
    names.push(name);
    const place = { id, answerId, file: join(folder, name), ...asSent };
    described.push(describePart(part, place, written, counts[at] as CountedTokens));
  }
  const { isError, ...others } = rest;
  const kept: KeptAnswer = {
    parts: described as [KeptPart, ...KeptPart[]],
    inline,
    isError: isError === true,
    rest: others,
    resultBytes,
    resultTokens: tokens,
    tokensEstimated: estimated,
  };
  return { kept, names };
}

function describePart(
  { kind, mimeType, bytes, lines, summary }: WrittenPart,
  place: Pick<Spill, 'id' | 'answerId' | 'file' | 'sentBytes' | 'sentTokens' | 'sentEstimated'>,
  { origin, createdAt }: WrittenAnswer,
  { tokens, estimated }: CountedTokens,
): KeptPart {
  const { owner, sessionId, app, server, tool, profiles } = origin;
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

/** What pictures and sound cost depends on the model; as none, nothing is claimed to be saved by keeping them. */
async function tokensOf(part: WrittenPart, count: CountText): Promise<CountedTokens> {
  if (!isTextKind(part.kind)) return { tokens: 0, estimated: true };
  const { content } = part;
  return content === undefined ? tokensOfFile(part.file, part.bytes, count) : tokensOfChunks([content], count);
}

async function resultTokens(
  { parts, remains, chunks, sent, showsMedia }: WrittenAnswer,
  counts: readonly CountedTokens[],
  count: CountText,
): Promise<CountedTokens> {
  if (parts.every(({ kind }) => isTextKind(kind))) {
    return showsMedia ? { ...(await tokensOfChunks(chunks, count)), estimated: true } : tokensOfChunks(sent, count);
  }
  const inParts = counts.reduce((sum, { tokens }) => sum + tokens, 0);
  return { tokens: inParts + (await count(remains)).tokens, estimated: true };
}

// Tokens of what is kept: counted up to 4 MB, estimated from pieces of it beyond.

interface CountedTokens {
  readonly tokens: number;
  readonly estimated: boolean;
}

/** Counts in a thread of its own, and estimates what it has no time for. */
export type CountText = (text: string) => Promise<CountedTokens>;

const mostCounted = 4 * 1024 * 1024;
const pieces = 32;
const pieceBytes = 16 * 1024;

/** Gives the bytes from `start` on, at most `length`. */
type ReadBytes = (start: number, length: number) => Promise<Buffer>;

async function tokensOfFile(file: string, bytes: number, count: CountText): Promise<CountedTokens> {
  await using handle = await open(file, 'r');
  return await tokensInWindows(bytes, count, async (start, length) => {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, start);
    return buffer.subarray(0, bytesRead);
  });
}

function tokensOfChunks(chunks: readonly Uint8Array[], count: CountText): Promise<CountedTokens> {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return tokensInWindows(bytes, count, (start, length) => Promise.resolve(slice(chunks, start, length)));
}

async function tokensInWindows(bytes: number, count: CountText, read: ReadBytes): Promise<CountedTokens> {
  if (bytes <= mostCounted) return count((await read(0, bytes)).toString('utf8'));
  const step = (bytes - pieceBytes) / (pieces - 1);
  let tokens = 0;
  for (let piece = 0; piece < pieces; piece++) {
    // A character that is cut reads as one replacement: the estimate does not mind.
    const text = (await read(Math.floor(piece * step), pieceBytes)).toString('utf8');
    tokens += (await count(text)).tokens;
  }
  return { tokens: Math.round((tokens * bytes) / (pieces * pieceBytes)), estimated: true };
}

function slice(chunks: readonly Uint8Array[], start: number, length: number): Buffer {
  const found: Uint8Array[] = [];
  let offset = 0;
  for (const chunk of chunks) {
    const from = Math.max(0, start - offset);
    const to = Math.min(chunk.length, start + length - offset);
    if (from < to) found.push(chunk.subarray(from, to));
    offset += chunk.length;
    if (offset >= start + length) break;
  }
  return Buffer.concat(found);
}
