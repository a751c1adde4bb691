/** Detects a file's content by its first bytes: text and its encoding, or the kind of binary. */
import type { Dirent, Stats } from 'node:fs';
import { lstat, opendir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/server';
import { errorText } from '../../base/errors.ts';
import { isProtectedPath, type ProtectedPaths } from '../../security/protected-paths.ts';
import { anchorFolder } from '../../security/write-confined.ts';

export type TextEncodingName = 'utf-8' | 'utf-16le' | 'utf-16be';

type ContentType =
  | { readonly kind: 'text'; readonly encoding: TextEncodingName }
  | { readonly kind: 'binary'; readonly mimeType: string };

/** First bytes (as latin1) by type. */
const signatures: readonly (readonly [pattern: RegExp, mimeType: string])[] = [
  [/^\x89PNG\r\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
  [/^RIFF[^]{4}WAVE/, 'audio/wav'],
  [/^ID3/, 'audio/mpeg'],
  [/^OggS/, 'audio/ogg'],
  [/^%PDF-/, 'application/pdf'],
  [/^PK\x03\x04/, 'application/zip'],
  [/^\x1f\x8b/, 'application/gzip'],
];

/** `head`: the first few kilobytes. Bytes in an unknown encoding without a zero byte count as (damaged) UTF-8. */
export function contentType(head: Uint8Array): ContentType {
  if (head[0] === 0xff && head[1] === 0xfe) return { kind: 'text', encoding: 'utf-16le' };
  if (head[0] === 0xfe && head[1] === 0xff) return { kind: 'text', encoding: 'utf-16be' };
  const hasZero = head.includes(0);
  if (!hasZero && isUtf8Start(head)) return { kind: 'text', encoding: 'utf-8' };
  const start = Buffer.from(head.subarray(0, 16)).toString('latin1');
  const mimeType = signatures.find(([pattern]) => pattern.test(start))?.[1];
  if (mimeType !== undefined || hasZero) return { kind: 'binary', mimeType: mimeType ?? 'application/octet-stream' };
  return { kind: 'text', encoding: 'utf-8' };
}

/** Whether the bytes are UTF-8, the last character possibly cut off. */
function isUtf8Start(head: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

// Walks a folder breadth first, in order of names, without following symbolic links.

interface WalkLimits {
  /** 1: only the folder's own entries. */
  readonly depth: number;
  /** Maximum number of entries examined. */
  readonly entries: number;
  /** Folders with these names are listed but not entered. */
  readonly skip?: ReadonlySet<string>;
  /** Also asks for sizes, which costs a system call per file. */
  readonly sizes?: boolean;
  readonly signal?: AbortSignal;
  /** Resolved; neither listed nor entered. */
  readonly own?: ProtectedPaths | undefined;
}

export interface WalkEntry {
  /** Resolved folder and name; open it with `openReal`. */
  readonly real: string;
  /** Path below the start, with `/` as separator. */
  readonly way: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly size?: number;
}

/** Reasons why a walk is incomplete; grows during the walk. */
export interface WalkReport {
  full: boolean;
  unreadable: number;
  readonly skipped: Set<string>;
}

export function newReport(): WalkReport {
  return { full: false, unreadable: 0, skipped: new Set() };
}

/** `start` must come from `confinePath`. Unreadable folders are counted in the report. */
export async function* walkFolder(start: string, limits: WalkLimits, report: WalkReport): AsyncGenerator<WalkEntry> {
  let level: { readonly real: string; readonly way: string }[] = [{ real: start, way: '' }];
  let left = limits.entries;
  const isOwn = (real: string): boolean => limits.own !== undefined && isProtectedPath(limits.own, real);
  for (let depth = 1; depth <= limits.depth && level.length > 0; depth++) {
    const next: typeof level = [];
    for (const folder of level) {
      if (isOwn(folder.real)) continue;
      limits.signal?.throwIfAborted();
      for (const entry of await readEntries(folder, left + 1, limits.sizes ?? false, report)) {
        if (left-- <= 0) {
          report.full = true;
          return;
        }
        if (isOwn(entry.real)) continue;
        yield entry;
        if (entry.kind !== 'folder') continue;
        const name = entry.way.slice(entry.way.lastIndexOf('/') + 1);
        if (limits.skip?.has(name)) report.skipped.add(name);
        else next.push(entry);
      }
    }
    level = next;
  }
}

type Folder = Pick<WalkEntry, 'real' | 'way'>;

async function readEntries(folder: Folder, most: number, sizes: boolean, report: WalkReport): Promise<WalkEntry[]> {
  try {
    await using pinned = await anchorFolder(folder.real);
    const found: Dirent[] = [];
    for await (const entry of await opendir(pinned.at)) {
      if (found.push(entry) >= most) break;
    }
    // If a folder cannot be accessed by its handle, the listed names count only if the path still refers to the same
    // folder.
    if (pinned.at === folder.real && (await realpath(folder.real)) !== folder.real) throw new Error('replaced');
    found.sort((left, right) => (left.name < right.name ? -1 : 1));
    return await Promise.all(found.map((entry) => toEntry(folder, entry, pinned.at, sizes)));
  } catch {
    report.unreadable++;
    return [];
  }
}

async function toEntry(folder: Folder, entry: Dirent, at: string, sizes: boolean): Promise<WalkEntry> {
  const way = folder.way === '' ? entry.name : `${folder.way}/${entry.name}`;
  const base = { real: join(folder.real, entry.name), way, kind: kindOf(entry) };
  // Some file systems do not report the type of an entry in a listing.
  if (base.kind !== 'other' && !(sizes && base.kind === 'file')) return base;
  const stats = await lstat(join(at, entry.name)).catch(() => undefined);
  return stats === undefined ? base : { ...base, kind: kindOf(stats), size: stats.size };
}

function kindOf(entry: Dirent | Stats): WalkEntry['kind'] {
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isDirectory()) return 'folder';
  return entry.isFile() ? 'file' : 'other';
}

/** Results of built-in tools: texts, and failures as results that a model can act on. */
export const readOnly: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };

/** Returns one content block per text; empty notes are omitted. */
export function textResult(text: string, ...notes: readonly string[]): CallToolResult {
  const texts = [text, ...notes.filter((note) => note !== '')];
  return { content: texts.map((each) => ({ type: 'text', text: each })) };
}

/** Runs a tool; an error becomes an `isError` result that includes the fix, which the SDK would drop. */
export async function runTool(run: () => CallToolResult | Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await run();
  } catch (error) {
    return { ...textResult(errorText(error)), isError: true };
  }
}

// Options of the built-in server's tools: the folders they may access, and those they may not.

export interface UtilsOptions {
  /** Absolute folders that the file tools may access. */
  readonly folders: readonly string[];
  /** Paths that are never accessible. */
  readonly own?: ProtectedPaths;
  readonly now?: () => Date;
  /** The platform whose naming rules apply to paths; this computer's by default. */
  readonly platform?: NodeJS.Platform;
}
