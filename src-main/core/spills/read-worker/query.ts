/** Op query in a JSON file that is too long to be parsed, or of which a path needs no more than a part. */
import { AppError } from '../../base/errors.ts';
import { isSpace } from '../../base/json.ts';
import type { SpillAnswer } from '../spill-questions.ts';
import {
  type Document,
  documentOf,
  findValues,
  type Location,
  pathText,
  requirePath,
  rooted,
  type SpelledValue,
  tooBig,
} from './document.ts';
import { cutText, longestDocument, type ReadTarget, readWindow } from './reader-messages.ts';

interface FileWish {
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
): SpillAnswer {
  requirePath(query);
  const scanner = new JsonScanner(target.fd, target.bytes, windowBytes);
  const limits = { longestValue: maxBytes, batchBytes };
  return tellValues(selectInFile(scanner, target, splitPath(rooted(query)), limits), query, limit, maxBytes);
}

// Op query: what a JSONPath selects, one value a line.

/** A path may select without end: after so many values nobody needs to know how many more there are. */
const mostCounted = 1_000_000;

export function queryDocument(
  document: Document,
  query: string,
  limit: number | undefined,
  maxBytes: number,
): SpillAnswer {
  return tellValues(spelledValues(document, query), query, limit, maxBytes);
}

/** Throws AppError bad_request. */
function* spelledValues(document: Document, query: string): Generator<SpelledValue, void, undefined> {
  for (const { location, value } of findValues(query, document.value)) {
    const line = document.spell(location, value);
    yield { location, line, bytes: Buffer.byteLength(line) };
  }
}

/** One value a line, as far as they go. */
function tellValues(
  values: Iterable<SpelledValue>,
  query: string,
  limit: number | undefined,
  maxBytes: number,
): SpillAnswer {
  const most = limit ?? Number.MAX_SAFE_INTEGER;
  const lines: string[] = [];
  let bytes = 0;
  let matchCount = 0;
  let note: string | undefined;
  for (const found of values) {
    if (++matchCount > mostCounted) break;
    if (note !== undefined || lines.length >= most) continue;
    bytes += found.bytes + 1;
    if (bytes <= maxBytes) lines.push(found.line);
    else note = tooMuch(lines, found, maxBytes);
  }
  const counted = Math.min(matchCount, mostCounted);
  const count = matchCount > mostCounted ? `more than ${mostCounted}` : matchCount;
  const limited = note === undefined && matchCount > lines.length;
  const notes = limited ? [`[LIMITED to first ${lines.length} of ${count} matches]`] : note === undefined ? [] : [note];
  const fields = { query, matchCount: counted, returnedMatches: lines.length, ...(limited && { limited }) };
  const text = matchCount === 0 ? '(no matches)' : [...lines, ...notes].join('\n');
  return { text, fields, truncated: note !== undefined };
}

/** One value alone that is too long is begun; a list of values ends with the last that is whole. */
function tooMuch(lines: string[], { location, line, bytes }: SpelledValue, maxBytes: number): string {
  const path = pathText(location);
  if (lines.length > 0) return `[TRUNCATED at ${maxBytes} bytes; the next value is ${path}]`;
  lines.push(cutText(line, maxBytes));
  return `[TRUNCATED at ${maxBytes} bytes of ${bytes}: ${path} is long. op='schema' with path shows what is inside]`;
}

// Values that a JSONPath selects in a JSON file of any size: gone through by its bytes, parsed only what is selected.

interface Place {
  readonly value: JsonChild;
  readonly location: Location;
}

interface SelectLimits {
  /** Of a longer value the beginning is enough, in bytes. */
  readonly longestValue: number;
  /** Children of a long list that are parsed at once, in bytes. */
  readonly batchBytes: number;
}

/** Throws AppError unsupported, bad_request. */
function* selectInFile(
  scanner: JsonScanner,
  target: ReadTarget,
  { steps, rest }: SplitPath,
  { longestValue, batchBytes }: SelectLimits,
): Generator<SpelledValue, void, undefined> {
  for (const { value, location } of placesOf({ value: scanner.top, location: [] }, scanner, steps)) {
    const { from, end } = value;
    if (rest === '') yield spelledAt(scanner, target, { value, location }, longestValue);
    else if (end - from > batchBytes && goesByChildren(rest)) {
      for (const { text, first } of batchesOf(scanner, target, from, batchBytes)) {
        yield* found(documentOf(target, text), rest, location, first);
      }
    } else {
      if (end - from > longestDocument) throw tooBig(target);
      yield* found(documentOf(target, scanner.text(from, end)), rest, location);
    }
  }
}

/** Where a value ends is known to the child that it came as: nobody looks for it twice. */
function* placesOf(place: Place, scanner: JsonScanner, steps: readonly PathStep[]): Generator<Place, void, undefined> {
  const [step, ...further] = steps;
  if (step === undefined) return void (yield place);
  for (const value of childrenFor(scanner, place.value.from, step)) {
    yield* placesOf({ value, location: [...place.location, value.key] }, scanner, further);
  }
}

function* childrenFor(scanner: JsonScanner, at: number, step: PathStep): Generator<JsonChild, void, undefined> {
  if (step === 'all') yield* scanner.children(at);
  else if ('name' in step) {
    if (!scanner.isGroup(at)) return;
    for (const child of scanner.children(at)) {
      if (child.key === step.name) return void (yield child);
    }
  } else if (scanner.isList(at)) {
    const { from, to, by } = fromTheFront(scanner, at, step);
    for (const child of scanner.children(at)) {
      const index = Number(child.key);
      if (index >= to) return;
      if (index >= from && (index - from) % by === 0) yield child;
    }
  }
}

/** What is counted from the end needs to know how many there are. */
function fromTheFront(
  scanner: JsonScanner,
  at: number,
  { from, to, by }: Exclude<PathStep, 'all' | { readonly name: string }>,
): { readonly from: number; readonly to: number; readonly by: number } {
  if (from >= 0 && (to ?? 0) >= 0) return { from, to: to ?? Infinity, by };
  let count = 0;
  for (const _ of scanner.children(at)) count++;
  const place = (index: number): number => Math.max(0, index < 0 ? count + index : index);
  // An index before the first is none; a slice begins with the first.
  const isOutside = from < -count && to === from + 1;
  const end = to === undefined ? count : place(to);
  return { from: place(from), to: isOutside ? 0 : end, by };
}

function spelledAt(
  scanner: JsonScanner,
  target: ReadTarget,
  { value: { from, end }, location }: Place,
  longest: number,
): SpelledValue {
  // Too long to be given: its beginning will do, as it stands.
  if (end - from > longest * 4) {
    return { location, line: scanner.text(from, Math.min(end, from + longest)), bytes: end - from };
  }
  const document = documentOf(target, scanner.text(from, end));
  const line = document.spell([], document.value);
  return { location, line, bytes: Buffer.byteLength(line) };
}

/** `first`: index of the document's first element in the list that it is a stretch of. */
function* found(
  document: Document,
  rest: string,
  location: Location,
  first?: number,
): Generator<SpelledValue, void, undefined> {
  for (const one of spelledValues(document, `$${rest}`)) {
    yield { ...one, location: [...location, ...moved(one.location, first)] };
  }
}

/**
 * Is what the path selects in a value what it selects in each of the children, put together? So it is for one condition, and
 * for names however deep; not for what counts children or looks at the whole (`$`).
 */
function goesByChildren(rest: string): boolean {
  if (rest.includes('$')) return false;
  return /^\.\.(?:[A-Za-z_*\u0080-\uffff]|\[\s*[?*'"])/.test(rest) ? !hasList(rest) : isOneCondition(rest);
}

/** `[?…]` alone, and not one of several selectors: then a comma stands in a call's brackets or in quotes. */
function isOneCondition(rest: string): boolean {
  return /^\[\s*\?/.test(rest) && !hasList(rest);
}

function hasList(rest: string): boolean {
  return rest
    .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '')
    .replace(/\([^()]*\)/g, '')
    .includes(',');
}

/** Children by the stretch, as JSON of their own. `first`: index of the first one; undefined for members of a group. */
function* batchesOf(
  scanner: JsonScanner,
  target: ReadTarget,
  at: number,
  batchBytes: number,
): Generator<{ readonly text: string; readonly first: number | undefined }, void, undefined> {
  const isList = scanner.isList(at);
  const wrapped = (from: number, to: number): string =>
    isList ? `[${scanner.text(from, to)}]` : `{${scanner.text(from, to)}}`;
  let [start, end, first] = [-1, -1, 0];
  for (const child of scanner.children(at)) {
    if (child.end - child.start > longestDocument) throw tooBig(target);
    if (start === -1) [start, first] = [child.start, Number(child.key)];
    end = child.end;
    if (end - start < batchBytes) continue;
    yield { text: wrapped(start, end), first: isList ? first : undefined };
    start = -1;
  }
  if (start !== -1) yield { text: wrapped(start, end), first: isList ? first : undefined };
}

function moved([key, ...inside]: Location, first: number | undefined): Location {
  if (key === undefined) return inside;
  return [first === undefined ? key : Number(key) + first, ...inside];
}

// The beginning of a JSONPath as steps that can be gone through a file, and what follows them. Pure.

type PathStep =
  /** A member of a group. */
  | { readonly name: string }
  /** Elements of a list; an end below zero is counted from the last one, undefined is as far as it goes. */
  | { readonly from: number; readonly to: number | undefined; readonly by: number }
  | 'all';

interface SplitPath {
  readonly steps: readonly PathStep[];
  /** As JSONPath behind `$`; empty where the steps are all of it. */
  readonly rest: string;
}

const word = /^\.([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)/;
const all = /^(?:\.\*|\[\s*\*\s*\])/;
const quoted = /^\[\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\]/;
const index = /^\[\s*(-?\d{1,15})\s*\]/;
const slice = /^\[\s*(-?\d{1,15})?\s*:\s*(-?\d{1,15})?\s*(?::\s*(\d{1,15})?\s*)?\]/;

/** `path` begins with `$`. */
function splitPath(path: string): SplitPath {
  const steps: PathStep[] = [];
  let rest = path.trim().slice(1);
  for (let found = firstStep(rest); found !== undefined; found = firstStep(rest)) {
    steps.push(found.step);
    rest = rest.slice(found.length).trimStart();
  }
  return { steps, rest };
}

function firstStep(path: string): { readonly step: PathStep; readonly length: number } | undefined {
  const forms: readonly [RegExp, (match: RegExpExecArray) => PathStep | undefined][] = [
    [word, ([, name = '']) => ({ name })],
    [all, () => 'all'],
    [quoted, ([, text = '']) => nameIn(text)],
    [index, ([, at]) => ({ from: Number(at), to: Number(at) === -1 ? undefined : Number(at) + 1, by: 1 })],
    [slice, ([, from, to, by]) => sliceOf(from, to, by)],
  ];
  for (const [form, read] of forms) {
    const match = form.exec(path);
    const step = match === null ? undefined : read(match);
    if (match !== null && step !== undefined) return { step, length: match[0].length };
  }
  return undefined;
}

function sliceOf(from = '0', to: string | undefined, by = '1'): PathStep | undefined {
  if (Number(by) === 0) return undefined;
  return { from: Number(from), to: to === undefined ? undefined : Number(to), by: Number(by) };
}

/** undefined for an escape that only the library knows. */
function nameIn(text: string): PathStep | undefined {
  const inside = text.slice(1, -1);
  const json = text.startsWith('"') ? inside : inside.replaceAll(String.raw`\'`, "'").replaceAll('"', String.raw`\"`);
  try {
    return { name: JSON.parse(`"${json}"`) as string };
  } catch {
    return undefined;
  }
}

// Finds its way in a JSON file of any size by looking at its bytes: where a value ends, and what is inside of it. Nothing is parsed.

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openList = 0x5b;
/** `[` and `]` differ from `{` and `}` in this bit alone. */
const bracketBit = 0x20;
const open = 0x7b;
const close = 0x7d;

/** A value: the topmost one, or one inside of a list or a group. */
class JsonChild {
  readonly key: string | number;
  /** Where it begins with its name, and where its value does. */
  readonly start: number;
  readonly from: number;
  readonly #scanner: JsonScanner;
  #end: number | undefined;

  constructor(scanner: JsonScanner, key: string | number, start: number, from: number) {
    this.#scanner = scanner;
    this.key = key;
    this.start = start;
    this.from = from;
  }

  /** Behind its last byte; looked for when somebody asks. */
  get end(): number {
    this.#end ??= this.#scanner.endOfValue(this.from);
    return this.#end;
  }
}

/** Everything throws AppError unsupported where the file is no JSON. */
class JsonScanner {
  readonly #fd: number;
  readonly #bytes: number;
  readonly #windowBytes: number;
  #window: Buffer = Buffer.alloc(0);
  #base = 0;

  constructor(fd: number, bytes: number, windowBytes = 1024 * 1024) {
    this.#fd = fd;
    this.#bytes = bytes;
    this.#windowBytes = windowBytes;
  }

  /** The topmost value. Editors put a mark in front that JSON does not know. */
  get top(): JsonChild {
    const from = this.#skipSpace(this.#byteAt(0) === 0xef ? 3 : 0);
    return new JsonChild(this, 0, from, from);
  }

  isList(at: number): boolean {
    return this.#byteAt(at) === openList;
  }

  isGroup(at: number): boolean {
    return this.#byteAt(at) === open;
  }

  text(from: number, to: number): string {
    return readWindow(this.#fd, from, to - from).toString('utf8');
  }

  /** What the value at `at` holds, in order; nothing for a scalar. */
  *children(at: number): Generator<JsonChild, void, undefined> {
    const isList = this.isList(at);
    if (!isList && !this.isGroup(at)) return;
    let next = this.#skipSpace(at + 1);
    if (this.#isClose(next)) return;
    for (let index = 0; ; index++) {
      const child = isList ? new JsonChild(this, index, next, next) : this.#member(next);
      yield child;
      next = this.#skipSpace(child.end);
      if (this.#isClose(next)) return;
      if (this.#byteAt(next) !== comma) throw noJson(next);
      next = this.#skipSpace(next + 1);
    }
  }

  endOfValue(at: number): number {
    const first = this.#byteAt(at);
    if (first === quote || (first | bracketBit) === open) return this.#endOfNested(at);
    let end = at;
    for (let byte = first; byte !== -1 && byte !== comma && !isSpace(byte) && !isCloseByte(byte);) {
      byte = this.#byteAt(++end);
    }
    if (end === at) throw noJson(at);
    return end;
  }

  #member(start: number): JsonChild {
    if (this.#byteAt(start) !== quote) throw noJson(start);
    const end = this.endOfValue(start);
    const between = this.#skipSpace(end);
    if (this.#byteAt(between) !== colon) throw noJson(between);
    const name = JSON.parse(this.text(start, end)) as string;
    return new JsonChild(this, name, start, this.#skipSpace(between + 1));
  }

  /** Of a text, or of a list or group with all that is in it: the loop that goes over every byte of the file. */
  #endOfNested(at: number): number {
    let depth = 0;
    let isInText = false;
    for (let place = at; place < this.#bytes;) {
      const window = this.#windowAt(place);
      let index = place - this.#base;
      while (index < window.length) {
        const byte = window[index++] ?? 0;
        if (isInText) {
          // What is escaped may lie in the next window: the place is carried over.
          if (byte === backslash) index++;
          else if (byte === quote) {
            isInText = false;
            if (depth === 0) return this.#base + index;
          }
        } else if (byte === quote) isInText = true;
        else if ((byte | bracketBit) === open) depth++;
        else if ((byte | bracketBit) === close && --depth === 0) return this.#base + index;
      }
      place = this.#base + index;
    }
    throw noJson(this.#bytes);
  }

  #skipSpace(at: number): number {
    let next = at;
    while (isSpace(this.#byteAt(next))) next++;
    return next;
  }

  #isClose(at: number): boolean {
    return isCloseByte(this.#byteAt(at));
  }

  /** -1 behind the end of the file. */
  #byteAt(at: number): number {
    const inside = at - this.#base;
    if (inside >= 0 && inside < this.#window.length) return this.#window[inside] ?? -1;
    return at < this.#bytes ? (this.#windowAt(at)[at - this.#base] ?? -1) : -1;
  }

  #windowAt(at: number): Buffer {
    const inside = at - this.#base;
    if (inside < 0 || inside >= this.#window.length) {
      this.#window = readWindow(this.#fd, at, Math.min(this.#windowBytes, this.#bytes - at));
      this.#base = at;
      if (this.#window.length === 0) throw noJson(at);
    }
    return this.#window;
  }
}

function isCloseByte(byte: number): boolean {
  return (byte | bracketBit) === close;
}

function noJson(at: number): AppError {
  return new AppError('unsupported', `The file holds no JSON that could be asked: it breaks off at byte ${at}.`, {
    fix: "Use op='grep', 'head', 'tail', 'slice' or 'read'.",
  });
}
