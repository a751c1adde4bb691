/** A spill: a tool result, or part of one, stored on disk because it is too large for the model. */
import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../base/json.ts';
import { isSecretName } from '../base/mask.ts';
import type { Result } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';

/** Format of the file; JSON is pretty-printed with one element per line, so that lines can be queried. */
export type SpillKind = 'text' | 'json' | 'toon' | 'image' | 'audio' | 'binary';

/** The call and owner that a result belongs to. */
export interface SpillOrigin {
  /** Owner (`Principal.owner`); empty for the local user. */
  readonly owner: string;
  readonly sessionId: string;
  readonly app: string;
  readonly server: string;
  readonly tool: string;
  /** The argument that identifies the call (activity/argument-preview.ts). */
  readonly preview?: string | undefined;
  /** Key of the profiles that were active when it was stored; undefined if none. */
  readonly profiles?: string | undefined;
}

export interface Spill extends SpillOrigin {
  /** Short and unguessable; `resultFile` takes it as well as the path, and `tooltray://spill/<id>` is its URI. */
  readonly id: string;
  /** ID of the first part of the same result; equals `id` for the first part. */
  readonly answerId: string;
  /** Absolute path inside the store. */
  readonly file: string;
  readonly kind: SpillKind;
  readonly mimeType: string;
  /** Size of the file in bytes; the file is formatted in lines and may hold only a part of the result. */
  readonly bytes: number;
  /** Tokens of this part as sent by the server: counted (o200k) if affordable, else estimated. */
  readonly tokens: number;
  readonly tokensEstimated: boolean;
  /**
   * Payload of the whole result in bytes, without content that is repeated in `structuredContent`; undefined if the
   * index was lost.
   */
  readonly sentBytes: number | undefined;
  readonly sentTokens: number | undefined;
  readonly sentEstimated: boolean;
  /** Number of lines of the file; undefined if it has none. */
  readonly lines: number | undefined;
  /** ms since the epoch. */
  readonly createdAt: number;
  readonly pinned: boolean;
  /** Number of reads, and the time of the last one. */
  readonly reads: number;
  readonly lastReadAt: number | undefined;
}

/** The text that the model receives in place of a spill. */
export interface SpillSummary {
  /** Summary of the content in a few lines: keys with types, lengths of arrays, ranges of numbers. */
  readonly shape: readonly string[];
  /** Number of keys of the root object or elements of the root array; absent for other roots. */
  readonly topLevelKeys?: readonly string[];
  readonly elements?: number;
  /** A JSONPath that finds single elements of the longest list of objects: `$.rows[?(@.name=='…')]`. */
  readonly example?: string;
  /** The tables that SQL finds in it, one per line, and an example statement. */
  readonly tables?: readonly string[];
  readonly sqlExample?: string;
  /** The first and last characters; `tail` is empty if `head` is the whole text. */
  readonly head: string;
  readonly tail: string;
}

export interface SpilledPart {
  readonly spill: Spill;
  readonly summary: SpillSummary;
}

/**
 * A stored result: its parts in the order of the result, the main one first. Small parts that stay in the result are in
 * `inline`.
 */
export interface SpilledResult {
  readonly parts: readonly [SpilledPart, ...SpilledPart[]];
  /** Content blocks passed through unchanged: links, and small texts next to a large one. */
  readonly inline: readonly JsonObject[];
  readonly isError: boolean;
  /** `_meta` and unknown members of the result, kept next to its content. */
  readonly rest: JsonObject;
  /**
   * The payload of the whole result, in bytes of UTF-8 and in tokens: the only size and token count reported for it.
   */
  readonly resultBytes: number;
  readonly resultTokens: number;
  readonly tokensEstimated: boolean;
}

/** The server's result, if it was converted before it was stored. */
export interface OriginalResult {
  /** Its texts (`payloadTexts`). */
  readonly payload: readonly string[];
}

// File names consist of a readable prefix and an unguessable ID.

/** 32 unambiguous lowercase letters and digits, safe on case-insensitive file systems. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
/** 20 characters of 5 bits each: 100 bits. */
const idLength = 20;
const maxSlugLength = 24;

const idPattern = /^[a-km-np-z2-9]{20}$/;
const filePattern = /^([A-Za-z0-9_]+)-([A-Za-z0-9_-]+)-([a-km-np-z2-9]{20})\.([a-z0-9]{1,5})$/;
const draftPattern = /^\.[a-km-np-z2-9]{20}\.(\d+)-m?\d+\.tmp$/;

interface SpillName {
  readonly server: string;
  readonly tool: string;
  readonly id: string;
  readonly extension: string;
}

/** Avoids IDs that look like the name of a secret (`…4key7`): the masker would mask the text after it. */
export function newSpillId(): string {
  for (;;) {
    const id = Array.from(randomBytes(idLength), (byte) => alphabet[byte & 31]).join('');
    if (!isSecretName(id)) return id;
  }
}

export function isSpillId(text: string): boolean {
  return idPattern.test(text);
}

export function spillFileName({ server, tool, id, extension }: SpillName): string {
  return `${slug(server).replaceAll('-', '_')}-${slug(tool)}-${id}.${extension}`;
}

/** Returns undefined if the name is not a spill file's. */
export function parseSpillFileName(name: string): SpillName | undefined {
  const [, server, tool, id, extension] = filePattern.exec(name) ?? [];
  if (server === undefined || tool === undefined || id === undefined || extension === undefined) return undefined;
  return { server, tool, id, extension };
}

/** Returns the name prefix of one result's unfinished files; the process id shows whether they are still written. */
export function tempFileStem(folder: string): string {
  return join(folder, `.${newSpillId()}.${process.pid}`);
}

/** Returns the ID of the process that writes the unfinished file; undefined if the name is not such a file's. */
export function spillTempFilePid(name: string): number | undefined {
  const [, pid] = draftPattern.exec(name) ?? [];
  return pid === undefined ? undefined : Number(pid);
}

function slug(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9_]+/g, '-').slice(0, maxSlugLength);
  return plain.replace(/^-+|-+$/g, '') || 'x';
}

/** The `_meta` key for facts about a spill, read by helper tools and by client apps. */
export const spillMetaKey = 'tooltray/spill';

export interface SpillPartInfo {
  readonly id: string;
  /** Absolute path. */
  readonly file: string;
  readonly uri: string;
  readonly kind: SpillKind;
  readonly mimeType: string;
  readonly bytes: number;
  readonly tokens: number;
  readonly lines?: number;
  readonly topLevelKeys?: readonly string[];
  readonly elements?: number;
  readonly shape: readonly string[];
  /** A JSONPath that finds single elements of the longest list of objects. */
  readonly example?: string;
  readonly tables?: readonly string[];
  readonly sqlExample?: string;
  readonly head: string;
  readonly tail: string;
}

export interface SpillInfo {
  /** The exceeded threshold in bytes; absent if the file was requested. */
  readonly exceeded?: number;
  /** The payload of the whole result. */
  readonly resultBytes: number;
  readonly resultTokens: number;
  readonly tokensEstimated: boolean;
  readonly parts: readonly SpillPartInfo[];
}

/** A separate class, so that facts written by a server under the same key are never trusted. */
class TrustedMeta {}

export function spillUri(id: string): string {
  return `tooltray://spill/${id}`;
}

interface SpillMeasures {
  readonly exceeded: number | undefined;
  /** Outline of the main part, if its text does not show the structure. */
  readonly top?: DataOutline | undefined;
}

export function createSpillInfo(spilled: SpilledResult, { exceeded, top }: SpillMeasures): SpillInfo {
  return Object.assign(new TrustedMeta(), {
    ...(exceeded !== undefined && { exceeded }),
    resultBytes: spilled.resultBytes,
    resultTokens: spilled.resultTokens,
    tokensEstimated: spilled.tokensEstimated,
    parts: spilled.parts.map((part, at) => ({ ...partFacts(part), ...(at === 0 && top) })),
  });
}

/** Returns the spill facts of a result from the pipeline; undefined if nothing was spilled. */
export function parseSpillInfo(result: JsonObject): SpillInfo | undefined {
  const meta = result['_meta'];
  const facts = isObject(meta) ? meta[spillMetaKey] : undefined;
  return facts instanceof TrustedMeta ? (facts as SpillInfo) : undefined;
}

function partFacts({ spill, summary }: SpilledPart): SpillPartInfo {
  const { id, file, kind, mimeType, bytes, tokens, lines } = spill;
  return {
    id,
    file,
    uri: spillUri(id),
    kind,
    mimeType,
    bytes,
    tokens,
    ...(lines !== undefined && { lines }),
    ...summary,
  };
}

// A readable file: a spill, or a file in a directory that the user has allowed.

/** Read through the handle, because the path may be replaced meanwhile. The caller disposes it. */
export interface OpenedSpill extends AsyncDisposable {
  readonly handle: FileHandle;
  /** Absolute, without symbolic links. */
  readonly file: string;
  readonly kind: SpillKind;
  readonly bytes: number;
  /** Undefined for a file in an allowed directory. */
  readonly spill: Spill | undefined;
}

/** Returns the size of the whole result as sent: all content blocks and `structuredContent`, in bytes. */
export function resultBytes(result: Result): number {
  return result instanceof RawJson ? result.byteLength : Buffer.byteLength(JSON.stringify(result));
}

// How much of a file is read to decide whether it is text, in bytes.

const sniffBytes = 8192;

export async function looksBinary(handle: FileHandle): Promise<boolean> {
  const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(sniffBytes), 0, sniffBytes, 0);
  const bytes = buffer.subarray(0, bytesRead);
  if (bytes.includes(0)) return true;
  // The last multi-byte character may be truncated.
  return bytesRead < sniffBytes
    ? !isUtf8(bytes)
    : ![0, 1, 2, 3].some((cut) => isUtf8(bytes.subarray(0, bytesRead - cut)));
}

/** The top level of a result's data. */
export interface DataOutline {
  readonly topLevelKeys?: readonly string[];
  readonly elements?: number;
}
