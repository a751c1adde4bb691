/** Op query in a JSON file that is too long to be parsed, or of which a path needs no more than a part. */
import type { ResultAnswer } from '../result-files.ts';
import { longestDocument } from './document.ts';
import { requirePath, rooted } from './find-values.ts';
import { JsonScanner } from './json-scanner.ts';
import { splitPath } from './path-steps.ts';
import { tellValues } from './query-document.ts';
import type { ReadTarget } from './reader-messages.ts';
import { selectInFile } from './select-in-file.ts';

export interface FileWish {
  readonly query: string;
  readonly limit?: number | undefined;
}

/** Shorter ones are parsed in a moment. */
const soonParsed = 8 * 1024 * 1024;
const usualLimits = { windowBytes: 1024 * 1024, batchBytes: 4 * 1024 * 1024 };

export function goesThroughFile({ kind, bytes }: ReadTarget, { query }: FileWish): boolean {
  if (kind !== 'json' || bytes <= soonParsed) return false;
  return bytes > longestDocument || splitPath(rooted(query)).rest === '';
}

/** `limits` are for tests: borders that lie anywhere. Throws AppError bad_request, unsupported. */
export function queryFile(
  target: ReadTarget,
  { query, limit }: FileWish,
  maxBytes: number,
  { windowBytes, batchBytes } = usualLimits,
): ResultAnswer {
  requirePath(query);
  const scanner = new JsonScanner(target.fd, target.bytes, windowBytes);
  const limits = { longestValue: maxBytes, batchBytes };
  return tellValues(selectInFile(scanner, target, splitPath(rooted(query)), limits), query, limit, maxBytes);
}
