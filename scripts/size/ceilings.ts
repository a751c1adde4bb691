/**
 * The size and form of the sources, held below ceilings that only fall: a change that needs more says why it lowers
 * another one, and a change that needs less lowers its own. `node scripts/size/ceilings.ts` prints each figure next to
 * its ceiling and fails above one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/**
 * The highest values that are accepted; goals are in the issue that lowers them. Raised five times: for the first setup
 * as one plan, the settings of an app in one place, and resources for models; for programs in `auto`, one entry per
 * server, limits and notices of calls, the access of servers, audit records before the answer, and inputs of RPC as
 * schemas; for skills, spellings of other products' files, the shim's own runtime on Windows, limits of commands,
 * sizes counted in a thread, and places of a searched text; for skills that are new, suspicious, or in no list; and for
 * web APIs as servers.
 */
const ceilings = {
  'lines of code without team': 83_112,
  'lines of code of team': 10_211,
  'names in words of the old vocabulary': 14,
  'names that begin with most, longest, usual, rest or look': 0,
  'doc comments that are fragments': 0,
  'spreads that only break a line': 0,
} as const;

type Figure = keyof typeof ceilings;

const root = fileURLToPath(new URL('../../', import.meta.url));
const oldWords = new Set(
  (
    'desk door doors shelf shelves room visit breather hurry hurried anew begun told untold telling whose standing standings oddity ' +
    'seams answers kept putoff lives asked heard patience'
  ).split(' '),
);
const declaration = /\b(?:function|const|class|interface|type|readonly|async|get|set)\s+#?([A-Za-z_]\w*)/g;
const fragment =
  /\/\*\*[\s*]*(?:What|Of|Where|As|Whose|Whom|How it|That|For whoever|By|In place|Those|Not)\b(?! (?:default|of|in|convention|supported|implemented|thread)\b)/g;

function count(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].length;
}

/** Without blank lines and comments. */
function linesOfCode(text: string): number {
  const lines = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').split('\n');
  return lines.filter((line) => line.trim() !== '' && !line.trim().startsWith('//')).length;
}

function measure(): Record<Figure, number> {
  const figures = Object.fromEntries(Object.keys(ceilings).map((figure) => [figure, 0])) as Record<Figure, number>;
  const files = readdirSync(join(root, 'src-main'), { recursive: true, encoding: 'utf8' });
  for (const file of files.map((path) => path.replaceAll('\\', '/')).filter((path) => path.endsWith('.ts'))) {
    const text = readFileSync(join(root, 'src-main', file), 'utf8');
    const isTeam = /(?:^|\/)team[/-]|serve-team|handlers\/team/.test(file);
    figures[isTeam ? 'lines of code of team' : 'lines of code without team'] += linesOfCode(text);
    for (const [, name = ''] of text.matchAll(declaration)) {
      const words = name
        .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
        .toLowerCase()
        .split(' ');
      if (words.some((word) => oldWords.has(word))) figures['names in words of the old vocabulary']++;
      if (
        /^(?:most|longest|usual|rest|look)[A-Z]/.test(name) &&
        !/^(?:lookUp|lookAlike|longestMatch|longestPath|mostSevere)/.test(name)
      )
        figures['names that begin with most, longest, usual, rest or look']++;
    }
    figures['doc comments that are fragments'] += count(text, fragment);
    figures['spreads that only break a line'] += count(text, /^\s*\.\.\.\{/gm);
  }
  return figures;
}

for (const [figure, value] of Object.entries(measure()) as [Figure, number][]) {
  console.log(`${value <= ceilings[figure] ? 'ok     ' : 'above  '} ${figure}: ${value}, at most ${ceilings[figure]}`);
  if (value > ceilings[figure]) process.exitCode = 1;
}
