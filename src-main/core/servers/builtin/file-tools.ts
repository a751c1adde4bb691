/** The tools `read_file` and `write_file`. */
import type { FileHandle } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { AppError } from '../../base/errors.ts';
import { formatCount } from '../../base/text-format.ts';
import { toFileError, displayPath } from '../../security/file-paths.ts';
import { openConfined, type OpenedFile } from '../../security/open-confined.ts';
import {
  runTool,
  contentType,
  readOnly,
  textResult,
  type TextEncodingName,
  type UtilsOptions,
} from './file-content.ts';
import { writeConfined } from '../../security/write-confined.ts';

const defaultBytes = 1024 * 1024;
const maxReadBytes = 16 * 1024 * 1024;
const headBytes = 8192;

interface ReadArguments {
  readonly path: string;
  readonly fromLine: number;
  readonly toLine?: number | undefined;
  readonly maxBytes: number;
}

export function registerReadTool(server: McpServer, options: UtilsOptions): void {
  server.registerTool(
    'read_file',
    {
      title: 'Read file',
      description: 'Reads a text file or a line range; returns images, audio and other binaries whole.',
      annotations: readOnly,
      inputSchema: z.object({
        path: z.string(),
        fromLine: z.int().min(1).max(1e9).default(1),
        toLine: z.int().min(1).max(1e9).optional(),
        maxBytes: z.int().min(1).max(maxReadBytes).default(defaultBytes),
      }),
    },
    (input, context) => runTool(() => readFile(options, input, context.mcpReq.signal)),
  );
}

async function readFile(options: UtilsOptions, input: ReadArguments, signal: AbortSignal): Promise<CallToolResult> {
  const file = await openConfined(options.folders, input.path, undefined, options);
  await using handle = file.handle;
  try {
    const type = contentType(await readHead(handle));
    if (type.kind === 'binary') return await readBinary(file, type.mimeType, input.maxBytes);
    const { path, fromLine, toLine = Infinity, maxBytes } = input;
    if (toLine < fromLine) throw new AppError('bad_request', 'toLine is before fromLine.');
    const read = await readLines(handle, { fromLine, toLine, maxBytes, encoding: type.encoding, signal });
    if (read.text === '' && fromLine > 1) throw tooFar(path, read);
    return textResult(read.text, notes(read, file, type.encoding));
  } catch (error) {
    throw signal.aborted ? error : toFileError(error, input.path);
  }
}

async function readHead(handle: FileHandle): Promise<Uint8Array> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return buffer.subarray(0, bytesRead);
}

async function readBinary(file: OpenedFile, mimeType: string, maxBytes: number): Promise<CallToolResult> {
  const { handle, real, stats } = file;
  if (stats.size > maxBytes) {
    const message = `${displayPath(real)} is binary (${mimeType}) and has ${stats.size} bytes, more than maxBytes ${maxBytes}.`;
    throw new AppError('bad_request', message, { fix: `Raise maxBytes to at most ${maxReadBytes}.` });
  }
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(stats.size), 0, stats.size, 0);
  const data = buffer.subarray(0, bytesRead).toString('base64');
  if (mimeType.startsWith('image/')) return { content: [{ type: 'image', data, mimeType }] };
  if (mimeType.startsWith('audio/')) return { content: [{ type: 'audio', data, mimeType }] };
  return { content: [{ type: 'resource', resource: { uri: pathToFileURL(real).href, mimeType, blob: data } }] };
}

function tooFar(path: string, read: ReadLines): AppError {
  if (read.end === 'scan')
    return new AppError('bad_request', `The line is beyond the first 512 MiB of "${displayPath(path)}".`);
  return new AppError('bad_request', `"${displayPath(path)}" has only ${formatCount(read.nextLine - 1, 'line')}.`);
}

/** Notes for the reader of the text; empty if the text is complete. */
function notes(read: ReadLines, file: OpenedFile, encoding: string): string {
  const found: string[] = [];
  if (read.text === '') found.push('The file is empty.');
  if (encoding !== 'utf-8') found.push(`Converted from ${encoding}.`);
  if (read.damaged)
    found.push(`Not valid ${encoding}: unreadable bytes are shown as \uFFFD; writing this back would lose them.`);
  if (read.cutLine) found.push(`Line ${read.nextLine - 1} is truncated: it is longer than maxBytes.`);
  const stopped = read.end === 'bytes' || read.end === 'scan';
  if (stopped)
    found.push(`Stopped before line ${read.nextLine} (file: ${file.stats.size} bytes); continue with fromLine.`);
  return found.length === 0 ? '' : `[${found.join(' ')}]`;
}

// Reads a range of lines from an open text file, holding no more than is requested.

interface LineRange {
  /** 1-based, both inclusive. */
  readonly fromLine: number;
  readonly toLine: number;
  /** Maximum size of the text, in bytes (UTF-8). */
  readonly maxBytes: number;
  readonly encoding: TextEncodingName;
  readonly signal?: AbortSignal;
}

interface ReadLines {
  readonly text: string;
  /** The line after the returned text. */
  readonly nextLine: number;
  /** The reason for the end: end of file, end of range, size limit, or scan limit. */
  readonly end: 'file' | 'range' | 'bytes' | 'scan';
  /** Whether the text ends within a line that alone exceeds `maxBytes`. */
  readonly cutLine: boolean;
  /** Whether bytes that are invalid in the encoding were replaced by U+FFFD. */
  readonly damaged: boolean;
}

const chunkBytes = 256 * 1024;

/** Maximum number of bytes scanned to reach a line. */
const maxScan = 512 * 1024 * 1024;

async function readLines(handle: FileHandle, range: LineRange): Promise<ReadLines> {
  const collector = new LineCollector(range);
  const decoder = new TextDecoder(range.encoding);
  const strict = new TextDecoder(range.encoding, { fatal: true });
  let damaged = false;
  const chunk = Buffer.alloc(chunkBytes);
  for (let position = 0; ;) {
    range.signal?.throwIfAborted();
    const { bytesRead } = await handle.read(chunk, 0, chunkBytes, position);
    position += bytesRead;
    const last = bytesRead === 0;
    const bytes = chunk.subarray(0, bytesRead);
    damaged ||= !decodes(strict, bytes, !last);
    const end = collector.add(decoder.decode(bytes, { stream: !last })) ?? (last ? 'file' : undefined);
    if (end !== undefined) return { ...collector.result(end), damaged };
    if (position >= maxScan) return { ...collector.result('scan'), damaged };
  }
}

function decodes(strict: TextDecoder, bytes: Uint8Array, stream: boolean): boolean {
  try {
    strict.decode(bytes, { stream });
    return true;
  } catch {
    return false;
  }
}

class LineCollector {
  readonly #range: LineRange;
  readonly #pieces: string[] = [];
  #bytes = 0;
  #line = 1;
  #atLineStart = true;

  constructor(range: LineRange) {
    this.#range = range;
  }

  /** Returns the reason when no more is needed. */
  add(text: string): 'range' | 'bytes' | undefined {
    for (let start = 0; start < text.length;) {
      const newline = text.indexOf('\n', start);
      const stop = newline < 0 ? text.length : newline + 1;
      if (this.#line >= this.#range.fromLine) {
        const piece = text.slice(start, stop);
        this.#pieces.push(piece);
        this.#bytes += Buffer.byteLength(piece);
        if (this.#bytes > this.#range.maxBytes) return 'bytes';
      }
      this.#atLineStart = newline >= 0;
      if (newline >= 0) this.#line++;
      if (this.#line > this.#range.toLine) return 'range';
      start = stop;
    }
    return undefined;
  }

  result(end: ReadLines['end']): Omit<ReadLines, 'damaged'> {
    const text = this.#pieces.join('');
    const nextLine = this.#atLineStart ? this.#line : this.#line + 1;
    if (end !== 'bytes') return { text, nextLine, end, cutLine: false };
    // Back to the last complete line, unless even the first exceeds the limit. The line that exceeded it becomes the
    // current one.
    const lastPiece = this.#pieces.at(-1) ?? '';
    const lineStart = text.lastIndexOf('\n', text.length - (lastPiece.endsWith('\n') ? 2 : 1)) + 1;
    if (lineStart > 0) return { text: text.slice(0, lineStart), nextLine: this.#line, end, cutLine: false };
    const bytes = Buffer.from(text).subarray(0, this.#range.maxBytes);
    return {
      text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true }),
      nextLine: this.#line + 1,
      end,
      cutLine: true,
    };
  }
}

// Writes files.

const maxBytes = 16 * 1024 * 1024;

export function registerWriteTool(server: McpServer, options: UtilsOptions): void {
  server.registerTool(
    'write_file',
    {
      title: 'Write file',
      description: 'Writes a whole UTF-8 text file, creating missing folders. Makes no backup.',
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      inputSchema: z.object({
        path: z.string(),
        content: z.string(),
        mode: z.enum(['create', 'overwrite', 'append']).default('create'),
      }),
    },
    ({ path, content, mode }) =>
      runTool(async () => {
        const bytes = Buffer.byteLength(content);
        if (bytes > maxBytes) throw new AppError('bad_request', `The content has ${bytes} bytes; the limit is 16 MiB.`);
        const { real, created } = await writeConfined(options.folders, path, content, mode, options);
        const done = created ? 'Created' : mode === 'append' ? 'Appended to' : 'Replaced';
        return textResult(`${done} ${displayPath(real)} (${formatCount(bytes, 'byte')} written).`);
      }),
  );
}
