/** Values that a JSONPath selects in a JSON file of any size: gone through by its bytes, parsed only what is selected. */
import { type Document, documentOf, type Location, longestDocument, tooBig } from './document.ts';
import type { SpelledValue } from './find-values.ts';
import type { JsonChild, JsonScanner } from './json-scanner.ts';
import type { PathStep, SplitPath } from './path-steps.ts';
import { spelledValues } from './query-document.ts';
import type { ReadTarget } from './reader-messages.ts';

interface Place {
  readonly value: JsonChild;
  readonly location: Location;
}

export interface SelectLimits {
  /** Of a longer value the beginning is enough, in bytes. */
  readonly longestValue: number;
  /** Children of a long list that are parsed at once, in bytes. */
  readonly batchBytes: number;
}

/** Throws AppError unsupported, bad_request. */
export function* selectInFile(
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
