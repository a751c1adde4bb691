/** The tool `read_file`. */
import type { FileHandle } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { AppError } from '../../base/errors.ts';
import { fileError } from '../../security/file-error.ts';
import { openConfined } from '../../security/open-confined.ts';
import type { OpenedFile } from '../../security/open-confined.ts';
import { shownPath } from '../../security/shown-path.ts';
import { contentType } from './content-type.ts';
import { readLines } from './read-lines.ts';
import type { ReadLines } from './read-lines.ts';
import { answer, readOnly, textAnswer } from './tool-answer.ts';
import type { UtilsOptions } from './utils-server.ts';

const defaultBytes = 1024 * 1024;
const mostBytes = 16 * 1024 * 1024;
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
      description: 'Reads a text file or a range of its lines; images, audio and other binaries come whole.',
      annotations: readOnly,
      inputSchema: z.object({
        path: z.string(),
        fromLine: z.int().min(1).max(1e9).default(1),
        toLine: z.int().min(1).max(1e9).optional(),
        maxBytes: z.int().min(1).max(mostBytes).default(defaultBytes),
      }),
    },
    (input, context) => answer(() => readFile(options, input, context.mcpReq.signal)),
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
    return textAnswer(read.text, notes(read, file, type.encoding));
  } catch (error) {
    throw signal.aborted ? error : fileError(error, input.path);
  }
}

async function readHead(handle: FileHandle): Promise<Uint8Array> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return buffer.subarray(0, bytesRead);
}

async function readBinary(file: OpenedFile, mimeType: string, maxBytes: number): Promise<CallToolResult> {
  const { handle, real, stats } = file;
  if (stats.size > maxBytes) {
    const message = `${shownPath(real)} is binary (${mimeType}) and has ${stats.size} bytes, more than maxBytes ${maxBytes}.`;
    throw new AppError('bad_request', message, { fix: `Raise maxBytes, to ${mostBytes} at most.` });
  }
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(stats.size), 0, stats.size, 0);
  const data = buffer.subarray(0, bytesRead).toString('base64');
  if (mimeType.startsWith('image/')) return { content: [{ type: 'image', data, mimeType }] };
  if (mimeType.startsWith('audio/')) return { content: [{ type: 'audio', data, mimeType }] };
  return { content: [{ type: 'resource', resource: { uri: pathToFileURL(real).href, mimeType, blob: data } }] };
}

function tooFar(path: string, read: ReadLines): AppError {
  if (read.end === 'scan')
    return new AppError('bad_request', `The line is more than 512 MiB into "${shownPath(path)}".`);
  return new AppError('bad_request', `"${shownPath(path)}" has only ${read.nextLine - 1} lines.`);
}

/** What the reader of the text must know about it; empty where the text is all there is. */
function notes(read: ReadLines, file: OpenedFile, encoding: string): string {
  const found: string[] = [];
  if (read.text === '') found.push('The file is empty.');
  if (encoding !== 'utf-8') found.push(`Converted from ${encoding}.`);
  if (read.damaged)
    found.push(`Not valid ${encoding}: unreadable bytes are shown as \uFFFD; writing this back would lose them.`);
  if (read.cutLine) found.push(`Line ${read.nextLine - 1} is cut: it is longer than maxBytes.`);
  const stopped = read.end === 'bytes' || read.end === 'scan';
  if (stopped)
    found.push(`Stopped before line ${read.nextLine} (file: ${file.stats.size} bytes); go on with fromLine.`);
  return found.length === 0 ? '' : `[${found.join(' ')}]`;
}
