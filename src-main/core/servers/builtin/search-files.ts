/** Looks for text in the names and contents of files below a folder, within limits of number, bytes and time. */
import { constants } from 'node:fs';
import { type OwnPlaces, refuseOwnLink } from '../../security/own-places.ts';
import { openReal } from '../../security/open-confined.ts';
import { contentType } from './content-type.ts';
import type { TextFinder } from './text-finder.ts';
import { newReport, walkFolder } from './walk-folder.ts';
import type { WalkReport } from './walk-folder.ts';

export interface FileMatch {
  /** Path below the start; '' for the start itself. */
  readonly way: string;
  readonly nameMatches: boolean;
  readonly lines: readonly { readonly number: number; readonly text: string }[];
}

export interface SearchReport extends WalkReport {
  files: number;
  matches: number;
  tooBig: number;
  outOfTime: boolean;
}

export interface SearchOptions {
  readonly finder: TextFinder;
  readonly maxMatches: number;
  /** ms on the clock of performance.now(). */
  readonly deadline: number;
  readonly signal: AbortSignal;
  /** Resolved. */
  readonly own?: OwnPlaces | undefined;
}

/** Larger files are left out and counted. */
const maxFileBytes = 4 * 1024 * 1024;
const walkLimits = { depth: 40, entries: 20_000, skip: new Set(['.git', 'node_modules']) };
const excerptCharacters = 200;

export function newSearchReport(): SearchReport {
  return { ...newReport(), files: 0, matches: 0, tooBig: 0, outOfTime: false };
}

/** `start` must come from `confinePath`. Ends early when the report says so. */
export async function* searchFiles(
  start: string,
  options: SearchOptions,
  report: SearchReport,
): AsyncGenerator<FileMatch> {
  for await (const entry of walkFolder(start, { ...walkLimits, signal: options.signal, own: options.own }, report)) {
    if (performance.now() > options.deadline) report.outOfTime = true;
    if (report.outOfTime || report.matches >= options.maxMatches) return;
    const name = entry.way.slice(entry.way.lastIndexOf('/') + 1);
    const nameMatches = (await options.finder.find([name], 1)).length > 0;
    if (nameMatches) report.matches++;
    const lines = entry.kind === 'file' ? await searchFile(entry.real, options, report) : [];
    if (nameMatches || lines.length > 0) yield { way: entry.way, nameMatches, lines };
  }
}

/** The matching lines of one file; none where it is binary, too big or cannot be read (counted in the report). */
export async function searchFile(
  real: string,
  options: SearchOptions,
  report: SearchReport,
): Promise<FileMatch['lines']> {
  const text = await readSmallText(real, options.own, report).catch(() => {
    report.unreadable++;
    return undefined;
  });
  if (text === undefined) return [];
  const lines = text.split(/\r?\n/);
  const found = await options.finder.find(lines, options.maxMatches - report.matches);
  report.matches += found.length;
  return found.map(({ index, at }) => ({ number: index + 1, text: excerpt(lines[index] ?? '', at) }));
}

async function readSmallText(
  real: string,
  own: OwnPlaces | undefined,
  report: SearchReport,
): Promise<string | undefined> {
  await using handle = await openReal(real, constants.O_RDONLY);
  const stats = await handle.stat();
  if (!stats.isFile()) return undefined;
  if (own !== undefined) await refuseOwnLink(own, stats, real);
  report.files++;
  if (stats.size > maxFileBytes) {
    report.tooBig++;
    return undefined;
  }
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(stats.size), 0, stats.size, 0);
  const bytes = buffer.subarray(0, bytesRead);
  const type = contentType(bytes.subarray(0, 8192));
  return type.kind === 'text' ? new TextDecoder(type.encoding).decode(bytes) : undefined;
}

function excerpt(line: string, at: number): string {
  const start = line.length <= excerptCharacters ? 0 : Math.max(0, at - excerptCharacters / 4);
  const cut = line.slice(start, start + excerptCharacters).trim();
  return `${start > 0 ? '…' : ''}${cut}${start + excerptCharacters < line.length ? '…' : ''}`;
}
