/** What a model is told of a part: its shape and both its ends, taken from what was seen while it was written. */
import type { SpillKind, SpillSummary } from '../spill.ts';
import { isTextKind } from './media-types.ts';
import type { DraftLook } from './part-draft.ts';
import type { ShapeNode } from './shape-builder.ts';
import { count, shapeLines } from './shape-lines.ts';

const headLength = 300;
const tailLength = 150;
const mostKeys = 50;
/** Lines longer than this are worth a warning: tools that work on lines give all of one. */
const longLine = 2_000;
const longestNote = 200;

export interface PartFacts {
  readonly kind: SpillKind;
  readonly mimeType: string;
  readonly look: DraftLook;
  readonly shape: ShapeNode | undefined;
  /** Where in the answer it stood, if that says something. */
  readonly note: string | undefined;
}

export function partSummary({ kind, mimeType, look, shape, note }: PartFacts): SpillSummary {
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
  return {
    shape: [...notes, ...shapeLines(shape)].slice(0, 12),
    ...(shape.types.has('object') && {
      topLevelKeys: [...(shape.members ?? new Map<string, never>()).keys()].slice(0, mostKeys),
    }),
    ...(shape.types.has('array') && { elements: shape.lengths?.most ?? 0 }),
    head,
    tail,
  };
}

function textLines({ lines, longestLine }: DraftLook): string[] {
  if (longestLine < longLine) return [];
  return [lines === 1 ? 'all in one line' : `the longest line has ${count(longestLine)} bytes`];
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
