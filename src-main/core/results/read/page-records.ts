/** Some records of an answer, for `read_cache`: elements of its list, else lines. */
import type { RecordPage, RecordRange } from '../result-files.ts';
import type { Document } from './document.ts';
import { cutText } from './file-window.ts';
import { eachLine } from './each-line.ts';
import { findRecords } from './find-records.ts';
import { pathText } from './find-values.ts';
import type { ReadTarget } from './reader-messages.ts';

/** undefined where the document has no list. */
export function pageDocument(
  document: Document,
  target: ReadTarget,
  { offset, limit }: RecordRange,
  maxBytes: number,
): RecordPage | undefined {
  const found = findRecords(document.value);
  if (found === undefined) return undefined;
  const { location, values } = found;
  const page = new Page(maxBytes);
  for (let at = offset; at < Math.min(offset + limit, values.length); at++) {
    const place = [...location, at];
    if (!page.add(document.spell(place, values[at]), `op='query', query='${pathText(place)}'`)) break;
  }
  const recordPath = location.length === 0 ? undefined : pathText(location);
  return { records: page.records, totalRecords: values.length, recordPath, totalBytes: target.bytes };
}

export function pageLines(
  target: ReadTarget,
  { offset, limit }: RecordRange,
  maxBytes: number,
  step: () => void,
): RecordPage {
  const page = new Page(maxBytes);
  let totalRecords = 0;
  let isOpen = true;
  for (const { number, text } of eachLine(target.fd, target.bytes)) {
    step();
    // The further parts of a long line are told of with its first.
    const isWanted = number !== totalRecords && number > offset && number <= offset + limit;
    totalRecords = number;
    if (isWanted && isOpen) isOpen = page.add(JSON.stringify(text), `op='slice', fromLine=${number}`);
  }
  return { records: page.records, totalRecords, recordPath: undefined, totalBytes: target.bytes };
}

class Page {
  readonly records: string[] = [];
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** false: it is for another page. One that no page could hold is begun, and says how to have the rest. */
  add(record: string, readOn: string): boolean {
    const bytes = Buffer.byteLength(record);
    if (this.#bytes + bytes > this.#maxBytes && this.records.length > 0) return false;
    this.#bytes += bytes;
    const isTooLong = bytes > this.#maxBytes;
    const cut = { cutAt: this.#maxBytes, bytes, begins: cutText(record, this.#maxBytes), readOn };
    this.records.push(isTooLong ? JSON.stringify(cut) : record);
    return true;
  }
}
