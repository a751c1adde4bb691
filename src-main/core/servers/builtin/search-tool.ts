/** The tool `search_files`. */
import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { confinePath, resolveRoots } from '../../security/confine-path.ts';
import { noPlaces, resolvePlaces } from '../../security/own-places.ts';
import { shownPath } from '../../security/shown-path.ts';
import { newSearchReport, searchFile, searchFiles } from './search-files.ts';
import type { FileMatch, SearchOptions, SearchReport } from './search-files.ts';
import { plainFinder, regexFinder } from './text-finder.ts';
import { answer, readOnly, textAnswer } from './tool-answer.ts';
import type { UtilsOptions } from './utils-server.ts';

/** ms for one search. */
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
    (input, context) => answer(async () => textAnswer(await search(options, input, context.mcpReq.signal))),
  );
}

async function search(options: UtilsOptions, input: SearchArguments, signal: AbortSignal): Promise<string> {
  const { query, path, regex, maxMatches } = input;
  const starts = await startsOf(options, path);
  const finder = regex ? regexFinder(query) : plainFinder(query);
  const own = await resolvePlaces(options.own ?? noPlaces);
  const searching = { finder, own, maxMatches, deadline: performance.now() + searchTime, signal };
  const report = newSearchReport();
  const lines: string[] = [];
  for (const { real, kind } of starts) {
    const heading = `${shownPath(real)}:`;
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
  const head = way === '' ? [] : [`${shownPath(way)}${nameMatches ? ' [name]' : ''}`];
  return [...head, ...lines.map(({ number, text }) => `${number}: ${text}`)];
}

function summary(report: SearchReport, maxMatches: number): string[] {
  const parts = [`${report.matches} matches, ${report.files} files read`];
  if (report.matches >= maxMatches) parts.push('stopped at maxMatches');
  if (report.outOfTime) parts.push('stopped after 15 s; narrow path');
  if (report.full) parts.push('stopped after 20000 entries; narrow path');
  if (report.skipped.size > 0) parts.push(`not entered: ${[...report.skipped].join(', ')}`);
  if (report.tooBig > 0) parts.push(`${report.tooBig} files over 4 MiB left out`);
  if (report.unreadable > 0) parts.push(`${report.unreadable} could not be read`);
  return parts;
}
