/** The tool `list_files`. */
import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { AppError } from '../../base/errors.ts';
import { formatCount } from '../../base/text-format.ts';
import { confinePath, resolveRoots } from '../../security/confine-path.ts';
import { displayPath } from '../../security/file-paths.ts';
import { noProtectedPaths, resolveProtectedPaths } from '../../security/protected-paths.ts';
import {
  runTool,
  newReport,
  readOnly,
  textResult,
  type UtilsOptions,
  type WalkEntry,
  walkFolder,
  type WalkReport,
} from './file-content.ts';

const maxShown = 1000;
const maxLooked = 20_000;

interface ListArguments {
  readonly path?: string | undefined;
  readonly depth: number;
  readonly pattern?: string | undefined;
}

export function registerListTool(server: McpServer, options: UtilsOptions): void {
  server.registerTool(
    'list_files',
    {
      title: 'List files',
      description: 'Lists a folder: name/ is a folder, name@ a link, else size in bytes. No path: all allowed folders.',
      annotations: readOnly,
      inputSchema: z.object({
        path: z.string().optional(),
        depth: z.int().min(1).max(20).default(1),
        pattern: z.string().max(500).optional().describe('* and ?; matches names, or paths if it has a /'),
      }),
    },
    (input, context) => runTool(async () => textResult(await listFiles(options, input, context.mcpReq.signal))),
  );
}

async function listFiles(options: UtilsOptions, input: ListArguments, signal: AbortSignal): Promise<string> {
  const starts = input.path === undefined ? await resolveRoots(options.folders) : [await folderAt(options, input.path)];
  const lines: string[] = [];
  const report = newReport();
  const own = await resolveProtectedPaths(options.own ?? noProtectedPaths);
  let shown = 0;
  for (const start of starts) {
    const heading = lines.push(`${displayPath(start)}:`);
    for await (const entry of walkFolder(start, { ...input, entries: maxLooked, sizes: true, signal, own }, report)) {
      if (!isWanted(entry, input.pattern)) continue;
      if (shown++ >= maxShown) return [...lines, `[first ${maxShown}; narrow path or pattern]`].join('\n');
      lines.push(toLine(entry));
    }
    if (lines.length === heading) lines.push('[nothing]');
  }
  return [...lines, ...gaps(report)].join('\n');
}

async function folderAt(options: UtilsOptions, path: string): Promise<string> {
  const { real, kind } = await confinePath(options.folders, path, options);
  if (kind === 'folder') return real;
  throw new AppError('bad_request', `"${displayPath(path)}" is a file.`, { fix: 'Use read_file.' });
}

function isWanted(entry: WalkEntry, pattern: string | undefined): boolean {
  if (pattern === undefined) return true;
  return matchesWildcard(pattern, pattern.includes('/') ? entry.way : entry.way.slice(entry.way.lastIndexOf('/') + 1));
}

function toLine({ way, kind, size }: WalkEntry): string {
  const mark = { folder: '/', link: '@', other: ' (special)', file: size === undefined ? '' : ` ${size}` }[kind];
  return displayPath(way) + mark;
}

function gaps(report: WalkReport): string[] {
  const lines: string[] = [];
  if (report.full) lines.push(`[stopped after ${maxLooked} entries; narrow path or depth]`);
  if (report.unreadable > 0) lines.push(`[${formatCount(report.unreadable, 'folder')} could not be read]`);
  return lines;
}

// Matches names against `*` and `?` with backtracking only to the last star, so that no pattern is slow.

/** Ignores case. `*` also matches slashes. */
function matchesWildcard(pattern: string, name: string): boolean {
  const wanted = pattern.toLowerCase();
  const given = name.toLowerCase();
  let at = 0;
  let star = -1;
  let resume = 0;
  let position = 0;
  while (position < given.length) {
    if (wanted[at] === '*') {
      star = at++;
      resume = position;
    } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === given[position])) {
      at++;
      position++;
    } else if (star >= 0) {
      at = star + 1;
      position = ++resume;
    } else {
      return false;
    }
  }
  while (wanted[at] === '*') at++;
  return at === wanted.length;
}
