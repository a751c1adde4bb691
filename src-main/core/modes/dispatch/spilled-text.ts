/** What is said in place of an answer that was written to a file. */
import type { PartFacts, SpillFacts } from '../../results/spill-facts.ts';

const previewLength = 300;
const mostKeys = 50;

export function spilledText({ exceeded, resultBytes, parts }: SpillFacts): string {
  const [main, ...others] = parts;
  if (main === undefined) return '';
  const why = exceeded === undefined ? 'written' : 'auto-spilled';
  const limit = exceeded === undefined ? '' : ` (exceeded ${exceeded} bytes)`;
  return [
    `Result ${why} to temporary ${main.kind.toUpperCase()} file${limit}: ${main.file} (auto-deleted later).`,
    `Size: ${resultBytes} bytes (~${Math.ceil(resultBytes / 4)} tokens).`,
    `Read it with proxy-dispatch: action='readresult', resultFile='${main.id}', ${opsFor(main)}.`,
    `Format: ${main.kind.toUpperCase()}.${layoutOf(main)}`,
    ...shapeOf(main),
    ...others.map(({ id, kind, bytes }) => `Further part: ${kind}, ${bytes} bytes, resultFile='${id}'.`),
    ...(main.head === '' ? [] : [`Preview: ${preview(main)}`]),
  ].join('\n');
}

function opsFor({ kind, uri }: PartFacts): string {
  const ofLines = "op='stat' | 'head' | 'tail' | 'slice' | 'grep' | 'read'";
  if (kind === 'json' || kind === 'toon')
    return `${ofLines} | 'query' (query: JSONPath) | 'schema' | 'table' (path, columns)`;
  return kind === 'text' ? ofLines : `op='stat'; whole with resources/read ${uri}`;
}

/** JSON is written with its layout, so that lines can be asked for. */
function layoutOf({ kind, bytes }: PartFacts): string {
  return kind === 'json' ? ` One element a line, which makes ${bytes} bytes of it.` : '';
}

function shapeOf({ topLevelKeys, elements }: PartFacts): string[] {
  if (elements !== undefined) return [`Result is an array with ${elements} element(s).`];
  if (topLevelKeys === undefined) return [];
  const more = topLevelKeys.length > mostKeys ? [`${topLevelKeys.length - mostKeys} more`] : [];
  return [`Top-level keys: [${[...topLevelKeys.slice(0, mostKeys), ...more].join(', ')}]`];
}

/** `tail` is what follows a beginning that is not all of it. */
function preview({ head, tail }: PartFacts): string {
  const shown = head.slice(0, previewLength).replace(/[\ud800-\udbff]$/, '');
  return tail === '' && shown === head ? shown : `${shown}...`;
}
