/** Values that a JSONPath selects in a JSON file of any size: gone through by its bytes, parsed only what is selected. */
import { type Document, documentOf, type Location, longestDocument, tooBig } from './document.ts';
import { findValues, type SpelledValue } from './find-values.ts';
import type { JsonChild, JsonScanner } from './json-scanner.ts';
import type { PathStep, SplitPath } from './path-steps.ts';
import type { ReadTarget } from './reader-messages.ts';

interface Place {
  readonly at: number;
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
  for (const { at, location } of placesOf(scanner, { at: scanner.top, location: [] }, steps)) {
    const end = scanner.endOfValue(at);
    if (rest === '') yield spelledAt(scanner, target, { at, location }, end, longestValue);
    else if (end - at <= batchBytes) {
      yield* found(documentOf(target, scanner.text(at, end)), rest, (inside) => [...location, ...inside]);
    } else if (goesByChildren(rest)) {
      for (const { text, first } of batchesOf(scanner, target, at, batchBytes)) {
        yield* found(documentOf(target, text), rest, (inside) => [...location, ...moved(inside, first)]);
      }
    } else {
      if (end - at > longestDocument) throw tooBig(target);
      yield* found(documentOf(target, scanner.text(at, end)), rest, (inside) => [...location, ...inside]);
    }
  }
}

function* placesOf(scanner: JsonScanner, place: Place, steps: readonly PathStep[]): Generator<Place, void, undefined> {
  const [step, ...further] = steps;
  if (step === undefined) return void (yield place);
  for (const { key, from } of childrenFor(scanner, place.at, step)) {
    yield* placesOf(scanner, { at: from, location: [...place.location, key] }, further);
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
  { at, location }: Place,
  end: number,
  longest: number,
): SpelledValue {
  // Too long to be given: its beginning will do, as it stands.
  if (end - at > longest * 4) {
    return { location, line: scanner.text(at, Math.min(end, at + longest)), bytes: end - at };
  }
  const document = documentOf(target, scanner.text(at, end));
  const line = document.spell([], document.value);
  return { location, line, bytes: Buffer.byteLength(line) };
}

function* found(
  document: Document,
  rest: string,
  place: (inside: Location) => Location,
): Generator<SpelledValue, void, undefined> {
  for (const { location, value } of findValues(`$${rest}`, document.value)) {
    const line = document.spell(location, value);
    yield { location: place(location), line, bytes: Buffer.byteLength(line) };
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
