/** Reads a range of lines from an open text file, without ever holding more of it than is asked for. */
import type { FileHandle } from 'node:fs/promises';
import type { TextEncodingName } from './content-type.ts';

export interface LineRange {
  /** 1-based, both included. */
  readonly fromLine: number;
  readonly toLine: number;
  /** Most bytes of text, as UTF-8. */
  readonly maxBytes: number;
  readonly encoding: TextEncodingName;
  readonly signal?: AbortSignal;
}

export interface ReadLines {
  readonly text: string;
  /** The line after the text. */
  readonly nextLine: number;
  /** Why it stopped: the end of the file, the end of the range, enough bytes, or too much to look through. */
  readonly end: 'file' | 'range' | 'bytes' | 'scan';
  /** The text ends within a line, which alone is longer than `maxBytes`. */
  readonly cutLine: boolean;
  /** Bytes that are not in the encoding were replaced by U+FFFD. */
  readonly damaged: boolean;
}

const chunkBytes = 256 * 1024;

/** Bytes looked through at most to reach a line far down. */
const maxScan = 512 * 1024 * 1024;

export async function readLines(handle: FileHandle, range: LineRange): Promise<ReadLines> {
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

  /** Says so when nothing more is wanted. */
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
    // Back to the last whole line, unless even the first is too long. The line that was too much is the current one.
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
