/** Which lines of kept answers models have read back: what the inspector marks beside the text. In memory, bounded. */
import { plainNumber } from '../base/json.ts';
import type { ResultAnswer, ResultQuestion } from './result-files.ts';

export interface ReadMark {
  /** From 1, both ends included. */
  readonly fromLine: number;
  readonly toLine: number;
  /** ms since 1970. */
  readonly at: number;
}

const mostSpills = 500;
const mostMarks = 200;

export class ReadMarks {
  /** The one that was read last stands last. */
  readonly #marks = new Map<string, readonly ReadMark[]>();

  of(id: string): readonly ReadMark[] {
    return this.#marks.get(id) ?? [];
  }

  note(id: string, question: ResultQuestion, answer: ResultAnswer, at: number): void {
    const lines = linesOf(question, answer);
    if (lines === undefined) return;
    const marks = [...this.of(id), { ...lines, at }].slice(-mostMarks);
    this.#marks.delete(id);
    this.#marks.set(id, marks);
    const oldest = this.#marks.keys().next();
    if (this.#marks.size > mostSpills && oldest.done !== true) this.#marks.delete(oldest.value);
  }
}

/** undefined for what reads no lines in a row. */
function linesOf(question: ResultQuestion, { fields }: ResultAnswer): Omit<ReadMark, 'at'> | undefined {
  const total = Number(plainNumber(fields['totalLines'] ?? 0));
  switch (question.op) {
    case 'head':
      return { fromLine: 1, toLine: Math.min(question.lines, total) };
    case 'tail':
      return { fromLine: Math.max(1, total - question.lines + 1), toLine: total };
    case 'slice':
      return { fromLine: Number(fields['fromLine'] ?? question.fromLine), toLine: Number(fields['toLine'] ?? total) };
    default:
      return undefined;
  }
}
