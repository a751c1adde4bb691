/** Turns the bytes of a result into the parts that are kept; read again where a string turned out to be other than it looked. */
import { grouped } from '../../base/wording.ts';
import { type DraftedAnswer, type DraftedPart, extensionOf, isTextKind } from '../messages.ts';
import type { SpillKind, SpillSummary } from '../spill.ts';
import { Malformed } from './json-bytes.ts';
import { type DraftLook, type DraftPlace, PartDraft } from './part-draft.ts';
import { TextPart } from './parts.ts';
import { PrettyJson } from './pretty-json.ts';
import { ResultScanner } from './result-scanner.ts';
import { queryExample, ShapeBuilder, shapeLines, type ShapeNode } from './shape.ts';

/** How often an answer is read at the most; the last time as one text, which always succeeds. */
const mostReadings = 3;

interface Candidate {
  readonly order: number;
  readonly draft: PartDraft;
  readonly kind: SpillKind;
  readonly mimeType: string;
  readonly shape?: ShapeNode | undefined;
  readonly note?: string | undefined;
}

export class AnswerDraft {
  readonly #place: DraftPlace;
  readonly #textKind: 'text' | 'toon';
  readonly #plain = new Set<number>();
  #readings = 1;
  #scanner: ResultScanner | undefined;
  #whole: TextPart | undefined;
  #isBroken = false;

  /** `textKind`: what texts are that are no JSON. */
  constructor(place: DraftPlace, textKind: 'text' | 'toon') {
    this.#place = place;
    this.#textKind = textKind;
    this.#scanner = new ResultScanner(place, this.#plain);
  }

  /** Throws AnswerTooLarge, or what the file system throws. */
  push(bytes: Uint8Array): void {
    if (this.#isBroken) return;
    this.#whole?.push(bytes, 0, bytes.length);
    this.#try((scanner) => scanner.push(bytes));
  }

  /** The bytes are over: the answer, or undefined if they are to be given once more from the start. */
  end(): DraftedAnswer | undefined {
    if (this.#whole !== undefined) return this.#wholeAnswer(this.#whole);
    this.#try((scanner) => scanner.end());
    const scanner = this.#scanner;
    if (scanner !== undefined && !this.#isBroken && scanner.again.size === 0) return this.#answer(scanner);
    for (const number of scanner?.again ?? []) this.#plain.add(number);
    this.#readAgain();
    return undefined;
  }

  #try(work: (scanner: ResultScanner) => void): void {
    if (this.#scanner === undefined) return;
    try {
      work(this.#scanner);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      this.#isBroken = true;
    }
  }

  #readAgain(): void {
    this.#place.clear();
    const asText = this.#isBroken || ++this.#readings > mostReadings;
    this.#isBroken = false;
    this.#scanner = asText ? undefined : new ResultScanner(this.#place, this.#plain);
    this.#whole = asText ? new TextPart(this.#place, true) : undefined;
  }

  #wholeAnswer(text: TextPart): DraftedAnswer {
    text.end();
    const part = drafted({ order: 0, draft: text.draft, kind: 'text', mimeType: 'text/plain' });
    return { parts: [part], remains: JSON.stringify({ inline: [], rest: {} }) };
  }

  #answer(scanner: ResultScanner): DraftedAnswer {
    const { texts } = scanner;
    this.#dropWrapping(scanner);
    const { structured } = scanner;
    if (structured !== undefined) texts.dropSame(structured.draft.digest());
    else if (scanner.binaries.length === 0 && texts.parts.length === 0) texts.makeLong();
    const candidates = this.#candidates(scanner);
    const remains = { inline: texts.inline.map(({ block }) => block), rest: scanner.rest };
    const parts = candidates.length > 0 ? candidates : [this.#remainsAsPart(remains)];
    return { parts: parts.map(drafted), remains: JSON.stringify(remains) };
  }

  #dropWrapping(scanner: ResultScanner): void {
    const mark = scanner.wrapped?.mark;
    if (mark === undefined || !scanner.texts.isOnly(mark)) return;
    scanner.structured?.draft.discard();
    scanner.structured = undefined;
  }

  /** In the answer's order, what is structured first. */
  #candidates({ texts, binaries, structured, members }: ResultScanner): Candidate[] {
    const json = { kind: 'json', mimeType: 'application/json' } as const;
    const found: Candidate[] = [
      ...texts.parts.map((text) => ({
        ...text,
        ...this.#textType(text),
        draft: text.part.draft,
        shape: text.part.shape,
      })),
      ...binaries,
      ...[...members.values()].map(({ order, note, part }) => ({
        ...json,
        order,
        note,
        draft: part.draft,
        shape: part.shape,
      })),
    ];
    if (structured !== undefined) found.push({ ...json, order: -1, draft: structured.draft, shape: structured.shape });
    const { gathering } = texts;
    if (gathering !== undefined) {
      gathering.draft.end();
      const note = `${gathering.texts} texts, one after the other`;
      found.push({ order: gathering.order, draft: gathering.draft, kind: 'text', mimeType: 'text/plain', note });
    }
    return found.sort((a, b) => a.order - b.order);
  }

  #textType(text: { readonly part: TextPart; readonly mimeType: string | undefined }): {
    kind: SpillKind;
    mimeType: string;
  } {
    if (text.part.isJson) return { kind: 'json', mimeType: 'application/json' };
    if (this.#textKind === 'toon') return { kind: 'toon', mimeType: 'text/toon' };
    return { kind: 'text', mimeType: text.mimeType ?? 'text/plain' };
  }

  /** An answer of links alone, or of nothing. */
  #remainsAsPart({ inline, rest }: { inline: unknown[]; rest: object }): Candidate {
    const draft = new PartDraft(this.#place);
    const shape = new ShapeBuilder();
    const bytes = Buffer.from(JSON.stringify({ content: inline, ...rest }));
    const json = new PrettyJson(draft, shape);
    json.push(bytes, 0, bytes.length);
    draft.end();
    return { order: 0, draft, kind: 'json', mimeType: 'application/json', shape: shape.root };
  }
}

function drafted({ draft, kind, mimeType, shape, note }: Candidate): DraftedPart {
  const { look, file } = draft;
  const otherwise = isTextKind(kind) ? 'txt' : 'bin';
  return {
    kind,
    mimeType,
    extension: kind === 'json' || kind === 'toon' ? kind : extensionOf(mimeType, otherwise),
    bytes: look.bytes,
    lines: isTextKind(kind) ? look.lines : undefined,
    summary: partSummary({ kind, mimeType, look, shape, note }),
    file,
    content: file === undefined ? draft.content : undefined,
  };
}

// What a model is told of a part: its shape and both its ends, taken from what was seen while it was written.

const headLength = 300;
const tailLength = 150;
const mostKeys = 50;
/** Lines longer than this are worth a warning: tools that work on lines give all of one. */
const longLine = 2_000;
const longestNote = 200;

interface PartFacts {
  readonly kind: SpillKind;
  readonly mimeType: string;
  readonly look: DraftLook;
  readonly shape: ShapeNode | undefined;
  /** Where in the answer it stood, if that says something. */
  readonly note: string | undefined;
}

function partSummary({ kind, mimeType, look, shape, note }: PartFacts): SpillSummary {
  const notes =
    note === undefined
      ? []
      : [
          note
            .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')
            .slice(0, longestNote)
            .toWellFormed(),
        ];
  if (!isTextKind(kind)) return { shape: [...notes, mimeType], head: '', tail: '' };
  const { head, tail } = ends(look, kind === 'json');
  if (shape === undefined) return { shape: [...notes, ...textLines(look)], head, tail };
  const example = queryExample(shape);
  return {
    shape: [...notes, ...shapeLines(shape)].slice(0, 12),
    ...(shape.types.has('object') && {
      topLevelKeys: [...(shape.members ?? new Map<string, never>()).keys()].slice(0, mostKeys),
    }),
    ...(shape.types.has('array') && { elements: shape.lengths?.most ?? 0 }),
    ...(example !== undefined && { example }),
    head,
    tail,
  };
}

function textLines({ lines, longestLine }: DraftLook): string[] {
  if (longestLine < longLine) return [];
  return [lines === 1 ? 'all in one line' : `the longest line has ${grouped(longestLine)} bytes`];
}

/** JSON is shown as it would be without its spaces. */
function ends({ bytes, first, last }: DraftLook, isJson: boolean): { head: string; tail: string } {
  const isWhole = first.length === bytes;
  const tell = (text: string): string => (isJson ? withoutLayout(text) : text);
  // The second half of a character that was cut reads as U+FFFD.
  const start = tell(isWhole ? first.toString('utf8') : first.toString('utf8').replace(/\uFFFD+$/, ''));
  const head = well(start.slice(0, headLength));
  if (isWhole) return { head, tail: well(start.slice(Math.max(head.length, start.length - tailLength))) };
  const end = tell(last.toString('utf8').replace(/^\uFFFD+/, ''));
  return { head, tail: well(end.slice(-tailLength)) };
}

/** Takes away what makes JSON one element a line; no line feed stands inside of a string. */
function withoutLayout(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimStart().replace(/^("(?:[^"\\]|\\.)*"): /, '$1:'))
    .join('');
}

/** Without the half of a surrogate pair that a cut left over. */
function well(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
