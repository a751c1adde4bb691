/** A spill: an answer, or a part of one, kept on disk. */
import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../base/json.ts';
import { isSecretName } from '../base/mask.ts';
import type { Result } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';

/** Content of the file; JSON is pretty-printed with one element per line, so that lines can be queried. */
export type SpillKind = 'text' | 'json' | 'toon' | 'image' | 'audio' | 'binary';

/** The call and owner that a result belongs to. */
export interface SpillOrigin {
  /** Who may read it (`Principal.owner`); empty: the person alone. */
  readonly owner: string;
  readonly sessionId: string;
  readonly app: string;
  readonly server: string;
  readonly tool: string;
  /** The argument that identifies the call (activity/argument-preview.ts). */
  readonly preview?: string | undefined;
  /** The profiles that it was kept in, by what they are told apart by; undefined: in none. */
  readonly profiles?: string | undefined;
}

export interface Spill extends SpillOrigin {
  /** Short and unguessable; `resultFile` takes it as well as the path, and `tooltray://spill/<id>` is its URI. */
  readonly id: string;
  /** The id of the first part of the same answer; its own where it is the first. */
  readonly answerId: string;
  /** Absolute path inside the store. */
  readonly file: string;
  readonly kind: SpillKind;
  readonly mimeType: string;
  /** Size of the file, which is laid out in lines and may hold a part of the answer only. */
  readonly bytes: number;
  /** Tokens of what the server sent of this part: counted (o200k) if affordable, else estimated. */
  readonly tokens: number;
  readonly tokensEstimated: boolean;
  /** The payload of the whole result, in bytes of what it says once; undefined where the index was lost. */
  readonly sentBytes: number | undefined;
  readonly sentTokens: number | undefined;
  readonly sentEstimated: boolean;
  /** Lines of the file (parts between line feeds); undefined for what has none. */
  readonly lines: number | undefined;
  /** ms since the epoch. */
  readonly createdAt: number;
  readonly pinned: boolean;
  /** How often it was asked for, and when last. */
  readonly reads: number;
  readonly lastReadAt: number | undefined;
}

/** The text that the model receives in place of a spill. */
export interface SpillSummary {
  /** The content in a few lines: keys with types, lengths of arrays, ranges of numbers. */
  readonly shape: readonly string[];
  /** Keys of the topmost object, or elements of the topmost array; absent for what is neither. */
  readonly topLevelKeys?: readonly string[];
  readonly elements?: number;
  /** A JSONPath that finds single elements of its longest list of objects: `$.rows[?(@.name=='…')]`. */
  readonly example?: string;
  /** The tables that SQL finds in it, a line each, and a statement over them. */
  readonly tables?: readonly string[];
  readonly sqlExample?: string;
  /** The first and the last characters; `tail` is empty where `head` is all of it. */
  readonly head: string;
  readonly tail: string;
}

export interface SpilledPart {
  readonly spill: Spill;
  readonly summary: SpillSummary;
}

/**
 * An answer that was kept: its parts in the answer's order, the main one first. Small parts that stay in the answer are
 * in `inline`.
 */
export interface SpilledResult {
  readonly parts: readonly [SpilledPart, ...SpilledPart[]];
  /** Content blocks that are given as they are: links, small texts beside a big one. */
  readonly inline: readonly JsonObject[];
  readonly isError: boolean;
  /** `_meta` and unknown members of the result, kept beside its content. */
  readonly rest: JsonObject;
  /**
   * The payload of the whole result: bytes of UTF-8, and tokens. The one size and the one count that are told of it.
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

// Names of kept files: readable for people, unguessable for everybody else.

/** 32 letters and digits that cannot be taken for each other, alike in every case. */
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

/**
 * None that reads as the name of a secret (`…4key7`): in "the file ID: there is none" the word behind it would be
 * masked.
 */
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

/** undefined for a name that is none of ours. */
export function parseSpillFileName(name: string): SpillName | undefined {
  const [, server, tool, id, extension] = filePattern.exec(name) ?? [];
  if (server === undefined || tool === undefined || id === undefined || extension === undefined) return undefined;
  return { server, tool, id, extension };
}

/** Returns the name prefix of one result's unfinished files; the process id shows whether they are still written. */
export function tempFileStem(folder: string): string {
  return join(folder, `.${newSpillId()}.${process.pid}`);
}

/** The process that writes the unfinished file; undefined for a name that is no such file's. */
export function spillTempFilePid(name: string): number | undefined {
  const [, writer] = draftPattern.exec(name) ?? [];
  return writer === undefined ? undefined : Number(writer);
}

function slug(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9_]+/g, '-').slice(0, maxSlugLength);
  return plain.replace(/^-+|-+$/g, '') || 'x';
}

/** The `_meta` key for facts about a spill, for helper tools and for client apps that want more than prose. */
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
  /** A JSONPath that finds single elements of its longest list of objects. */
  readonly example?: string;
  readonly tables?: readonly string[];
  readonly sqlExample?: string;
  readonly head: string;
  readonly tail: string;
}

export interface SpillInfo {
  /** The threshold in bytes that was passed; absent where the file was asked for. */
  readonly exceeded?: number;
  /** The payload of the whole result. */
  readonly resultBytes: number;
  readonly resultTokens: number;
  readonly tokensEstimated: boolean;
  readonly parts: readonly SpillPartInfo[];
}

/** A class of its own, so that facts written by a server under the same key are never trusted. */
class OwnFacts {}

export function spillUri(id: string): string {
  return `tooltray://spill/${id}`;
}

interface SpillMeasures {
  readonly exceeded: number | undefined;
  /** Outline of the main part, if its text does not show its content. */
  readonly top?: DataOutline | undefined;
}

export function createSpillInfo(kept: SpilledResult, { exceeded, top }: SpillMeasures): SpillInfo {
  return Object.assign(new OwnFacts(), {
    ...(exceeded !== undefined && { exceeded }),
    resultBytes: kept.resultBytes,
    resultTokens: kept.resultTokens,
    tokensEstimated: kept.tokensEstimated,
    parts: kept.parts.map((part, at) => ({ ...partFacts(part), ...(at === 0 && top) })),
  });
}

/** Returns the spill facts of a result from the pipeline; undefined if nothing was spilled. */
export function parseSpillInfo(result: JsonObject): SpillInfo | undefined {
  const meta = result['_meta'];
  const facts = isObject(meta) ? meta[spillMetaKey] : undefined;
  return facts instanceof OwnFacts ? (facts as SpillInfo) : undefined;
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

// A file that readers may look into: a kept answer, or one in a folder that the person has allowed.

/** Read through the handle: somebody may exchange what lies at the path. Whoever opens it disposes of it. */
export interface OpenedSpill extends AsyncDisposable {
  readonly handle: FileHandle;
  /** Absolute, without symbolic links. */
  readonly file: string;
  readonly kind: SpillKind;
  readonly bytes: number;
  /** undefined for a file of an allowed folder. */
  readonly spill: Spill | undefined;
}

/** The whole result as it is sent: every content block and `structuredContent` together, in bytes. */
export function resultBytes(result: Result): number {
  return result instanceof RawJson ? result.byteLength : Buffer.byteLength(JSON.stringify(result));
}

// Whether a file is text, by its first bytes.

const sniffBytes = 8192;

export async function looksBinary(handle: FileHandle): Promise<boolean> {
  const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(sniffBytes), 0, sniffBytes, 0);
  const bytes = buffer.subarray(0, bytesRead);
  if (bytes.includes(0)) return true;
  // The last character may be cut.
  return bytesRead < sniffBytes
    ? !isUtf8(bytes)
    : ![0, 1, 2, 3].some((cut) => isUtf8(bytes.subarray(0, bytesRead - cut)));
}

/** The top level of a result's data. */
export interface DataOutline {
  readonly topLevelKeys?: readonly string[];
  readonly elements?: number;
}
