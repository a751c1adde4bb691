/** The tool `search_files`. */
import { constants } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Context, createContext, Script } from 'node:vm';
import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { AppError } from '../../base/errors.ts';
import { formatCount } from '../../base/text-format.ts';
import { confinePath, resolveRoots } from '../../security/confine-path.ts';
import { errorCode, displayPath } from '../../security/file-paths.ts';
import { openReal } from '../../security/open-confined.ts';
import {
  noProtectedPaths,
  type ProtectedPaths,
  assertNotProtectedLink,
  resolveProtectedPaths,
} from '../../security/protected-paths.ts';
import {
  runTool,
  contentType,
  newReport,
  readOnly,
  textResult,
  type UtilsOptions,
  walkFolder,
  type WalkReport,
} from './file-content.ts';

/** Time limit of one search, in ms. */
const searchTime = 15_000;

interface SearchArguments {
  readonly query: string;
  readonly path?: string | undefined;
  readonly regex: boolean;
  readonly maxMatches: number;
}

export function registerSearchTool(server: McpServer, options: UtilsOptions): void {
  server.registerTool(
    'search_files',
    {
      title: 'Search files',
      description: 'Finds text in file names and lines, case-insensitive; or a JavaScript regex, case-sensitive.',
      annotations: readOnly,
      inputSchema: z.object({
        query: z.string().min(1).max(500),
        path: z.string().optional(),
        regex: z.boolean().default(false),
        maxMatches: z.int().min(1).max(1000).default(100),
      }),
    },
    (input, context) => runTool(async () => textResult(await search(options, input, context.mcpReq.signal))),
  );
}

async function search(options: UtilsOptions, input: SearchArguments, signal: AbortSignal): Promise<string> {
  const { query, path, regex, maxMatches } = input;
  const starts = await startsOf(options, path);
  const finder = regex ? regexFinder(query) : plainFinder(query);
  const own = await resolveProtectedPaths(options.own ?? noProtectedPaths);
  const searching = { finder, own, maxMatches, deadline: performance.now() + searchTime, signal };
  const report = newSearchReport();
  const lines: string[] = [];
  for (const { real, kind } of starts) {
    const heading = `${displayPath(real)}:`;
    const found = lines.length;
    for await (const match of matchesAt(real, kind, searching, report)) lines.push(...toLines(match));
    if (lines.length > found) lines.splice(found, 0, heading);
  }
  return [...lines, `[${summary(report, maxMatches).join('; ')}]`].join('\n');
}

type Start = { readonly real: string; readonly kind: 'file' | 'folder' | 'missing' };

async function startsOf(options: UtilsOptions, path: string | undefined): Promise<Start[]> {
  if (path !== undefined) return [await confinePath(options.folders, path, options)];
  return (await resolveRoots(options.folders)).map((real) => ({ real, kind: 'folder' }));
}

async function* matchesAt(
  real: string,
  kind: Start['kind'],
  options: SearchOptions,
  report: SearchReport,
): AsyncGenerator<FileMatch> {
  if (kind === 'folder') {
    yield* searchFiles(real, options, report);
    return;
  }
  const lines = await searchFile(real, options, report);
  if (lines.length > 0) yield { way: '', nameMatches: false, lines };
}

function toLines({ way, nameMatches, lines }: FileMatch): string[] {
  const head = way === '' ? [] : [`${displayPath(way)}${nameMatches ? ' [name]' : ''}`];
  return [...head, ...lines.map(({ number, text }) => `${number}: ${text}`)];
}

function summary(report: SearchReport, maxMatches: number): string[] {
  const parts = [
    `${report.matches} ${report.matches === 1 ? 'match' : 'matches'}, ${formatCount(report.files, 'file')} read`,
  ];
  if (report.matches >= maxMatches) parts.push('stopped at maxMatches');
  if (report.outOfTime) parts.push('stopped after 15 s; narrow path');
  if (report.full) parts.push('stopped after 20000 entries; narrow path');
  if (report.skipped.size > 0) parts.push(`skipped: ${[...report.skipped].join(', ')}`);
  if (report.tooBig > 0) parts.push(`${formatCount(report.tooBig, 'file')} over 4 MiB skipped`);
  if (report.unreadable > 0) parts.push(`${report.unreadable} could not be read`);
  return parts;
}

// Searches names and contents of files below a folder, within limits of number, bytes and time.

interface FileMatch {
  /** Path below the start; '' for the start itself. */
  readonly way: string;
  readonly nameMatches: boolean;
  readonly lines: readonly { readonly number: number; readonly text: string }[];
}

interface SearchReport extends WalkReport {
  files: number;
  matches: number;
  tooBig: number;
  outOfTime: boolean;
}

interface SearchOptions {
  readonly finder: TextFinder;
  readonly maxMatches: number;
  /** On the clock of performance.now(), in ms. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  /** Resolved. */
  readonly own?: ProtectedPaths | undefined;
}

/** Larger files are skipped and counted, in bytes. */
const maxFileBytes = 4 * 1024 * 1024;
const walkLimits = { depth: 40, entries: 20_000, skip: new Set(['.git', 'node_modules']) };
const excerptCharacters = 200;

function newSearchReport(): SearchReport {
  return { ...newReport(), files: 0, matches: 0, tooBig: 0, outOfTime: false };
}

/** `start` must come from `confinePath`. Ends early once the report is full. */
async function* searchFiles(start: string, options: SearchOptions, report: SearchReport): AsyncGenerator<FileMatch> {
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

/** The matching lines of one file; none if it is binary, too large or unreadable, which the report counts. */
async function searchFile(real: string, options: SearchOptions, report: SearchReport): Promise<FileMatch['lines']> {
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
  own: ProtectedPaths | undefined,
  report: SearchReport,
): Promise<string | undefined> {
  await using handle = await openReal(real, constants.O_RDONLY);
  const stats = await handle.stat();
  if (!stats.isFile()) return undefined;
  if (own !== undefined) await assertNotProtectedLink(own, stats, real);
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

// Finds lines by plain text or by a regular expression of a model, which must not block the app.

interface FoundLine {
  /** Index into the given lines. */
  readonly index: number;
  /** Position in the line, in UTF-16 units. */
  readonly at: number;
}

interface TextFinder {
  /** The first `most` matching lines. Throws AppError `bad_request` for an expression that takes too long. */
  find(lines: readonly string[], most: number): Promise<FoundLine[]>;
}

/** Maximum length of an expression, in characters. */
const maxExpression = 500;

/** Characters per batch, and maximum length searched in one line. */
const batchCharacters = 64 * 1024;
const lineCharacters = 4096;

/** Time limit of one batch, in ms, during which the whole app is blocked. */
const batchTime = 50;

/** Ignores case. */
function plainFinder(text: string): TextFinder {
  const wanted = text.toLowerCase();
  return {
    find: (lines, most) => {
      const found: FoundLine[] = [];
      for (let index = 0; index < lines.length && found.length < most; index++) {
        const at = lines[index]?.toLowerCase().indexOf(wanted) ?? -1;
        if (at >= 0) found.push({ index, at });
      }
      return Promise.resolve(found);
    },
  };
}

/** Throws AppError `bad_request` if it is not a valid JavaScript expression or too long. */
function regexFinder(source: string): TextFinder {
  const context: Context = createContext({ expression: compile(source), lines: [], most: 0 });
  // Only our own script runs in the context; node:vm is used because its time limit also interrupts a match.
  const script = new Script(`(() => {
    const found = [];
    for (let index = 0; index < lines.length && found.length < most; index++) {
      const at = lines[index].search(expression);
      if (at >= 0) found.push({ index, at });
    }
    return found;
  })()`);
  return {
    async find(lines, most) {
      const found: FoundLine[] = [];
      for (let start = 0; start < lines.length && found.length < most;) {
        const batch = batchFrom(lines, start);
        Object.assign(context, { lines: batch, most: most - found.length });
        for (const { index, at } of await runLimited(script, context)) found.push({ index: start + index, at });
        start += batch.length;
        await nextTurn();
      }
      return found;
    },
  };
}

function compile(source: string): RegExp {
  if (source.length > maxExpression) throw new AppError('bad_request', 'The expression is longer than 500 characters.');
  try {
    return new RegExp(source, 'u');
  } catch {
    // Expressions for other languages escape characters that mode "u" does not permit.
  }
  try {
    return new RegExp(source);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : '';
    throw new AppError('bad_request', reason, { fix: 'Use JavaScript syntax, or search for plain text.', cause });
  }
}

function batchFrom(lines: readonly string[], start: number): string[] {
  const batch: string[] = [];
  for (let index = start, size = 0; index < lines.length && size < batchCharacters; index++) {
    const line = lines[index]?.slice(0, lineCharacters) ?? '';
    batch.push(line);
    size += line.length;
  }
  return batch;
}

/** Attempts per batch, because on a busy computer the time may pass before the expression runs. */
const batchTries = 3;

async function runLimited(script: Script, context: Context): Promise<FoundLine[]> {
  for (let tries = 1; ; tries++) {
    try {
      return script.runInContext(context, { timeout: batchTime }) as FoundLine[];
    } catch (cause) {
      const isSlow = errorCode(cause) === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
      if (isSlow && tries < batchTries) await nextTurn();
      else
        throw new AppError('bad_request', `The expression ${isSlow ? 'takes too long' : 'cannot be run'}.`, {
          fix: 'Make it simpler (no repeat within a repeat), or search for plain text.',
          cause,
        });
    }
  }
}
